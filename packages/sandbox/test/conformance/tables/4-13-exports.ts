import { expect } from 'vitest';
import { createProject, readyModel } from '../_core-resources.ts';
import { exported, sheetModel, startExport, variantIds } from '../_production-resources.ts';
import { created, invalid, many, notFound, ok, type Row, type Table } from '../_rows.ts';
import {
  Preview,
  ProductionExport,
  ProductionExports,
  ProductionFile,
  ProductionFiles,
  ProductionViews,
} from '../_shapes-library.ts';

const requestRows = ['production-files/export', 'production-files', 'production-files/preview'].map(
  (path) => `POST /models/{model}/${path}`,
);

export const productionRequests: Table = {
  section: '4.13 requests: variants and options',
  rows: requestRows.flatMap((send): Row[] => [
    ...[
      {},
      { variantIds: [] },
      { variantIds: '{variant}' },
      { variantIds: [7] },
      { variantIds: null },
      { variantIds: many(51, (index) => `v-${index}`) },
    ].map((body): Row => ({ rule: 'variantIds contains 1-50 ids', send, body, is: invalid })),
    {
      rule: 'an unknown variant is refused',
      send,
      body: { variantIds: ['{absent}'] },
      is: notFound,
    },
    {
      rule: 'a variant of another model is refused',
      send: send.replace('{model}', '{otherModel}'),
      body: { variantIds: ['{variant}'] },
      is: notFound,
    },
    {
      rule: 'an unknown model is refused',
      send: send.replace('{model}', '{absent}'),
      body: { variantIds: ['{variant}'] },
      is: notFound,
    },
    ...[
      { captureMode: 'bright' },
      { captureMode: 'FLAT' },
      { recaptureAll: 'yes' },
      { includeSideViews: 1 },
      { includeDetailPages: 'no' },
      { factoryNote: 'x'.repeat(501) },
      { factoryNote: 7 },
    ].map(
      (options): Row => ({
        rule: 'invalid options are refused',
        send,
        body: { variantIds: ['{variant}'], options },
        is: invalid,
      }),
    ),
  ]),
};

