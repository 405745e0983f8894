// A randomly changed file is either a scene that can be drawn, or is refused with a typed error.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { DrawableModel } from '../../src/drawing/drawable-model.ts';
import { templateLooks } from '../../src/drawing/templates.ts';
import { ModelUnreadableError, readScene } from '../../src/scene/scene.ts';
import { authorSquare, stripesPng, toGlb } from '../_author.ts';

let good = Buffer.alloc(0);
beforeAll(async () => {
  const { document, material } = authorSquare();
  const image = await stripesPng([[255, 0, 0]]);
  const texture = document
    .createTexture()
    .setImage(Uint8Array.from(image))
    .setMimeType('image/png');
  material.setBaseColorTexture(texture).setAlphaMode('BLEND');
  good = Buffer.from(await toGlb(document));
});

// Positions anywhere in the file, but mostly after the header.
const change = fc.record({ at: fc.integer({ min: 20, max: 100_000 }), value: fc.nat(255) });

describe('damaged models', () => {
  it('damaged models are drawn or refused, without any other error', async () => {
    const [look] = templateLooks;
    if (look === undefined) throw new Error('no looks');
    let drawn = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = Buffer.from(good);
        for (const { at, value } of changes) bytes[(at * 7919) % bytes.length] = value;
        try {
          const model = new DrawableModel(await readScene(bytes, 'glb'));
          if (model.isEmpty) return;
          const { data } = await model.draw({ look, width: 16, height: 9 });
          expect(data.length).toBe(16 * 9 * 4);
          drawn += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(ModelUnreadableError);
        }
      }),
      { numRuns: 400 },
    );
    expect(drawn).toBeGreaterThan(10);
  });

  it('models with a changed number in their JSON are read or refused', async () => {
    const value = fc.oneof(
      fc.integer({ min: -2, max: 9 }),
      fc.constantFrom(1e9, 0.5, null, 'x', true, [], {}),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(200), value, async (pick, replacement) => {
        const length = good.readUInt32LE(12);
        const text = good.toString('utf8', 20, 20 + length);
        const numbers = [...text.matchAll(/(?<=[:[,])\d+(?:\.\d+)?(?=[,\]}])/g)];
        const match = numbers[pick % numbers.length];
        if (match === undefined) throw new Error('no numbers');
        const changed = `${text.slice(0, match.index)}${JSON.stringify(replacement)}${text.slice(match.index + match[0].length)}`;
        const json = Buffer.from(changed.padEnd(Math.ceil(changed.length / 4) * 4));
        const bytes = Buffer.concat([good.subarray(0, 20), json, good.subarray(20 + length)]);
        bytes.writeUInt32LE(bytes.length, 8);
        bytes.writeUInt32LE(json.length, 12);
        const outcome = await readScene(bytes, 'glb').catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ModelUnreadableError);
      }),
      { numRuns: 600 },
    );
  });
});
