// Withdrawn assets, whose source is gone: their files are archived, deleted or kept, as `plan` shows before, and if a
// source comes back, its work is not paid for again.
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AssetRecord } from '../../src/store/records/records.ts';
import { clean, createGridFolder, paint, rowsOf, writeTable } from '../system/_colorway-grid.ts';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
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

interface Withdrawn {
  assets: number;
  archived: number;
  deleted: number;
}

interface Planned {
  assets: Record<string, number>;
  renders: number;
  withdraws:
    | (Withdrawn & {
        files: { key: string; path: string; to: string | null }[];
        warnings: { key: string; message: string }[];
      })
    | null;
}

type Report = RunReport & { withdrawn: Withdrawn | null };

const command = (args: string[]) => runInProcess(args, product.env);

async function runToEnd(place: PipelineFolder, ...more: string[]): Promise<Report> {
  return reportOf(await command(runArguments(place, '--wait', '--json', ...more))) as Report;
}

async function planned(place: PipelineFolder, ...more: string[]): Promise<Planned> {
  const [, ...given] = runArguments(place);
  const { stdout, stderr, code } = await command(['plan', ...given, '--json', ...more]);
  expect(code, stderr + stdout).toBe(0);
  return JSON.parse(stdout) as Planned;
}

/** What the platform created while `work` ran, by its statistics. */
async function bookedBy<T>(work: () => Promise<T>) {
  const before = await product.sandbox.stats();
  const result = await work();
  const { renderJobs: renders, ...made } = createdBetween(before, await product.sandbox.stats());
  return { result, booked: { ...made, renders } };
}

const nothing = { models: 0, projects: 0, renders: 0 };

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.renderline'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** A pipeline that has delivered pictures of its models, and the paths of the first. */
async function delivered(name: string, policy: string | null, models = 3) {
  const place = await createPipelineFolder(name);
  const said = policy === null ? '' : `withdrawn: ${policy}, `;
  const text = await readFile(place.file, 'utf8');
  await writeFile(place.file, text.replace('connector: pictures,', `connector: pictures, ${said}`));
  const keys = names(name, models);
  await writeModels(place.folder, keys);
  const first = await runToEnd(place);
  expect(first.assets).toMatchObject({ complete: models });
  const [one = ''] = keys;
  const model = join(place.folder, `${one}.glb`);
  const away = join(place.root, `${one}.glb`);
  return { place, keys, one, model, away, first };
}

const pictures = (keys: readonly string[]) => keys.map((key) => `${key}.png`);

