// Production files from a model to a checked PDF in a folder, with a test clock.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDocumentProxy } from 'unpdf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { createInspector } from '../../src/features/delivery/inspect-output.ts';
import type { Plan } from '../../src/plan/types.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
beforeEach(async () => {
  run = await SandboxRun.start();
});
afterEach(() => run.stop());

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const red = '{ id: v, type: variant, parentIds: [ready], config: { choose: { names: [Red] } } }';
const sheets = (parent: string, config = '') =>
  `{ id: e, type: export, parentIds: [${parent}], config: { connector: out, what: [production_files]${config} } }`;

function plan(...nodes: string[]): Plan {
  const one = planOf(withNodes(ready, ...nodes));
  return { ...one, connectors: { ...one.connectors, out: { type: 'local', path: run.folder } } };
}

const shirt = () => run.asset('shirt', triangleGlb(['Red', 'Blue']));

async function sheetText(path: string): Promise<{ pages: number; text: string }> {
  const document = await getDocumentProxy(new Uint8Array(await readFile(join(run.folder, path))));
  const pages = await Promise.all(
    Array.from({ length: document.numPages }, async (_, index) => {
      const { items } = await (await document.getPage(index + 1)).getTextContent();
      return items.map((item: object) => ('str' in item ? item.str : '')).join(' ');
    }),
  );
  return { pages: document.numPages, text: pages.join('\n') };
}

describe('a production file', () => {
  it('a production file shows the chosen variants and needs no paid render', async () => {
    const [settled] = await run.runPlan(
      plan(red, sheets('v', ', production: { factoryNote: Handle with care }')),
      [await shirt()],
    );
    expect(settled?.failure).toBeNull();
    expect(settled?.files.map(({ path }) => path)).toEqual(['shirt/PF-00001-v1.pdf']);
    const { pages, text } = await sheetText('shirt/PF-00001-v1.pdf');
    expect(pages).toBeGreaterThan(0);
    expect(text).toContain('Red');
    expect(text).not.toContain('Blue');
    expect(text).toContain('Handle with care');
    expect(run.requests()).toMatchObject({ createProjects: 1, exportProductionFile: 1 });
    expect(run.requests()).not.toHaveProperty('createRenders');
  });

  it('a production file shows all variants if none was chosen', async () => {
    const [settled] = await run.runPlan(plan(sheets('ready')), [await shirt()]);
    const { text } = await sheetText(settled?.files[0]?.path ?? '');
    expect(text).toContain('Red');
    expect(text).toContain('Blue');
  });

  it('a production file can be named after its chosen variant', async () => {
    const named = sheets('v', ', naming: "{{ key }}-{{ variant }}.{{ ext }}"');
    const [settled] = await run.runPlan(plan(red, named), [await shirt()]);
    expect(settled?.files.map(({ path }) => path)).toEqual(['shirt-Red.pdf']);
  });

  it('a production file is delivered with the pictures if both are exported', async () => {
    const shots =
      '{ id: s, type: render, parentIds: [v], config: { settings: { renderShots: false } } }';
    const both = sheets('s', ', verify: { notBlank: false }').replace('[prod', '[renders, prod');
    const [settled] = await run.runPlan(plan(red, shots, both), [await shirt()]);
    expect(settled?.failure).toBeNull();
    expect(settled?.files.map(({ path }) => path.split('.').at(-1))).toEqual(['png', 'pdf']);
    expect(run.requests()).toMatchObject({ createProjects: 1, createRenders: 1 });
  });

  it('during its captures, a production file is polled every few seconds instead of every second', async () => {
    await run.runPlan(plan(sheets('ready')), [await shirt()]);
    const looks = run.requests()['getProductionFileExport'] ?? 0;
    expect(looks).toBeGreaterThan(5);
    expect(looks).toBeLessThanOrEqual(32);
  });

  it('a production file that an earlier run has created is not requested again', async () => {
    const one = plan(sheets('ready'));
    const [first] = await run.runPlan(one, [await shirt()]);
    run.requests();
    const { key, source, platformIds } = first ?? ({} as never);
    const [again] = await run.runPlan(one, [{ key, source, platformIds }]);
    expect(again?.files).toHaveLength(1);
    expect(run.requests()).toEqual({ listProductionFiles: 1 });
  });

  it("a production file that the platform cannot create fails with the platform's reason, and its id is forgotten", async () => {
    await run.control('limits', { captures: 0 });
    const one = plan(sheets('ready'));
    const [failed] = await run.runPlan(one, [await shirt()]);
    expect(failed?.failure).toMatchObject({
      code: 'PRODUCTION_FAILED',
      message: expect.stringContaining('Requested: 2; left: 0'),
    });
    expect(failed?.platformIds.sheet).toBeUndefined();
  });

  it('a production file whose captures all fail is reported with the reason', async () => {
    await run.control('faults', [{ capture: '*', do: { failure: 'no camera' } }]);
    const [failed] = await run.runPlan(plan(sheets('ready')), [await shirt()]);
    expect(failed?.failure).toMatchObject({
      code: 'PRODUCTION_FAILED',
      message: expect.stringContaining('no camera'),
    });
  });

  it('a production file that never completes fails at its deadline but keeps its export id', async () => {
    await run.control('faults', [{ capture: '*', do: { durationMs: 1e9 } }]);
    const one = plan(sheets('ready').replace('type: export', 'type: export, timeout: 10m'));
    const [failed] = await run.runPlan(one, [await shirt()]);
    expect(failed?.failure).toMatchObject({ code: 'PRODUCTION_TIMEOUT' });
    expect(failed?.platformIds.sheet?.exportId).toBeDefined();
  });
});

describe('checking a PDF', () => {
  const output = {
    id: 'f',
    name: 'PF-00001-v1',
    fileType: 'PDF',
    isVideo: false,
    isPreview: false,
  };

  async function verdict(change: (bytes: Buffer) => Buffer): Promise<string> {
    const [settled] = await run.runPlan(plan(sheets('ready')), [await shirt()]);
    const file = join(run.folder, settled?.files[0]?.path ?? '');
    const changed = join(run.folder, 'changed.pdf');
    await writeFile(changed, change(await readFile(file)));
    return createInspector(output, { notBlank: true })(changed, '').then(
      () => 'good',
      (error: Error) => error.message,
    );
  }

  it.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ['as delivered is accepted', (bytes) => bytes, /^good$/],
    ['that lacks its end is refused', (bytes) => bytes.subarray(0, -200), /its trailer is missing/],
    ['that is empty is refused', () => Buffer.alloc(0), /is not a PDF/],
    [
      'that is actually a web page is refused',
      () => Buffer.from('<html>no</html>'),
      /is not a PDF/,
    ],
    [
      'that has no pages is refused',
      (bytes) =>
        Buffer.from(
          bytes.toString('latin1').replaceAll('/Type /Page\n', '/Type /Pagf\n'),
          'latin1',
        ),
      /without a page/,
    ],
    [
      'that lacks bytes in the middle is refused',
      (bytes) => Buffer.concat([bytes.subarray(0, 300), bytes.subarray(900)]),
      /is damaged|is a damaged/,
    ],
  ])('a PDF %s', async (_, change, message) => {
    expect(await verdict(change)).toMatch(message);
  });
});
