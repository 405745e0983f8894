// Helpers that create production files.
import sharp from 'sharp';
import { getDocumentProxy } from 'unpdf';
import { createProject, readyModel } from './_flows.ts';
import { type TestSandbox, triangleGlb } from './_test-sandbox.ts';

export interface ProductionFile {
  id: string;
  modelId: string;
  documentNumber: string;
  version: number;
  variantIds: string[];
  variantNames: string[];
  createdAt: string;
  createdByUserId: string;
  downloadUrl: string;
}

export interface Export {
  id: string | null;
  status: string;
  variantIds: string[];
  capturingVariantIds: string[];
  productionFile: ProductionFile | null;
  reason: string | null;
  createdAt: string;
}

export interface View {
  variantId: string;
  capturedAt: string;
  captureMode: string;
  stale: boolean;
}

/** Maximum duration of a capture at speed 1, in seconds. */
export const captureSeconds = 150;

/** A model in a project. Its variants are in the order of the file. */
export async function projectModel(
  sandbox: TestSandbox,
  variants: readonly string[] = ['red', 'blue', 'green'],
  glb = triangleGlb(variants),
): Promise<{ modelId: string; variantIds: string[] }> {
  const modelId = await readyModel(sandbox, 'shirt.glb', glb);
  await createProject(sandbox, [modelId]);
  return { modelId, variantIds: await variantIdsOf(sandbox, modelId) };
}

export async function variantIdsOf(sandbox: TestSandbox, modelId: string): Promise<string[]> {
  const { body } = await sandbox.call<{ variants: { variantId: string }[] }>(
    `GET /models/${modelId}/variants`,
  );
  return body.variants.map(({ variantId }) => variantId);
}

export async function startExport(
  sandbox: TestSandbox,
  modelId: string,
  variantIds: readonly string[],
  options: object = {},
) {
  const route = `POST /models/${modelId}/production-files/export`;
  return sandbox.call<Export>(route, { variantIds, options });
}

export async function readExport(sandbox: TestSandbox, id: string | null): Promise<Export> {
  return (await sandbox.call<Export>(`GET /production-file-exports/${id}`)).body;
}

/** Waits until captures have ended and their pictures are drawn. */
export async function finishCaptures(sandbox: TestSandbox): Promise<void> {
  await sandbox.sandbox.idle();
  sandbox.advance(captureSeconds);
}

/** Runs an export until its file exists. */
export async function exportedFile(
  sandbox: TestSandbox,
  modelId: string,
  variantIds: readonly string[],
  options: object = {},
): Promise<ProductionFile> {
  const { body } = await startExport(sandbox, modelId, variantIds, options);
  if (body.productionFile) return body.productionFile;
  await finishCaptures(sandbox);
  const { productionFile, reason } = await readExport(sandbox, body.id);
  if (!productionFile) throw new Error(`The export came to nothing: ${reason}`);
  return productionFile;
}

export async function viewsOf(sandbox: TestSandbox, modelId: string): Promise<View[]> {
  const route = `GET /models/${modelId}/production-views`;
  return (await sandbox.call<{ productionViews: View[] }>(route)).body.productionViews;
}

export async function filesOf(sandbox: TestSandbox, modelId: string): Promise<ProductionFile[]> {
  const route = `GET /models/${modelId}/production-files`;
  return (await sandbox.call<{ productionFiles: ProductionFile[] }>(route)).body.productionFiles;
}

/** A confirmed decal. */
export async function readyDecal(sandbox: TestSandbox, name = 'crest'): Promise<string> {
  const { body } = await sandbox.call<{
    decals: { decalId: string; uploadUrl: string; contentType: string }[];
  }>('POST /decals', { decals: [{ name, fileType: 'png' }] });
  const [decal] = body.decals;
  if (!decal) throw new Error('No decal was made.');
  const background = { r: 200, g: 30, b: 40, alpha: 0.5 };
  const png = await sharp({ create: { width: 60, height: 40, channels: 4, background } })
    .png()
    .toBuffer();
  await sandbox.request(decal.uploadUrl, {
    method: 'PUT',
    body: new Uint8Array(png),
    headers: { 'content-type': decal.contentType, 'content-length': String(png.length) },
  });
  await sandbox.call(`POST /decals/${decal.decalId}/confirm`);
  return decal.decalId;
}

/** Sets the logo of a slot through a control. Null removes the logo. */
export async function putLogo(
  sandbox: TestSandbox,
  place: { readonly modelId: string; readonly variantId: string; readonly slotId?: string },
  decalId: string | null,
): Promise<void> {
  const { modelId, variantId, slotId = 'slot-1' } = place;
  await sandbox.control(`/models/${modelId}/variants/${variantId}/decal-slots/${slotId}`, {
    decalId,
  });
}

/** Text of each page of a PDF. */
export async function readPdfPages(bytes: Uint8Array): Promise<string[]> {
  const pdf = await getDocumentProxy(bytes);
  return Promise.all(
    Array.from({ length: pdf.numPages }, async (_, index) => {
      const page = await pdf.getPage(index + 1);
      const { items } = await page.getTextContent();
      return items.map((item: object) => ('str' in item ? item.str : '')).join(' ');
    }),
  );
}
