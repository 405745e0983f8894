// Exports, files, document numbers and versions.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readyModel } from '../_flows.ts';
import {
  type Export,
  exportedFile,
  filesOf,
  finishCaptures,
  type ProductionFile,
  projectModel,
  putLogo,
  readExport,
  readPdfPages,
  readyDecal,
  startExport,
  variantIdsOf,
  viewsOf,
} from '../_production.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const listed = async (modelId: string) =>
  (await sandbox.call<{ exports: Export[] }>(`GET /models/${modelId}/production-file-exports`)).body
    .exports;

describe('an export', () => {
  test('an export captures the views, and is then READY with its file', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    const { status, body } = await startExport(sandbox, modelId, variantIds);
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.any(String),
      status: 'CAPTURING',
      variantIds,
      capturingVariantIds: variantIds,
      productionFile: null,
      reason: null,
      createdAt: new Date(sandbox.now).toISOString(),
    });
    expect(await filesOf(sandbox, modelId)).toEqual([]);
    await finishCaptures(sandbox);
    const ready = await readExport(sandbox, body.id);
    expect(ready).toMatchObject({ id: body.id, status: 'READY', capturingVariantIds: [] });
    expect(ready.productionFile).toMatchObject({
      modelId,
      documentNumber: 'PF-00001',
      version: 1,
      variantIds,
      variantNames: ['red', 'blue', 'green'],
      createdByUserId: expect.any(String),
    });
    expect(await filesOf(sandbox, modelId)).toMatchObject([{ id: ready.productionFile?.id }]);
  });

  test('an export is READY immediately when all views are current', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    await exportedFile(sandbox, modelId, variantIds);
    const { status, body } = await startExport(sandbox, modelId, variantIds);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: null,
      status: 'READY',
      capturingVariantIds: [],
      reason: null,
    });
    expect(body.productionFile).toMatchObject({ documentNumber: 'PF-00001', version: 2 });
  });

  test('an export that is requested again during its captures returns the running export, for any order and spelling of its ids', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    const first = await startExport(sandbox, modelId, variantIds);
    const forms = variantIds.toReversed().map((id) => `{${id.replaceAll('-', '').toUpperCase()}}`);
    const again = await startExport(sandbox, modelId, [...forms, ...variantIds]);
    expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    const other = await startExport(sandbox, modelId, variantIds, { factoryNote: 'Other.' });
    expect(other.body.id).not.toBe(first.body.id);
    await finishCaptures(sandbox);
    const files = await filesOf(sandbox, modelId);
    expect(files.map(({ version }) => version)).toEqual([2, 1]);
  });

  test('an export reuses the running capture of another export', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    await sandbox.control('/limits', { captures: 3 });
    await startExport(sandbox, modelId, variantIds);
    const { body } = await startExport(sandbox, modelId, variantIds.slice(0, 2));
    expect(body.status).toBe('CAPTURING');
    await finishCaptures(sandbox);
    expect((await readExport(sandbox, body.id)).status).toBe('READY');
  });

  test('an export fails immediately without a project, and when the workspace has no usage left', async () => {
    const lonely = await readyModel(sandbox, 'cap.glb', triangleGlb(['red']));
    const alone = await startExport(sandbox, lonely, await variantIdsOf(sandbox, lonely));
    expect([alone.status, alone.body.status]).toEqual([200, 'FAILED']);
    expect(alone.body.reason).toContain('No project contains');
    expect(alone.body.productionFile).toBeNull();
    const { modelId, variantIds } = await projectModel(sandbox);
    await sandbox.control('/limits', { captures: 2 });
    const poor = await startExport(sandbox, modelId, variantIds);
    expect([poor.status, poor.body.reason]).toEqual([
      200,
      expect.stringContaining('does not allow these captures'),
    ]);
    expect(await readExport(sandbox, poor.body.id)).toEqual(poor.body);
  });

  test('an export fails if its capture has no views', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    await sandbox.control('/faults', [{ capture: '*', do: { failure: 'The cloud is away.' } }]);
    const { body } = await startExport(sandbox, modelId, variantIds);
    expect(body.status).toBe('CAPTURING');
    await finishCaptures(sandbox);
    expect(await readExport(sandbox, body.id)).toMatchObject({
      status: 'FAILED',
      reason: 'The cloud is away.',
      productionFile: null,
    });
    expect(await viewsOf(sandbox, modelId)).toEqual([]);
  });

  test('an export prints a variant whose capture failed, with a notice', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    await sandbox.control('/faults', [{ capture: 'blue', do: { failure: 'No.' } }]);
    const file = await exportedFile(sandbox, modelId, variantIds);
    expect(file.variantIds).toEqual(variantIds);
    const pages = await pagesOf(file);
    expect(pages.map((text) => text.includes('Not captured'))).toEqual([false, true, false]);
  });

  test('an export is listed while it captures and for a day after it failed, newest first', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    const done = await startExport(sandbox, modelId, variantIds.slice(0, 1));
    await finishCaptures(sandbox);
    await sandbox.control('/limits', { captures: 2 });
    const failed = await startExport(sandbox, modelId, variantIds);
    sandbox.advance(60);
    const running = await startExport(sandbox, modelId, variantIds.slice(1, 2));
    expect((await listed(modelId)).map(({ id }) => id)).toEqual([running.body.id, failed.body.id]);
    expect((await readExport(sandbox, done.body.id)).status).toBe('READY');
    await finishCaptures(sandbox);
    expect((await listed(modelId)).map(({ id }) => id)).toEqual([failed.body.id]);
    sandbox.advance(24 * 3600);
    expect(await listed(modelId)).toEqual([]);
    expect((await readExport(sandbox, failed.body.id)).status).toBe('FAILED');
  });
});