describe('a model that is gone', () => {
  test('a model that is gone is archived, and is restored from the archive when it comes back', async () => {
    const { place, keys, one, model, away, first } = await delivered('archived', 'archive');
    await rename(model, away);
    expect((await planned(place)).withdraws).toEqual({
      assets: 1,
      archived: 1,
      deleted: 0,
      files: [{ key: one, path: `${one}.png`, to: `archive/${one}.png` }],
      warnings: [],
    });
    const [, ...given] = runArguments(place);
    const words = await command(['plan', ...given]);
    expect(words.stdout).toContain('withdraws 1 file of 1 withdrawn model goes to archive/');

    const { result, booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    expect(result).toMatchObject({
      outcome: 'complete',
      assets: { total: 2, unchanged: 2 },
      withdrawn: { assets: 1, archived: 1, deleted: 0 },
      warnings: [],
    });
    expect(result.requests.byOperation).toEqual({});
    const others = keys.slice(1);
    expect(await filesIn(place.out)).toEqual([`archive/${one}.png`, ...pictures(others)]);

    const why = await command(['explain', one, ...given]);
    expect(why.stdout).toMatch(/withdrawn \S+ \S+ by \S+: 1 file of 1 asset: 1 to archive\//);

    // The next run has nothing left to withdraw.
    expect((await planned(place)).withdraws).toMatchObject({ assets: 0, files: [] });
    expect((await runToEnd(place)).withdrawn).toBeNull();

    await rename(away, model);
    expect(await planned(place)).toMatchObject({ renders: 0, assets: { changed: 1 } });
    const back = await bookedBy(() => runToEnd(place));
    expect(back.booked).toEqual(nothing);
    expect(requestsBesideTemplates(back.result)).toEqual({});
    expect(await filesIn(place.out)).toEqual(pictures(keys));
    const hashOf = (report: Report) => report.files.find(({ key }) => key === one)?.sha256;
    expect(hashOf(back.result)).toBe(hashOf(first));
    expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 3 });
  });

  test('a model that is gone is deleted, and is delivered from the platform without a new render when it comes back', async () => {
    const { place, keys, one, model, away } = await delivered('deleted', 'delete');
    await rename(model, away);
    expect((await planned(place)).withdraws).toMatchObject({
      deleted: 1,
      files: [{ key: one, path: `${one}.png`, to: null }],
    });
    const { result, booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    expect(result.withdrawn).toEqual({ assets: 1, archived: 0, deleted: 1 });
    expect(await filesIn(place.out)).toEqual(pictures(keys.slice(1)));

    await rename(away, model);
    // The copy has another modification time.
    await utimes(model, new Date(), new Date(Date.now() - 60_000));
    expect((await planned(place)).renders).toBe(0);
    const back = await bookedBy(() => runToEnd(place));
    expect(back.booked).toEqual(nothing);
    expect(back.result.paid).toMatchObject({ renders: 0, models: 0 });
    expect(await filesIn(place.out)).toEqual(pictures(keys));
  });

  test('a model can come back during its withdrawal', async () => {
    const { place, keys, one, model, away } = await delivered('halfway', 'archive');
    await rename(model, away);
    await runToEnd(place);
    // This is the state after a worker is killed once the record marks the file as leaving.
    const records = join(place.out, '.renderline/pictures/records');
    const name = (await readdir(records)).find((file) => file.endsWith('.withdrawn.json')) ?? '';
    const record = JSON.parse(await readFile(join(records, name), 'utf8')) as AssetRecord;
    const [copy] = record.files;
    const leaving = { ...copy, path: `${one}.png`, withdrawn: 'leaving' };
    const withdrawn = { ...record.withdrawn, state: 'leaving', run: 'dead' };
    await rm(join(records, name));
    await writeFile(
      join(records, name.replace('.withdrawn.', '.leaving.')),
      JSON.stringify({ ...record, files: [copy, leaving], withdrawn }),
    );
    await rename(join(place.out, 'archive', `${one}.png`), join(place.out, `${one}.png`));

    // While the model is still gone, the withdrawal would continue.
    expect((await planned(place)).withdraws).toMatchObject({ assets: 1, archived: 1 });
    await rename(away, model);
    const { booked, result } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    expect(result.withdrawn).toBeNull();
    expect(await filesIn(place.out)).toEqual(pictures(keys));
    expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 3 });
    expect((await readdir(records)).filter((file) => /leaving|withdrawn/.test(file))).toEqual([]);
  });

  test('a model that is gone keeps its files by default', async () => {
    const { place, keys, model } = await delivered('kept', null);
    await rm(model);
    expect((await planned(place)).withdraws).toBeNull();
    expect((await runToEnd(place)).withdrawn).toBeNull();
    expect(await filesIn(place.out)).toEqual(pictures(keys));
  });

  test('withdrawing a model leaves a file that was replaced manually', async () => {
    const { place, keys, one, model } = await delivered('replaced', 'delete');
    await rm(model);
    const picture = join(place.out, `${one}.png`);
    const { length } = await readFile(picture);
    await writeFile(picture, Buffer.alloc(length, 7));
    const said = [
      { key: one, message: expect.stringContaining('somebody has replaced the delivered file') },
    ];
    expect((await planned(place)).withdraws).toMatchObject({
      assets: 1,
      files: [],
      warnings: said,
    });
    const result = await runToEnd(place);
    expect(result.withdrawn).toEqual({ assets: 1, archived: 0, deleted: 0 });
    expect(result.warnings).toEqual(said);
    expect(await filesIn(place.out)).toEqual(pictures(keys));
  });

  test('a file is archived under a different name if the archive already contains a file with its name', async () => {
    const { place, keys, one, model, first } = await delivered('taken', 'archive');
    await mkdir(join(place.out, 'archive'));
    await writeFile(join(place.out, 'archive', `${one}.png`), 'somebody’s');
    await rm(model);
    await runToEnd(place);
    const sha256 = first.files.find(({ key }) => key === one)?.sha256 ?? '';
    expect(await filesIn(place.out)).toEqual([
      `archive/${one}-${sha256.slice(0, 8)}.png`,
      `archive/${one}.png`,
      ...pictures(keys.slice(1)),
    ]);
  });
});

