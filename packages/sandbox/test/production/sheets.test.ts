// The printed contents: pages, notices, options, kept data, drafts, characters.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProject, readyModel } from '../_flows.ts';
import {
  captureSeconds,
  exportedFile,
  filesOf,
  type ProductionFile,
  projectModel,
  putLogo,
  readExport,
  readPdfPages,
  readyDecal,
  startExport,
  variantIdsOf,
} from '../_production.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox({ pictureScale: 0.05 });
});
afterEach(() => sandbox.sandbox.close());

async function bytesOf({ downloadUrl }: ProductionFile): Promise<Uint8Array> {
  const answer = await sandbox.request(downloadUrl);
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Text of each page of a file. */
async function pagesOf(file: ProductionFile): Promise<string[]> {
  return readPdfPages(await bytesOf(file));
}

async function decorated() {
  const { modelId, variantIds } = await projectModel(sandbox, ['red', 'blue']);
  const [red = ''] = variantIds;
  const decalId = await readyDecal(sandbox);
  // Variants of this triangle use its second material.
  await putLogo(sandbox, { modelId, variantId: red }, decalId);
  await sandbox.call(`PUT /decals/${decalId}/inks`, { spec: 'Team red: 186 C / white' });
  await sandbox.call(
    `PUT /models/${modelId}/variants/${red}/decal-slots/slot-1/decoration-method`,
    { method: 'embroidery' },
  );
  return { modelId, variantIds, red, decalId };
}

describe('a file', () => {
  test('a file has a top sheet for each variant and a page for each logo', async () => {
    const { modelId, variantIds } = await decorated();
    const options = { factoryNote: 'Sew twice.' };
    const pages = await pagesOf(await exportedFile(sandbox, modelId, variantIds, options));
    expect(pages).toHaveLength(3);
    const [red = '', logo = '', blue = ''] = pages;
    for (const text of ['PF-00001', 'shirt', 'red', 'Front', 'Back', 'Left side', 'Right side']) {
      expect(red).toContain(text);
    }
    for (const text of ['No Pantone on file', 'Sew twice.', 'Embroidery', 'PANTONE 186 C']) {
      expect(red).toContain(text);
    }
    for (const text of ['crest', 'Close-up', '60 × 40 px', 'PANTONE 186 C', 'white', 'mm']) {
      expect(logo).toContain(text);
    }
    expect(logo).not.toContain('Sew twice.');
    expect(blue).toContain('No logos on this variant');
    expect(blue).toContain('Sew twice.');
    expect(pages.map((text) => /Page \d of \d/.exec(text)?.[0])).toEqual([
      'Page 1 of 3',
      'Page 2 of 3',
      'Page 3 of 3',
    ]);
  });

  test('a file keeps the line breaks of the note if they fit, and always prints the whole note', async () => {
    const { modelId, variantIds } = await decorated();
    const [red = ''] = variantIds;
    const linesOf = async (factoryNote: string) => {
      const file = await exportedFile(sandbox, modelId, [red], { factoryNote });
      return (await pagesOf(file))[0] ?? '';
    };
    expect(await linesOf('Sew twice.\nPress once.\n')).toMatch(/Sew twice\.\s{2,}Press once\./);
    const many = Array.from({ length: 60 }, (_, index) => `${index + 1}.`).join('\n');
    expect((await linesOf(many)).replaceAll(/\s+/g, ' ')).toContain(many.replaceAll('\n', ' '));
  });

  test('a file has a close-up from below of a logo that no view shows', async () => {
    const facingDown = triangleGlb(['red'], '', [Math.SQRT1_2, 0, 0, Math.SQRT1_2]);
    const { variantIds, modelId } = await projectModel(sandbox, ['red'], facingDown);
    const [red = ''] = variantIds;
    await putLogo(sandbox, { modelId, variantId: red }, await readyDecal(sandbox));
    const [sheet, logo = ''] = await pagesOf(await exportedFile(sandbox, modelId, variantIds));
    expect(sheet).toContain('from below');
    expect(logo).toContain('Close-up of 2. other, from below');
    expect(logo).toContain('1000 × 1000 mm');
    expect(logo).not.toContain('not measured');
  });

  test('a file has a notice for a logo that was set after the capture', async () => {
    const { variantIds, modelId } = await projectModel(sandbox, ['red']);
    const [red = ''] = variantIds;
    await exportedFile(sandbox, modelId, variantIds);
    await putLogo(sandbox, { modelId, variantId: red }, await readyDecal(sandbox));
    const { body } = await sandbox.call<ProductionFile>(
      `POST /models/${modelId}/production-files`,
      { variantIds },
    );
    const [sheet = '', logo = ''] = await pagesOf(body);
    expect(sheet).toContain('Views out of date');
    expect(logo).toContain('Not in the captured views');
  });

  test('a file has no side views or detail pages if the options exclude them', async () => {
    const { modelId, variantIds } = await decorated();
    const options = { includeSideViews: false, includeDetailPages: false };
    const pages = await pagesOf(await exportedFile(sandbox, modelId, variantIds, options));
    expect(pages).toHaveLength(2);
    expect(pages.join()).toContain('Front');
    expect(pages.join()).not.toContain('Left side');
  });

  test('a file has the same bytes each time', async () => {
    const { modelId, variantIds } = await decorated();
    const file = await exportedFile(sandbox, modelId, variantIds);
    const other = new TestSandbox({ pictureScale: 0.05 });
    const first = await bytesOf(file);
    await sandbox.sandbox.close();
    sandbox = other;
    const again = await decorated();
    expect(await bytesOf(await exportedFile(sandbox, again.modelId, again.variantIds))).toEqual(
      first,
    );
  });

  test('later changes do not affect a file', async () => {
    const { modelId, variantIds, red, decalId } = await decorated();
    const file = await exportedFile(sandbox, modelId, variantIds);
    await sandbox.call(`PATCH /models/${modelId}`, { name: 'renamed' });
    await sandbox.call(`PUT /decals/${decalId}/inks`, { inks: [] });
    await sandbox.call(`DELETE /decals/${decalId}`);
    await putLogo(sandbox, { modelId, variantId: red }, null);
    const pages = await pagesOf(file);
    expect(pages).toHaveLength(3);
    expect(pages.join()).toContain('186 C');
    expect(pages.join()).not.toContain('renamed');
  });

  test('a file shows the Pantone code of the material in a zone', async () => {
    const { modelId } = await projectModel(sandbox, ['red']);
    const { body } = await sandbox.call<{ id: string }>('POST /materials/pantone', {
      name: 'Navy felt',
      pantoneCode: 'pms 289 c',
      hex: '#0C2340',
    });
    await sandbox.call('POST /colorway-batches', {
      swapRules: [{ matchText: 'body', matchMode: 'exact', materialId: body.id }],
      modelScope: { type: 'manual', modelIds: [modelId] },
    });
    sandbox.advance(10);
    const [, navy = ''] = await variantIdsOf(sandbox, modelId);
    const [page = ''] = await pagesOf(await exportedFile(sandbox, modelId, [navy]));
    expect(page).toContain('Material: Navy felt');
    expect(page).toContain('PANTONE 289 C');
    await sandbox.call(`PUT /materials/${body.id}/pantone`, { pantoneCode: null });
    expect((await startExport(sandbox, modelId, [navy])).status).toBe(201);
    await sandbox.call(`DELETE /materials/${body.id}`);
    expect((await startExport(sandbox, modelId, [navy])).status).toBe(202);
  });

  test('a file has one page for each variant, even with very long names', async () => {
    const name = `${'very '.repeat(80)}${'long'.repeat(200)} Стул 椅子 é ﬁ \u0000 <b>`;
    const { modelId, variantIds } = await projectModel(sandbox, [name, ' ']);
    await sandbox.call(`PATCH /models/${modelId}`, { name });
    const pages = await pagesOf(
      await exportedFile(sandbox, modelId, variantIds, { factoryNote: 'w'.repeat(500) }),
    );
    expect(pages).toHaveLength(2);
  });

  test('a file can have fifty variants', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `color ${index}`);
    const { modelId, variantIds } = await projectModel(sandbox, names);
    const route = `POST /models/${modelId}/production-files`;
    const { body } = await sandbox.call<ProductionFile>(route, { variantIds });
    expect(await pagesOf(body)).toHaveLength(50);
  });
});

