// Every random change of a file has a verdict. The inspection never throws and never accepts a truncated file.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectBytes } from '../../src/glb/inspect-model.ts';
import { triangleGlb } from './_make-glb.ts';

const good = triangleGlb();

describe('damaged files', () => {
  it('every truncated GLB is refused', async () => {
    for (let length = 0; length < good.length; length += 1) {
      const { verdict, code } = await inspectBytes(good.subarray(0, length), 'glb');
      expect({ length, verdict }).toEqual({ length, verdict: 'reject' });
      expect(code).toBe(length === 0 ? 'EMPTY_FILE' : 'TRUNCATED');
    }
  });

  it('a file with any byte changed gets a verdict', async () => {
    const change = fc.record({
      at: fc.nat(good.length - 1),
      value: fc.nat(255),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const bytes = Buffer.from(good);
        for (const { at, value } of changes) bytes[at] = value;
        const look = await inspectBytes(bytes, 'glb');
        expect(look.verdict === 'reject').toBe(look.code !== null);
        expect(look.message.length).toBeLessThan(2000);
      }),
      { numRuns: 500 },
    );
  });

  it('a file with arbitrary JSON gets a verdict', async () => {
    const keys = ['nodes', 'meshes', 'scenes', 'accessors', 'bufferViews', 'buffers', 'materials'];
    const json = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 4 }));
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const text = JSON.stringify({ ...value, asset: { version: '2.0' } });
        const look = await inspectBytes(Buffer.from(text), 'gltf');
        expect(['accept', 'accept-with-warning', 'reject']).toContain(look.verdict);
      }),
      { numRuns: 500 },
    );
  });
});
