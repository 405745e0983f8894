// Colorways in renders: the outputs of a job, and the new material in the pictures.

import { Document } from '@gltf-transform/core';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { square, toGlb } from '../_author.ts';
import { bodyRule, createBatch } from '../_colorways.ts';
import {
  createProject,
  finishRender,
  type JobResponse,
  readyModel,
  startRender,
} from '../_flows.ts';
import { plainImage, readyMaterial } from '../_library.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox({ pictureScale: 0.2 });
});
afterEach(() => sandbox.sandbox.close());

/** A red square that faces the camera, with one material named "body". */
async function redSquare(): Promise<Uint8Array> {
  const document = new Document();
  document.createBuffer();
  const material = document.createMaterial('body').setBaseColorFactor([0.6, 0.02, 0.02, 1]);
  const primitive = square(document).setMaterial(
    material.setMetallicFactor(0).setDoubleSided(true),
  );
  const mesh = document.createMesh().addPrimitive(primitive);
  document.createScene().addChild(document.createNode().setMesh(mesh));
  return toGlb(document);
}

interface Listed {
  variantId: string;
  name: string;
}

const variantsOf = async (modelId: string) =>
  (await sandbox.call<{ variants: Listed[] }>(`GET /models/${modelId}/variants`)).body.variants;

/** Colour at the centre of the first output of a job. */
async function middle(job: JobResponse): Promise<{ red: number; green: number; blue: number }> {
  const file = await sandbox.request(job.renders[0]?.filePath ?? '');
  const { data, info } = await sharp(Buffer.from(await file.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = ((info.height >> 1) * info.width + (info.width >> 1)) * info.channels;
  return { red: data[at] ?? 0, green: data[at + 1] ?? 0, blue: data[at + 2] ?? 0 };
}

async function render(modelIds: string[], settings: object = {}): Promise<JobResponse> {
  const projectId = await createProject(sandbox, modelIds, { name: 'P' });
  const started = await startRender(sandbox, [projectId], { imageQuality: 0, ...settings });
  return finishRender(sandbox, started.jobId);
}

const namesOf = ({ renders }: JobResponse) => renders.map(({ name }) => name);

describe('pictures of a colorway', () => {
  test('a picture of a colorway shows its material until the material is deleted', async () => {
    const materialId = await readyMaterial(sandbox, { name: 'Sky' }, await plainImage('#1030d0'));
    const modelId = await readyModel(sandbox, 'square.glb', await redSquare());
    await createBatch(sandbox, [bodyRule(materialId)]);
    sandbox.advance(6);
    const [own, sky] = await variantsOf(modelId);
    const seen = async (id = '') => middle(await render([modelId], { variantsToRender: [id] }));
    const [before, after] = [await seen(own?.variantId), await seen(sky?.variantId)];
    expect(before.red).toBeGreaterThan(2 * before.blue);
    expect(after.blue).toBeGreaterThan(2 * after.red);

    await sandbox.call(`DELETE /materials/${materialId}`);
    const without = await seen(sky?.variantId);
    expect(without.red).toBeGreaterThan(2 * without.blue);
  });

  test('pictures of two materials with the same name are different', async () => {
    const modelId = await readyModel(sandbox, 'square.glb', await redSquare());
    for (const color of ['#10d030', '#1030d0']) {
      const materialId = await readyMaterial(sandbox, { name: 'Paint' }, await plainImage(color));
      await createBatch(sandbox, [bodyRule(materialId)]);
      sandbox.advance(6);
    }
    const [, green, blue] = await variantsOf(modelId);
    const seen = async (id = '') => middle(await render([modelId], { variantsToRender: [id] }));
    const [first, second] = [await seen(green?.variantId), await seen(blue?.variantId)];
    expect(first.green).toBeGreaterThan(1.5 * first.blue);
    expect(second.blue).toBeGreaterThan(1.5 * second.green);
  });
});

describe('the outputs of a job with colorways (2.5)', () => {
  let materialId: string;
  beforeEach(async () => {
    await sandbox.sandbox.close();
    sandbox = new TestSandbox();
    materialId = await readyMaterial(sandbox, { name: 'Oak' });
  });

  test('a job creates outputs for all variants and completed colorways, unless renderVariants is false', async () => {
    const modelId = await readyModel(sandbox, 'chair.glb', triangleGlb(['red', 'blue']));
    await createBatch(sandbox, [bodyRule(materialId)]);
    expect(namesOf(await render([modelId]))).toEqual(['P - red - Main', 'P - blue - Main']);
    expect(namesOf(await render([modelId]))).toEqual([
      'P - red - Main',
      'P - blue - Main',
      'P - Oak - Main',
    ]);
    expect(namesOf(await render([modelId], { renderVariants: false }))).toEqual(['P - Main']);
  });

  test('a job for a model without variants creates outputs for the model itself and for its colorways', async () => {
    const modelId = await readyModel(sandbox);
    expect(namesOf(await render([modelId]))).toEqual(['P - Main']);
    await createBatch(sandbox, [bodyRule(materialId)]);
    sandbox.advance(6);
    expect(namesOf(await render([modelId]))).toEqual(['P - Default - Main', 'P - Oak - Main']);
  });

  test('a job creates outputs for the variants that the project had when it was created, and for variants added later', async () => {
    const modelId = await readyModel(sandbox);
    const projectId = await createProject(sandbox, [modelId], { name: 'P' });
    await createBatch(sandbox, [bodyRule(materialId)]);
    sandbox.advance(6);
    const oak = (await variantsOf(modelId))[1]?.variantId ?? '';
    const drawn = async (settings: object = {}) => {
      const { jobId } = await startRender(sandbox, [projectId], { imageQuality: 0, ...settings });
      return namesOf(await finishRender(sandbox, jobId));
    };
    expect([await drawn(), await drawn({ variantsToRender: [oak] })]).toEqual([['P - Main'], []]);

    const path = `/projects/${projectId}/variants`;
    const compact = oak.replaceAll('-', '');
    for (const variantIds of [[compact], [oak]]) {
      expect(await sandbox.control(path, { variantIds })).toEqual({ projectId, variantIds: [oak] });
    }
    expect(await drawn()).toEqual(['P - Default - Main', 'P - Oak - Main']);
    expect(await drawn({ variantsToRender: [oak] })).toEqual(['P - Oak - Main']);
  });

  test('a variant of a model outside the project cannot be rendered', async () => {
    const [modelId, other] = [await readyModel(sandbox), await readyModel(sandbox, 'b.glb')];
    const projectId = await createProject(sandbox, [modelId], { name: 'P' });
    const foreign = (await variantsOf(other))[0]?.variantId;
    const add = (id: string, variantIds: unknown[]) =>
      sandbox.control(`/projects/${id}/variants`, { variantIds });
    expect(await add(projectId, [foreign])).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await add(projectId, [])).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
    expect(await add('nope', [foreign])).toMatchObject({ error: { code: 'PROJECT_NOT_FOUND' } });
  });

  test('a job creates outputs for the requested variants in any spelling of their ids, but not for unknown ids', async () => {
    const modelId = await readyModel(sandbox);
    await createBatch(sandbox, [bodyRule(materialId)]);
    sandbox.advance(6);
    const oak = (await variantsOf(modelId))[1]?.variantId ?? '';
    for (const id of [oak, `{${oak.replaceAll('-', '').toUpperCase()}}`]) {
      const job = await render([modelId], { variantsToRender: [id], renderVariants: false });
      expect(namesOf(job)).toEqual(['P - Oak - Main']);
    }
    expect(namesOf(await render([modelId], { variantsToRender: ['nope'] }))).toEqual([]);
  });
});
