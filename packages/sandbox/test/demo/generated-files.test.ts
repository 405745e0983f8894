// Generated files for pipeline tests: slots, formats and stable bytes.
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createModel, createPicture } from '../../src/demo/generated-files.ts';
import { readScene } from '../../src/scene/scene.ts';

test('a model has the requested slots, and the same bytes each time', async () => {
  const model = await createModel('shirts/polo', ['fabric', 'buttons']);
  const { materials } = await readScene(model, 'glb');
  expect(materials.map(({ name }) => name)).toEqual(['fabric', 'buttons']);
  expect(await createModel('shirts/polo', ['fabric', 'buttons'])).toEqual(model);
  expect(await createModel('shirts/other', ['fabric', 'buttons'])).not.toEqual(model);
});

test.each(['png', 'jpeg'])('a picture is a %s that is not blank', async (format) => {
  const picture = await createPicture(`a.${format === 'jpeg' ? 'jpg' : format}`);
  expect((await sharp(picture).metadata()).format).toBe(format);
  expect((await sharp(picture).stats()).entropy).toBeGreaterThan(0.5);
});
