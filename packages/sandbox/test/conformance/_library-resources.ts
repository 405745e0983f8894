// Props, decals and materials that rows start from.
import { expect } from 'vitest';
import { first } from './_core-resources.ts';
import { image } from './_images.ts';
import type { Platform } from './_platform.ts';
import {
  DecalConfirmed,
  DecalsCreated,
  MaterialChecks,
  MaterialConfirmed,
  MaterialCreated,
  PropChecks,
  PropsCreated,
} from './_shapes-library.ts';

export async function createProp(p: Platform, item: object = { fileName: 'vase.glb' }) {
  return first((await p.ok('POST /props', PropsCreated, { props: [item] })).props);
}

export async function uploadedProp(p: Platform, item?: object) {
  const { propId, uploadUrl } = await createProp(p, item);
  expect((await p.put(uploadUrl, p.target.glb)).status).toBe(200);
  const confirmed = await p.send(`POST /props/${propId}/confirm`);
  expect(confirmed.status, confirmed.text).toBeLessThan(300);
  return propId;
}

export async function readyProp(p: Platform, item?: object) {
  const propId = await uploadedProp(p, item);
  await p.until(
    () => p.ok('POST /props/status', PropChecks, { propIds: [propId] }),
    ({ allReady }) => allReady,
  );
  return propId;
}

export async function createDecal(
  p: Platform,
  item: object = { fileName: 'logo.png', fileType: 'png' },
) {
  return first((await p.ok('POST /decals', DecalsCreated, { decals: [item] })).decals);
}

/** A READY decal. */
export async function readyDecal(p: Platform, item?: object, bytes?: Buffer): Promise<string> {
  const { decalId, uploadUrl, contentType } = await createDecal(p, item);
  expect((await p.put(uploadUrl, bytes ?? (await image()), contentType)).status).toBe(200);
  await p.ok(`POST /decals/${decalId}/confirm`, DecalConfirmed);
  return decalId;
}

export async function createMaterial(p: Platform, more: object = {}) {
  const body = {
    name: 'Conformance red',
    textures: [{ channel: 'diffuse', fileType: 'png' }],
    ...more,
  };
  return p.ok('POST /materials', MaterialCreated, body);
}

/** A material that is uploaded and confirmed. Its processing has started. */
export async function confirmedMaterial(
  p: Platform,
  more: object = {},
  bytes?: Buffer,
): Promise<string> {
  const { materialId, name, uploads, uploadedTypes, collectionId } = await createMaterial(p, more);
  for (const { uploadUrl } of uploads) {
    const put = await p.put(uploadUrl, bytes ?? (await image()), 'image/png');
    expect(put.status, put.text).toBe(200);
  }
  const body = { name, uploadedTypes, collectionId };
  await p.ok(`POST /materials/${materialId}/confirm`, MaterialConfirmed, body);
  return materialId;
}

export function finishedMaterial(p: Platform, materialId: string) {
  return p.until(
    () => p.ok('POST /materials/status', MaterialChecks, { materialIds: [materialId] }),
    ({ materials }) => materials[0]?.status !== 'processing',
    10,
  );
}

/** A ready material, which swaps can use. */
export async function readyMaterial(p: Platform, more?: object, bytes?: Buffer): Promise<string> {
  const materialId = await confirmedMaterial(p, more, bytes);
  const { allReady } = await finishedMaterial(p, materialId);
  expect(allReady).toBe(true);
  return materialId;
}