describe('a draft', () => {
  const preview = (modelId: string, variantIds: readonly string[], options: object = {}) =>
    sandbox.call<{ html: string; warnings: string[] }>(
      `POST /models/${modelId}/production-files/preview`,
      { variantIds, options },
    );

  test('a draft is marked as such, neither has nor uses up a number, and stores no file', async () => {
    const { modelId, variantIds } = await decorated();
    const { status, body } = await preview(modelId, variantIds);
    expect(status).toBe(200);
    expect(body.html).toContain('DRAFT');
    expect(body.html).not.toContain('PF-');
    expect(await filesOf(sandbox, modelId)).toEqual([]);
    expect((await exportedFile(sandbox, modelId, variantIds)).documentNumber).toBe('PF-00001');
  });

  test('a draft contains warnings about missing data', async () => {
    const { modelId, variantIds } = await projectModel(sandbox, ['red']);
    const [variantId = ''] = variantIds;
    await putLogo(sandbox, { modelId, variantId }, await readyDecal(sandbox));
    const { warnings } = (await preview(modelId, variantIds)).body;
    for (const text of ['never captured', 'without a Pantone', 'no decoration method', 'no inks']) {
      expect(warnings.join('\n')).toContain(text);
    }
  });

  test('a draft shows pictures through signed links that expire', async () => {
    const { modelId, variantIds } = await decorated();
    await exportedFile(sandbox, modelId, variantIds);
    const { html } = (await preview(modelId, variantIds)).body;
    const links = [...html.matchAll(/src="([^"]+)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    );
    // Each variant has four views. The artwork and the close-up are added.
    expect(links).toHaveLength(10);
    for (const link of links) expect((await sandbox.request(link)).status).toBe(200);
    sandbox.advance(3600);
    for (const link of links) expect((await sandbox.request(link)).status).toBe(403);
  });

  test('a draft escapes all text', async () => {
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
    const modelId = await readyModel(sandbox, 'shirt.glb', triangleGlb([evil]));
    await sandbox.call(`PATCH /models/${modelId}`, { name: evil });
    const ids = await variantIdsOf(sandbox, modelId);
    const { html } = (await preview(modelId, ids, { factoryNote: evil })).body;
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img src=x');
    expect(html).toContain("default-src 'none'");
  });
});