export const productionExports: Table = {
  section: '4.13 exports, 3.4, 2.15',
  rows: [
    {
      rule: 'an export without views is CAPTURING, then READY with its file',
      check: async (p) => {
        const { path, red, modelId } = await sheetModel(p);
        const started = await startExport(p, path, [red]);
        expect(started).toMatchObject({
          status: 'CAPTURING',
          variantIds: [red],
          capturingVariantIds: [red],
          productionFile: null,
        });
        const ended = await p.until(
          () => p.ok(`GET /production-file-exports/${started.id}`, ProductionExport),
          ({ status }) => status !== 'CAPTURING',
          10,
        );
        expect(ended).toMatchObject({
          status: 'READY',
          productionFile: { modelId, variantIds: [red], version: 1 },
        });
      },
    },
    {
      rule: 'an export with current views is READY immediately, with its file and without an id',
      check: async (p) => {
        const { path, red } = await sheetModel(p);
        await exported(p, path, [red]);
        const again = await startExport(p, path, [red]);
        expect(again).toMatchObject({ id: null, status: 'READY', capturingVariantIds: [] });
        expect(again.productionFile?.version).toBe(2);
      },
    },
    {
      rule: 'only missing views are captured, unless recaptureAll or another captureMode is given',
      check: async (p) => {
        const { path, red, blue } = await sheetModel(p);
        await exported(p, path, [red]);
        const both = await startExport(p, path, [red, blue]);
        expect(both).toMatchObject({ status: 'CAPTURING', capturingVariantIds: [blue] });
        await p.advance(600);
        expect((await startExport(p, path, [red, blue])).status).toBe('READY');
        const all = await startExport(p, path, [red, blue], { recaptureAll: true });
        expect(all.capturingVariantIds.toSorted()).toEqual([red, blue].toSorted());
        await p.advance(600);
        const lit = await startExport(p, path, [red], { captureMode: 'lit' });
        expect(lit).toMatchObject({ status: 'CAPTURING', capturingVariantIds: [red] });
        await p.advance(600);
        const { productionViews } = await p.ok(`GET ${path}/production-views`, ProductionViews);
        expect(productionViews.find(({ variantId }) => variantId === red)?.captureMode).toBe('lit');
        expect((await startExport(p, path, [red], { captureMode: 'lit' })).status).toBe('READY');
        expect((await startExport(p, path, [red])).status).toBe('CAPTURING');
      },
    },
    {
      rule: 'the same export, sent again while CAPTURING, returns the running export',
      check: async (p) => {
        const { path, red, blue } = await sheetModel(p);
        const one = await startExport(p, path, [red, blue]);
        const two = await startExport(p, path, [red, blue]);
        expect([two.id, two.status]).toEqual([one.id, 'CAPTURING']);
        const { exports } = await p.ok(`GET ${path}/production-file-exports`, ProductionExports);
        expect(exports.map(({ id }) => id)).toEqual([one.id]);
      },
    },
    {
      rule: 'an export of a model without a project is FAILED, with a reason',
      check: async (p) => {
        const modelId = await readyModel(p, 'no project.glb');
        const [variant = ''] = await variantIds(p, modelId);
        const failed = await startExport(p, `/models/${modelId}`, [variant]);
        expect(failed).toMatchObject({
          status: 'FAILED',
          productionFile: null,
          reason: expect.stringMatching(/project/i),
        });
      },
    },
    {
      rule: 'exports that are CAPTURING, or FAILED within 24 hours, are listed newest first',
      only: 'moves the clock',
      check: async (p) => {
        const modelId = await readyModel(p, 'listed.glb');
        const [red = '', blue = ''] = await variantIds(p, modelId);
        const path = `/models/${modelId}`;
        const listed = async () =>
          (await p.ok(`GET ${path}/production-file-exports`, ProductionExports)).exports;
        expect(await listed()).toEqual([]);
        const failed = await startExport(p, path, [red]);
        await p.advance(1);
        await createProject(p, [modelId]);
        const running = await startExport(p, path, [red, blue]);
        expect((await listed()).map(({ id }) => id)).toEqual([running.id, failed.id]);
        await p.advance(600);
        expect((await listed()).map(({ status }) => status)).toEqual(['FAILED']);
        await p.advance(86_400);
        expect(await listed()).toEqual([]);
      },
    },
    {
      rule: 'an unknown export is refused',
      send: 'GET /production-file-exports/{absent}',
      is: notFound,
    },
    {
      rule: 'ids are accepted with or without braces or dashes',
      check: async (p) => {
        const { path, red } = await sheetModel(p);
        const file = await exported(p, path, [red]);
        for (const form of [`{${red}}`, red.replaceAll('-', ''), `{${red.replaceAll('-', '')}}`]) {
          const shown = await exported(p, path, [form]);
          expect(shown.documentNumber).toBe(file.documentNumber);
          expect(shown.variantIds).toEqual(file.variantIds);
        }
      },
    },
  ],
};