describe('document numbers', () => {
  test('a document number belongs to a set of variants of a model, counts versions, and is never reused', async () => {
    const { modelId, variantIds } = await projectModel(sandbox);
    const [red = '', blue = ''] = variantIds;
    const other = await projectModel(sandbox, ['red']);
    const numbers = async (id: string, ids: readonly string[]) => {
      const { documentNumber, version } = await exportedFile(sandbox, id, ids);
      return `${documentNumber} v${version}`;
    };
    expect(await numbers(modelId, [red, blue])).toBe('PF-00001 v1');
    expect(await numbers(modelId, [red])).toBe('PF-00002 v1');
    expect(await numbers(modelId, [blue, red])).toBe('PF-00001 v2');
    expect(await numbers(modelId, [red, red, blue])).toBe('PF-00001 v3');
    expect(await numbers(other.modelId, other.variantIds)).toBe('PF-00003 v1');
    await sandbox.call(`DELETE /models/${other.modelId}`);
    expect(await numbers(modelId, variantIds)).toBe('PF-00004 v1');
    expect((await filesOf(sandbox, modelId)).map(({ version }) => version)).toEqual([
      1, 3, 2, 1, 1,
    ]);
  });
});

describe('an immediate file', () => {
  const create = (modelId: string, variantIds: readonly string[], options: object = {}) =>
    sandbox.call<ProductionFile>(`POST /models/${modelId}/production-files`, {
      variantIds,
      options,
    });

  test('a file prints a preview of a variant that was never captured, and starts no capture', async () => {
    const modelId = await readyModel(sandbox, 'cap.glb', triangleGlb(['red']));
    const { status, body } = await create(modelId, await variantIdsOf(sandbox, modelId));
    expect([status, body.version]).toEqual([201, 1]);
    expect(await viewsOf(sandbox, modelId)).toEqual([]);
    const [page = ''] = await pagesOf(body);
    expect(page).toContain('Preview only');
    expect(page).not.toContain('Front');
  });

  test('a file prints stale views with a notice', async () => {
    const { modelId, variantIds } = await projectModel(sandbox, ['red']);
    await exportedFile(sandbox, modelId, variantIds);
    await putLogo(sandbox, { modelId, variantId: variantIds[0] ?? '' }, await readyDecal(sandbox));
    const { body } = await create(modelId, variantIds);
    const [page = ''] = await pagesOf(body);
    expect(page).toContain('Views out of date');
    expect(page).toContain('Front');
  });
});

describe('the download link', () => {
  test('the download link returns a PDF attachment for one hour, without a key', async () => {
    const { modelId, variantIds } = await projectModel(sandbox, ['red']);
    const { downloadUrl } = await exportedFile(sandbox, modelId, variantIds);
    const answer = await sandbox.request(downloadUrl);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="PF-00001-v1.pdf"',
    );
    const unsigned = new URL(downloadUrl).pathname;
    expect((await sandbox.request(unsigned)).status).toBe(403);
    const open = unsigned.replace('/storage/download/', '/cdn/');
    expect((await sandbox.request(open)).status).toBe(404);
    sandbox.advance(3600);
    expect((await sandbox.request(downloadUrl)).status).toBe(403);
    const [fresh] = await filesOf(sandbox, modelId);
    expect((await sandbox.request(fresh?.downloadUrl ?? '')).status).toBe(200);
  });
});

test('a plan without API access refuses exports and views', async () => {
  const { modelId, variantIds } = await projectModel(sandbox, ['red']);
  await sandbox.control('/access', { apiAccess: false });
  expect((await startExport(sandbox, modelId, variantIds)).status).toBe(403);
  expect((await sandbox.call(`GET /models/${modelId}/production-views`)).status).toBe(403);
});

/** Text of each page of a file. */
async function pagesOf({ downloadUrl }: ProductionFile): Promise<string[]> {
  const answer = await sandbox.request(downloadUrl);
  return readPdfPages(new Uint8Array(await answer.arrayBuffer()));
}
