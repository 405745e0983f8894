// Channels on the whole product: one render for Amazon and the web. Images that pass are delivered, others fail by name
// with a picture in the report, and a changed rule renders nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { change, filesIn, nothing, useChangedPipeline } from '../system/_changed-pipeline.ts';
import { writeModels } from '../system/_models.ts';
import { createPipelineFolder, type PipelineFolder, useProduct } from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100']);

const { command, runToEnd, createdDuring } = useChangedPipeline(product);

/** A pipeline with one model and a render of 640 x 360 by the template. */
async function placeWith(name: string, template: string): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  await writeModels(place.folder, ['shoe']);
  await writeFile(
    place.file,
    `name: ${name}
maxRetries: 0
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
channels:
  our-main:
    format: JPEG
    maxSide: 600
    square: true
    fill: 90%
    quality: 92
    checks: { background: white, fill: 85%, longestSide: { min: 100 }, noAlpha: true, profile: sRGB }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  shop: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 500ms } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: look, type: template_match, parentIds: [ready], config: { default: ${template} } }
  - id: shots
    type: render
    parentIds: [look]
    config: { settings: { renderShots: false, imageCustomResolution: true, imageCustomWidth: 640, imageCustomHeight: 360 } }
  - id: deliver
    type: export
    parentIds: [shots]
    config:
      connector: shop
      original: false
      images:
        - { channel: our-main, naming: "amazon/{{ key }}.MAIN.{{ ext }}" }
        - { channel: web, maxSide: 320, naming: "web/{{ key }}.{{ ext }}" }
`,
  );
  return place;
}

describe('a render with a transparent background', () => {
  test('a transparent render is delivered to both channels, and again after a rule change without a new render', async () => {
    const place = await placeWith('cut-out', 'Cut Out');
    const first = await runToEnd(place);
    expect(first.paid).toMatchObject({ renders: 1 });
    expect(await filesIn(place.out)).toEqual(['amazon/shoe.MAIN.jpg', 'web/shoe.webp']);
    const main = await readFile(join(place.out, 'amazon/shoe.MAIN.jpg'));
    const { width, height, hasAlpha } = await sharp(main).metadata();
    expect({ isSquare: width === height, hasAlpha }).toEqual({ isSquare: true, hasAlpha: false });
    const { data } = await sharp(main, { ignoreIcc: true })
      .extract({ left: 0, top: 0, width, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(data.every((level) => level === 255)).toBe(true);

    await change(place, (text) => text.replace('maxSide: 600', 'maxSide: 200'));
    const { booked } = await createdDuring(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    const smaller = await sharp(await readFile(join(place.out, 'amazon/shoe.MAIN.jpg'))).metadata();
    expect(smaller).toMatchObject({ width: 200, height: 200 });
  });
});

describe('a render on a studio backdrop', () => {
  test("a render on a backdrop fails the channel's check, appears in the report, and is delivered to the web", async () => {
    const place = await placeWith('studio', 'Studio White');
    const run = await runToEnd(place, 1);
    expect(await filesIn(place.out)).toEqual(['web/shoe.webp']);
    expect(run.failures).toMatchObject([
      {
        code: 'IMAGE_BACKGROUND',
        node: 'deliver',
        message: expect.stringContaining('for channel our-main: it has #'),
      },
    ]);
    const page = await command(['report', run.run, '--output', '-']);
    expect(page.stdout).toContain('alt="shoe, not delivered"');
    const [, jpeg = ''] =
      /<li class="failed".*?src="data:image\/jpeg;base64,([^"]+)"/s.exec(page.stdout) ?? [];
    const { data, info } = await sharp(Buffer.from(jpeg, 'base64'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info.width).toBe(400);
    let magenta = 0;
    for (let at = 0; at < data.length; at += 3) {
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
      if (red > 170 && green < 110 && blue > 170) magenta += 1;
    }
    expect(magenta).toBeGreaterThan(10_000);
  });
});