export const productionFiles: Table = {
  section: '4.13 production files and previews, 2.15',
  rows: [
    {
      rule: 'a file is created immediately without a capture, and files are listed newest first',
      check: async (p) => {
        const { path, red, blue, modelId } = await sheetModel(p);
        const create = (ids: string[]) =>
          p.ok(`POST ${path}/production-files`, ProductionFile, { variantIds: ids });
        await p.meets(
          `POST ${path}/production-files`,
          { body: { variantIds: [red] } },
          created(ProductionFile, { modelId, variantIds: [red], version: 1 }),
        );
        await p.advance(1);
        await create([blue]);
        const { productionFiles: files } = await p.ok(
          `GET ${path}/production-files`,
          ProductionFiles,
        );
        expect(files.map(({ variantIds: ids }) => ids)).toEqual([[blue], [red]]);
        const { productionViews } = await p.ok(`GET ${path}/production-views`, ProductionViews);
        expect(productionViews).toEqual([]);
        const { exports } = await p.ok(`GET ${path}/production-file-exports`, ProductionExports);
        expect(exports).toEqual([]);
      },
    },
    {
      rule: 'a set of variants keeps its document number and counts versions; a new set gets the next number',
      on: {},
      check: async (p) => {
        const [one, two] = [await sheetModel(p), await sheetModel(p)];
        const number = async (path: string, ids: string[]) => {
          const { documentNumber, version } = await p.ok(
            `POST ${path}/production-files`,
            ProductionFile,
            { variantIds: ids },
          );
          return [documentNumber, version] as const;
        };
        const [a] = await number(one.path, [one.red]);
        const [b] = await number(one.path, [one.red, one.blue]);
        const [c] = await number(two.path, [two.red]);
        expect(new Set([a, b, c]).size).toBe(3);
        expect(await number(one.path, [one.red])).toEqual([a, 2]);
        expect(await number(one.path, [one.blue, one.red])).toEqual([b, 2]);
        expect(await number(two.path, [two.red])).toEqual([c, 2]);
        expect(await number(one.path, [one.red])).toEqual([a, 3]);
        const numbers = [a, b, c].map((text) => Number(/\d+$/.exec(text)?.[0]));
        expect(numbers).toEqual([numbers[0], (numbers[0] ?? 0) + 1, (numbers[0] ?? 0) + 2]);
      },
    },
    {
      rule: 'variantNames contains the names of all variantIds',
      check: async (p) => {
        const { path, red, blue } = await sheetModel(p);
        const file = await p.ok(`POST ${path}/production-files`, ProductionFile, {
          variantIds: [red, blue],
        });
        expect([file.variantIds.length, file.variantNames]).toEqual([2, ['Red', 'Blue']]);
      },
    },
    {
      rule: 'downloadUrl serves a PDF attachment without a key for one hour; the list has a fresh URL',
      only: 'moves the clock',
      check: async (p) => {
        const { path, red } = await sheetModel(p);
        const { downloadUrl } = await p.ok(`POST ${path}/production-files`, ProductionFile, {
          variantIds: [red],
        });
        const { status, headers, bytes } = await p.file(downloadUrl);
        expect([status, headers.get('content-type'), bytes.subarray(0, 5).toString()]).toEqual([
          200,
          'application/pdf',
          '%PDF-',
        ]);
        expect(headers.get('content-disposition')).toMatch(/^attachment/);
        await p.advance(3590);
        expect((await p.file(downloadUrl)).status).toBe(200);
        await p.advance(20);
        expect((await p.file(downloadUrl)).status).toBe(403);
        const {
          productionFiles: [file],
        } = await p.ok(`GET ${path}/production-files`, ProductionFiles);
        expect((await p.file(file?.downloadUrl ?? '')).status).toBe(200);
      },
    },
    ...[
      {},
      { captureMode: 'lit' },
      { recaptureAll: false, includeSideViews: false, includeDetailPages: false },
      { factoryNote: 'x'.repeat(500) },
    ].map(
      (options): Row => ({
        rule: 'valid options are accepted',
        send: 'POST /models/{model}/production-files',
        body: { variantIds: ['{variant}'], options },
        is: created(ProductionFile),
      }),
    ),
    {
      rule: 'a preview is HTML marked DRAFT, with warnings; it stores no file and counts no version',
      on: {},
      check: async (p) => {
        const { path, red } = await sheetModel(p);
        const body = { variantIds: [red] };
        const { html, warnings } = await p.ok(
          `POST ${path}/production-files/preview`,
          Preview,
          body,
        );
        expect(html).toContain('DRAFT');
        expect(warnings.length).toBeGreaterThan(0);
        expect(
          (await p.ok(`GET ${path}/production-files`, ProductionFiles)).productionFiles,
        ).toEqual([]);
        const one = await p.ok(`POST ${path}/production-files`, ProductionFile, body);
        expect(one.version).toBe(1);
        await p.ok(`POST ${path}/production-files/preview`, Preview, body);
        expect((await p.ok(`POST ${path}/production-files`, ProductionFile, body)).version).toBe(2);
      },
    },
    {
      rule: 'image links in a preview expire',
      only: 'moves the clock',
      check: async (p) => {
        const { path, red } = await sheetModel(p);
        const { html } = await p.ok(`POST ${path}/production-files/preview`, Preview, {
          variantIds: [red],
        });
        const links = [...html.matchAll(/<img[^>]*\bsrc="(https?:[^"]+)"/g)].map(([, url = '']) =>
          url.replaceAll('&amp;', '&'),
        );
        expect(links.length).toBeGreaterThan(0);
        for (const url of links) expect((await p.file(url)).status, url).toBe(200);
        await p.advance(3700);
        for (const url of links) expect((await p.file(url)).status, url).toBe(403);
      },
    },
    {
      rule: 'a model without production files has an empty list',
      send: 'GET /models/{otherModel}/production-files',
      is: ok(ProductionFiles, { productionFiles: [] }),
    },
    ...['production-files', 'production-file-exports', 'production-views'].map(
      (list): Row => ({
        rule: 'an unknown model is refused',
        send: `GET /models/{absent}/${list}`,
        is: notFound,
      }),
    ),
  ],
};