test('a restart continues captures and keeps files and numbers', async () => {
  const data = mkdtempSync(join(tmpdir(), 'renderline-production-'));
  try {
    const before = new TestSandbox({ data, pictureScale: 0.05 });
    const modelId = await readyModel(before, 'shirt.glb', triangleGlb(['red', 'blue']));
    await createProject(before, [modelId]);
    const [red = '', blue = ''] = await variantIdsOf(before, modelId);
    const file = await exportedFile(before, modelId, [red]);
    const { body } = await startExport(before, modelId, [blue]);
    await before.sandbox.close();
    const after = new TestSandbox({ data, pictureScale: 0.05, clock: () => before.now });
    expect(await readExport(after, body.id)).toMatchObject({ status: 'CAPTURING' });
    await after.sandbox.idle();
    before.advance(captureSeconds);
    const ready = await readExport(after, body.id);
    expect(ready).toMatchObject({
      status: 'READY',
      productionFile: { documentNumber: 'PF-00002' },
    });
    const [, old] = await filesOf(after, modelId);
    expect(old).toMatchObject({ id: file.id, documentNumber: 'PF-00001' });
    expect((await after.request(old?.downloadUrl ?? '')).status).toBe(200);
    expect(await exportedFile(after, modelId, [red])).toMatchObject({ version: 2 });
    await after.sandbox.close();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});
