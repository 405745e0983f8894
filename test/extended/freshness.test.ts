// Results older than the pipeline allows are made again, from the stage that is too old; `plan` shows them, with costs.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AssetRecord } from '../../src/store/records/records.ts';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createdBetween,
  createPipelineFolder,
  type PipelineFolder,
  type RunReport,
  reportOf,
  runArguments,
  useProduct,
} from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);

const dayMs = 24 * 3_600_000;
const command = (args: string[]) => runInProcess(args, product.env);
const runToEnd = async (place: PipelineFolder): Promise<RunReport> =>
  reportOf(await command(runArguments(place, '--wait', '--json')));

async function planned(place: PipelineFolder) {
  const [, ...given] = runArguments(place);
  const { stdout, stderr, code } = await command(['plan', ...given, '--json']);
  expect(code, stderr + stdout).toBe(0);
  return JSON.parse(stdout) as { renders: number; assets: object; startPoints: object[] };
}

async function bookedBy<T>(work: () => Promise<T>) {
  const before = await product.sandbox.stats();
  const result = await work();
  const { renderJobs: renders, ...made } = createdBetween(before, await product.sandbox.stats());
  return { result, booked: { ...made, renders } };
}

async function change(place: PipelineFolder, was: string, is: string): Promise<void> {
  const text = await readFile(place.file, 'utf8');
  expect(text).toContain(was);
  await writeFile(place.file, text.replace(was, is));
}

/** Changes the records as if they had been written this number of days earlier. */
async function later(place: PipelineFolder, days: number): Promise<void> {
  const folder = join(place.out, '.renderline/pictures/records');
  const before = (iso: string) => new Date(Date.parse(iso) - days * dayMs).toISOString();
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const record = JSON.parse(await readFile(path, 'utf8')) as AssetRecord;
    const made = Object.entries(record.made ?? {}).map(([stage, at]) => [stage, before(at)]);
    const older = { ...record, finishedAt: before(record.finishedAt) };
    const all = made.length > 0 ? { ...older, made: Object.fromEntries(made) } : older;
    await writeFile(path, JSON.stringify(all));
  }
}

async function delivered(name: string): Promise<{ place: PipelineFolder; keys: string[] }> {
  const place = await createPipelineFolder(name);
  const keys = names(name, 2);
  await writeModels(place.folder, keys);
  expect((await runToEnd(place)).assets).toMatchObject({ complete: 2 });
  return { place, keys };
}

const renderNode = '    timeout: 6h\n';

test('renders that are too old are repeated once, from their existing projects', async () => {
  const { place, keys } = await delivered('aged');
  await change(place, renderNode, `${renderNode}    redo: { olderThan: 90d }\n`);
  await later(place, 89);
  expect(await planned(place)).toMatchObject({ renders: 0, startPoints: [] });
  expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 2 });

  await later(place, 2);
  expect(await planned(place)).toMatchObject({
    renders: 2,
    assets: { changed: 2, unchanged: 0 },
    startPoints: [{ startStage: 'render', assets: 2, olderThan: '90d' }],
  });
  const [, ...given] = runArguments(place);
  const words = await command(['plan', ...given]);
  expect(words.stdout).toContain('repeated  older than 90d: 2 files begin with the render');
  const { result, booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual({ models: 0, projects: 0, renders: 2 });
  expect(result.paid).toMatchObject({ renders: 2, models: 0 });
  expect(result.files.map(({ path }) => path).sort()).toEqual(keys.map((key) => `${key}.png`));

  expect(await planned(place)).toMatchObject({ renders: 0, startPoints: [] });
  const again = await bookedBy(() => runToEnd(place));
  expect(again.booked).toEqual({ models: 0, projects: 0, renders: 0 });
  expect(again.result.assets).toMatchObject({ complete: 0, unchanged: 2 });
});

test('a project that is too old is created again together with its renders, while files alone cost nothing', async () => {
  const { place } = await delivered('aged-project');
  await change(
    place,
    'config: { default: Studio White } }',
    'redo: { olderThan: 30d }, config: { default: Studio White } }',
  );
  await later(place, 31);
  expect(await planned(place)).toMatchObject({
    renders: 2,
    startPoints: [{ startStage: 'composition' }],
  });
  const { booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual({ models: 0, projects: 2, renders: 2 });

  // The model is as old as before, the project is not.
  await change(place, 'redo: { olderThan: 30d }, ', '');
  await change(place, 'type: export\n', 'type: export\n    redo: { olderThan: 7d }\n');
  await later(place, 8);
  expect(await planned(place)).toMatchObject({
    renders: 0,
    startPoints: [{ startStage: 'delivery', assets: 2, olderThan: '7d' }],
  });
  const files = await bookedBy(() => runToEnd(place));
  expect(files.booked).toEqual({ models: 0, projects: 0, renders: 0 });
  expect(files.result.assets).toMatchObject({ complete: 2 });
  expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 2 });
});

test('if a render fails, the old picture stays in place, and the next run continues', async () => {
  const { place, keys } = await delivered('aged-failed');
  await change(place, renderNode, `${renderNode}    redo: { olderThan: 90d }\n`);
  await change(place, 'maxRetries: 2', 'maxRetries: 0');
  await later(place, 91);
  await product.sandbox.set('faults', [{ render: '**', do: { failure: 'no light' } }]);
  const failed = reportOf(await command(runArguments(place, '--wait', '--json')), 1);
  await product.sandbox.set('faults', []);
  expect(failed.assets).toMatchObject({ complete: 0, failed: 2 });
  const pictures = await readdir(place.out);
  expect(pictures).toEqual(expect.arrayContaining(keys.map((key) => `${key}.png`)));
  expect(await planned(place)).toMatchObject({
    startPoints: [{ startStage: 'render', assets: 2 }],
  });
  const { booked, result } = await bookedBy(() => runToEnd(place));
  // The jobs that failed are retried.
  expect(booked).toEqual({ models: 0, projects: 0, renders: 0 });
  expect(result.paid).toMatchObject({ renders: 2 });
  expect(result.assets).toMatchObject({ complete: 2 });
  expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 2 });
});

test('changing the file names does not make a render younger', async () => {
  const { place } = await delivered('aged-renamed');
  await change(place, renderNode, `${renderNode}    redo: { olderThan: 90d }\n`);
  await later(place, 60);
  await change(place, '{{ key }}.{{ ext }}', 'web/{{ key }}.{{ ext }}');
  const { booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual({ models: 0, projects: 0, renders: 0 });
  await later(place, 31);
  expect(await planned(place)).toMatchObject({
    renders: 2,
    startPoints: [{ startStage: 'render' }],
  });
});
