// Helpers that create props, decals and materials.
import sharp from 'sharp';
import { expect } from 'vitest';
import { type TestSandbox, triangleGlb } from './_test-sandbox.ts';

export interface PropUpload {
  propId: string;
  name: string;
  uploadUrl: string;
  uploadKey: string;
}

export interface DecalUpload {
  decalId: string;
  name: string;
  uploadUrl: string;
  uploadKey: string;
  contentType: string;
}

export interface MaterialUpload {
  materialId: string;
  name: string;
  collectionId: string | null;
  uploads: { channel: string; uploadUrl: string }[];
  uploadedTypes: string[];
}

/** A picture of one colour. */
export function plainImage(
  color = '#b01020',
  format: 'png' | 'jpeg' | 'webp' = 'png',
  width = 8,
  height = 6,
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: color } })
    .toFormat(format)
    .toBuffer();
}

export async function createProp(
  sandbox: TestSandbox,
  item: object = { fileName: 'vase.glb' },
): Promise<PropUpload> {
  const { body, text } = await sandbox.call<{ props: PropUpload[] }>('POST /props', {
    props: [item],
  });
  const [prop] = body.props ?? [];
  if (!prop) throw new Error(`No prop was made: ${text}`);
  return prop;
}

export async function readyProp(
  sandbox: TestSandbox,
  item?: object,
  bytes: Uint8Array = triangleGlb(),
): Promise<string> {
  const { propId, uploadUrl } = await createProp(sandbox, item);
  expect((await sandbox.put(uploadUrl, bytes)).status).toBe(200);
  expect((await sandbox.call(`POST /props/${propId}/confirm`)).status).toBe(200);
  sandbox.advance(6);
  return propId;
}

export async function createDecal(
  sandbox: TestSandbox,
  item: object = { fileName: 'logo.png' },
): Promise<DecalUpload> {
  const { body, text } = await sandbox.call<{ decals: DecalUpload[] }>('POST /decals', {
    decals: [item],
  });
  const [decal] = body.decals ?? [];
  if (!decal) throw new Error(`No decal was made: ${text}`);
  return decal;
}

export async function readyDecal(
  sandbox: TestSandbox,
  item?: object,
  bytes?: Uint8Array,
): Promise<string> {
  const { decalId, uploadUrl, contentType } = await createDecal(sandbox, item);
  const image = bytes ?? (await plainImage());
  expect((await sandbox.put(uploadUrl, image, contentType)).status).toBe(200);
  expect((await sandbox.call(`POST /decals/${decalId}/confirm`)).status).toBe(200);
  return decalId;
}

export async function createMaterial(
  sandbox: TestSandbox,
  body: object = {},
): Promise<MaterialUpload> {
  const made = await sandbox.call<MaterialUpload>('POST /materials', {
    name: 'Red leather',
    textures: [{ channel: 'diffuse', fileType: 'png' }],
    ...body,
  });
  if (made.status !== 201) throw new Error(`No material was made: ${made.text}`);
  return made.body;
}

export async function confirmMaterial(sandbox: TestSandbox, material: MaterialUpload) {
  const { materialId, name, uploadedTypes, collectionId } = material;
  return sandbox.call(`POST /materials/${materialId}/confirm`, {
    name,
    uploadedTypes,
    collectionId,
  });
}

/** A processed material that has this image in each of its channels. */
export async function readyMaterial(
  sandbox: TestSandbox,
  body: object = {},
  image?: Uint8Array,
): Promise<string> {
  const material = await createMaterial(sandbox, body);
  const bytes = image ?? (await plainImage());
  for (const { uploadUrl } of material.uploads) {
    expect((await sandbox.put(uploadUrl, bytes)).status).toBe(200);
  }
  expect((await confirmMaterial(sandbox, material)).status).toBe(200);
  await sandbox.sandbox.idle();
  sandbox.advance(120);
  return material.materialId;
}
