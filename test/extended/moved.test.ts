// Files that were moved or renamed: with `identity: content` their earlier work is reused, without cost.
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { writeModels } from '../system/_models.ts';
import {
  createdBetween,
  createPipelineFolder,
  type PipelineFolder,
  type RunReport,
  reportOf,
  requestsBesideTemplates,
  runArguments,
  useProduct,
} from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);

const command = (args: string[]) => runInProcess(args, product.env);
const runToEnd = async (place: PipelineFolder) =>
  reportOf(await command(runArguments(place, '--wait', '--json')));

async function answered(place: PipelineFolder, name: string, ...more: string[]): Promise<object> {
  const [, ...given] = runArguments(place, ...more);
  const { stdout, stderr, code } = await command([name, ...given, '--json']);
  expect(code, stderr + stdout).toBe(0);
  return JSON.parse(stdout) as object;
}

/** What the platform created while `work` ran. */
async function bookedBy<T>(work: () => Promise<T>) {
  const before = await product.sandbox.stats();
  const result = await work();
  return { result, booked: createdBetween(before, await product.sandbox.stats()) };
}

const nothing = { models: 0, projects: 0, renderJobs: 0 };
const once = (assets: number) => ({ models: assets, projects: assets, renderJobs: assets });

/** Names of the delivered files, with slashes. */
async function delivered({ out }: PipelineFolder): Promise<string[]> {
  const found = await readdir(out, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.renderline'))
    .map((entry) => join(entry.parentPath, entry.name).slice(out.length + 1))
    .sort();
}

const recordsOf = async ({ out }: PipelineFolder) =>
  (await readdir(join(out, '.renderline/pictures/records'))).map((name) => name.split('@')[0]);

async function identify(place: PipelineFolder, identity: 'path' | 'content'): Promise<void> {
  const text = await readFile(place.file, 'utf8');
  await writeFile(place.file, text.replace('stableFor:', `identity: ${identity}, stableFor:`));
}

/** A pipeline that has delivered three files of a folder. */
async function kitchen(name: string, identity: 'path' | 'content') {
  const place = await createPipelineFolder(name);
  await identify(place, identity);
  const things = ['bowl', 'cup', 'mug'].map((thing) => `${name}-${thing}`);
  await writeModels(join(place.folder, 'kitchen'), things);
  return { place, things, first: await runToEnd(place) };
}

const hashesIn = ({ files }: RunReport, folder: string) =>
  Object.fromEntries(files.map(({ key, sha256 }) => [key.replace(`${folder}/`, ''), sha256]));

describe('with identity: content', () => {
  test('the files of a moved folder are delivered under their new names, and nothing is paid for', async () => {
    const { place, things, first } = await kitchen('content', 'content');
    await rename(join(place.folder, 'kitchen'), join(place.folder, 'tableware'));

    expect(await answered(place, 'plan')).toMatchObject({
      assets: { total: 3, new: 0, changed: 3 },
      renders: 0,
      requests: { total: 0 },
      moved: {
        assets: 3,
        free: 3,
        isTaken: true,
        first: things.map((thing) => ({
          key: `tableware/${thing}`,
          from: `kitchen/${thing}`,
          startStage: 'delivery',
        })),
        read: { files: 3 },
      },
    });
    const [, ...given] = runArguments(place);
    const words = (await command(['plan', ...given])).stdout;
    expect(words).toContain(`kitchen/content-mug → tableware/content-mug, at no cost`);

    const { result, booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    expect(requestsBesideTemplates(result)).toEqual({});
    expect(result.paid).toMatchObject({ renders: 0, models: 0 });
    expect(hashesIn(result, 'tableware')).toEqual(hashesIn(first, 'kitchen'));
    expect(await delivered(place)).toEqual(things.map((thing) => `tableware/${thing}.png`));
    expect(await recordsOf(place)).toEqual(things.map((thing) => `tableware+${thing}`));
    const explained = await command(['explain', 'tableware/content-mug', ...given]);
    expect(explained.stdout).toContain('moved from kitchen/content-mug');

    expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 3 });
    await rename(join(place.folder, 'tableware'), join(place.folder, 'kitchen'));
    const back = await bookedBy(() => runToEnd(place));
    expect(back.booked).toEqual(nothing);
    expect(await delivered(place)).toEqual(things.map((thing) => `kitchen/${thing}.png`));
  });

  test('files that have swapped their names keep their own work', async () => {
    const { place, first } = await kitchen('swap', 'content');
    const pathOf = (thing: string) => join(place.folder, `kitchen/swap-${thing}.glb`);
    await rename(pathOf('mug'), pathOf('spare'));
    await rename(pathOf('cup'), pathOf('mug'));
    await rename(pathOf('spare'), pathOf('cup'));
    expect(await answered(place, 'plan')).toMatchObject({ renders: 0, moved: { free: 2 } });
    const { result, booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    const [was, is] = [hashesIn(first, 'kitchen'), hashesIn(result, 'kitchen')];
    expect(is).toEqual({ 'swap-cup': was['swap-mug'], 'swap-mug': was['swap-cup'] });
    expect(await delivered(place)).toEqual(first.files.map(({ path }) => path).sort());
    expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 3 });
  });

  test('only some of the moved files are taken, within limits on paid work', async () => {
    const { place } = await kitchen('part', 'content');
    await rename(join(place.folder, 'kitchen'), join(place.folder, 'tableware'));
    const key = 'tableware/part-mug';
    const some = ['--only', key, '--limit', 'renders=1', '--limit', 'models=1', '--yes'];
    const args = runArguments(place, ...some, '--wait', '--json');
    const { result, booked } = await bookedBy(async () => reportOf(await command(args)));
    expect(booked).toEqual(nothing);
    expect(result.files).toMatchObject([{ key, path: `${key}.png` }]);
    const rest = ['kitchen/part-bowl.png', 'kitchen/part-cup.png'];
    expect(await delivered(place)).toEqual([...rest, `${key}.png`]);
    expect(await answered(place, 'plan')).toMatchObject({ renders: 0, moved: { free: 2 } });
  });

  test('moved files start at the stage that the pipeline has changed', async () => {
    const { place, things } = await kitchen('changed', 'content');
    await rename(join(place.folder, 'kitchen'), join(place.folder, 'tableware'));
    const text = await readFile(place.file, 'utf8');
    await writeFile(place.file, text.replace('Studio White', 'Hero Dark'));
    expect(await answered(place, 'plan')).toMatchObject({
      renders: 3,
      startPoints: [{ startStage: 'composition', assets: 3 }],
      moved: { assets: 3, free: 0 },
    });
    const { booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual({ models: 0, projects: 3, renderJobs: 3 });
    expect(await delivered(place)).toEqual(things.map((thing) => `tableware/${thing}.png`));
    expect(await recordsOf(place)).toEqual(things.map((thing) => `tableware+${thing}`));
    expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 3 });
  });

  test('a copy is reported and paid for', async () => {
    const { place } = await kitchen('copy', 'content');
    await cp(
      join(place.folder, 'kitchen/copy-mug.glb'),
      join(place.folder, 'kitchen/copy-two.glb'),
    );
    expect(await answered(place, 'plan')).toMatchObject({
      renders: 1,
      moved: { assets: 0, copies: [{ key: 'kitchen/copy-two', original: 'kitchen/copy-mug' }] },
    });
    const { result, booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(once(1));
    expect(result.warnings).toMatchObject([
      { message: expect.stringContaining('kitchen/copy-two is a copy of kitchen/copy-mug') },
    ]);
    expect(await delivered(place)).toHaveLength(4);
  });
});

test('with identity: path, a moved folder is paid for again, and a note mentions the option', async () => {
  const { place, things } = await kitchen('path', 'path');
  await rename(join(place.folder, 'kitchen'), join(place.folder, 'tableware'));
  const hint = 'with `identity: content` they continue that work, and nothing is paid for again';
  expect(await answered(place, 'plan')).toMatchObject({
    assets: { new: 3 },
    renders: 3,
    moved: { assets: 3, free: 0, isTaken: false },
  });
  const [, ...given] = runArguments(place);
  expect((await command(['plan', ...given])).stdout).toContain(hint);
  const { result, booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual(once(3));
  expect(result.warnings).toMatchObject([{ key: 'take', message: expect.stringContaining(hint) }]);
  const both = things.flatMap((thing) => [`kitchen/${thing}.png`, `tableware/${thing}.png`]);
  expect(await delivered(place)).toEqual(both.sort());
  await rm(place.root, { recursive: true });
});