test('a row that is removed from the table withdraws its files, but its project stays', async () => {
  await paint(product.sandbox);
  const models = ['chair', 'stool'];
  const place = await createGridFolder('withdrawn-rows', models);
  const text = await readFile(place.file, 'utf8');
  await writeFile(
    place.file,
    text.replace('connector: pictures,', 'connector: pictures, withdrawn: archive,'),
  );
  await writeTable(place, rowsOf(models, ['Oak', 'Navy']));
  await runToEnd(place);
  const before = await filesIn(place.out);
  expect(before).toHaveLength(4);
  await writeTable(place, [...rowsOf(['chair'], ['Oak', 'Navy']), ...rowsOf(['stool'], ['Oak'])]);
  expect((await planned(place)).withdraws).toMatchObject({
    assets: 1,
    files: [{ key: 'stool@Navy', to: expect.stringMatching(/^archive\/stool/) }],
    warnings: [],
  });
  const { result, booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual(nothing);
  expect(result).toMatchObject({ withdrawn: { assets: 1, archived: 1 }, warnings: [] });
  const now = await filesIn(place.out);
  expect(now.filter((path) => path.startsWith('archive/'))).toHaveLength(1);
  expect(now).toHaveLength(4);
  // Its objects are in use until a person cleans the row away.
  expect(await clean(place, product.env, '--dry-run')).toMatchObject({ orphans: [] });

  await writeTable(place, rowsOf(models, ['Oak', 'Navy']));
  const back = await bookedBy(() => runToEnd(place));
  expect(back.booked).toEqual(nothing);
  expect(await filesIn(place.out)).toEqual(before);
});

test('a run over only some of the assets withdraws nothing', async () => {
  const { place, keys, model } = await delivered('part', 'delete');
  await rm(model);
  const result = await runToEnd(place, '--yes', '--only', keys[1] ?? '', '--force');
  expect(result.withdrawn).toBeNull();
  expect(await filesIn(place.out)).toEqual(pictures(keys));
});

describe('a withdrawal of too many assets', () => {
  test('withdrawing a whole folder is refused unless --withdraw-all is given', async () => {
    const { place, keys } = await delivered('emptied', 'delete');
    for (const key of keys) await rm(join(place.folder, `${key}.glb`));
    expect((await planned(place)).withdraws).toMatchObject({ assets: 0, files: [] });
    const result = await runToEnd(place);
    expect(result).toMatchObject({ run: null, withdrawn: null });
    expect(result.warnings[0]?.message).toContain(
      'files of 3 assets were delivered from it and remain',
    );
    expect(result.warnings[0]?.message).toContain('--withdraw-all');
    expect(await filesIn(place.out)).toEqual(pictures(keys));

    expect((await planned(place, '--withdraw-all')).withdraws).toMatchObject({ deleted: 3 });
    const all = await runToEnd(place, '--withdraw-all');
    expect(all).toMatchObject({ assets: { total: 0 }, withdrawn: { assets: 3, deleted: 3 } });
    expect(await filesIn(place.out)).toEqual([]);
  });

  test('a withdrawal above the limit is refused with a warning, and the run does its other work', async () => {
    const { place, keys, one, model } = await delivered('limited', 'delete');
    await writeFile(
      place.file,
      (await readFile(place.file, 'utf8')).replace(
        'nodes:\n',
        'limits: { withdrawn: 1 }\nnodes:\n',
      ),
    );
    await rm(model);
    await rm(join(place.folder, `${keys[1]}.glb`));
    await writeModels(place.folder, ['fresh']);
    const said = [{ key: 'take', message: expect.stringContaining('TOO_MANY_WITHDRAWN') }];
    expect((await planned(place)).withdraws).toMatchObject({ assets: 0, warnings: said });
    const result = await runToEnd(place);
    expect(result).toMatchObject({ assets: { complete: 1 }, withdrawn: null, warnings: said });
    expect(await filesIn(place.out)).toEqual(pictures([...keys, 'fresh']).sort());

    await writeModels(place.folder, [one]);
    expect((await runToEnd(place)).withdrawn).toMatchObject({ assets: 1, deleted: 1 });
  });
});
