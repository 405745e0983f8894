// The shipped pipelines/nightly-colorways.yaml: applied to a real Temporal server, started by its schedule, it renders
// missing colorways of the models of a tag.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import type { ListedRun } from '../../src/app/runs/listed-run.ts';
import type { ScheduleControlResult } from '../../src/app/schedules/control.ts';
import { runInProcess } from '../system/_in-process.ts';
import { errorOf, type RunReport, reportOf, useProduct } from '../system/_runs.ts';
import { type CommandResult, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
// Pictures are small, but drawn, so that the colorway can be checked.
const product = useProduct(temporal, ['--speed', '20', '--picture-scale', '0.1']);

const shipped = fileURLToPath(new URL('../../pipelines/nightly-colorways.yaml', import.meta.url));
const cron = 'cron: "0 2 * * *" # 02:00 in this time zone\n  timezone: Europe/Berlin';

let folder: string;
let tag: string;
const models: Record<string, string> = {};

beforeAll(async () => {
  const { sandbox } = product;
  folder = await tempFolder('nightly');
  tag = ((await sandbox.set('tags', { name: 'Season' })) as { id: string }).id;
  await sandbox.api('POST', '/properties', {
    name: 'Renderline nightly colorways',
    type: 'MULTI_SELECT',
    appliesTo: ['MODEL'],
  });
  for (const [name, pantoneCode, hex] of [
    ['Navy twill', '2767 C', '#13294b'],
    ['Signal red', '186 C', '#c8102e'],
  ]) {
    await sandbox.api('POST', '/materials/pantone', { name, pantoneCode, hex });
  }
  for (const name of ['polo', 'tee', 'mug']) await upload(name);
  for (const name of ['polo', 'tee']) await carry(name);
});

/** Uploads a model as another client; its slots are `body` and `other`. */
async function upload(name: string): Promise<void> {
  const { sandbox } = product;
  const { models: uploads } = (await sandbox.api('POST', '/models', {
    models: [{ name, fileType: 'glb' }],
  })) as { models: { modelId: string; uploadUrl: string }[] };
  const [{ modelId, uploadUrl } = { modelId: '', uploadUrl: '' }] = uploads;
  await fetch(uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': 'model/gltf-binary' },
    body: new Uint8Array(triangleGlb([], name)),
  });
  await sandbox.api('POST', `/models/${modelId}/confirm`, { fileType: 'glb' });
  models[name] = modelId;
  await waitUntil(`${name} is ready`, async () => {
    const answer = await sandbox.api('POST', '/models/status', { modelIds: [modelId] });
    return (answer as { allReady: boolean }).allReady;
  });
}

const carry = (name: string, tagIds = [tag]) =>
  product.sandbox.set(`models/${models[name] ?? ''}/tags`, { tagIds });

function json<T>(finished: CommandResult, code = 0): T {
  expect(finished, finished.stderr + finished.stdout).toMatchObject({ code });
  return JSON.parse(finished.stdout) as T;
}

/** Writes the shipped file with these replacements in its schedule and parameters. */
async function write(changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const all = {
    'tag: TAG-ID': `tag: ${tag}`,
    '../colorways': './colorways',
    'default: fabric': 'default: body',
    ...changes,
  };
  let text = await readFile(shipped, 'utf8');
  for (const [from, to] of Object.entries(all)) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  const file = join(folder, 'nightly-colorways.yaml');
  await writeFile(file, text);
  return file;
}

async function apply(changes: Readonly<Record<string, string>> = {}): Promise<void> {
  json(await runInProcess(['apply', await write(changes), '--json'], product.env));
}

async function triggered(): Promise<string> {
  const trigger = ['schedules', 'trigger', 'nightly-colorways', '--json'];
  return json<ScheduleControlResult>(await runInProcess(trigger, product.env)).run ?? '';
}

const ended = (id: string) => runInProcess(['show', id, '--wait', '--json'], product.env);
const night = async (code = 0): Promise<RunReport> =>
  reportOf(await ended(await triggered()), code);
/** Counts of everything that a run may create. */
const made = async () => {
  const { created, requests } = await product.sandbox.stats();
  return { ...created, batches: requests['createColorwayBatch'] ?? 0 };
};

/** Keys and variants of the pictures: `KEY/VARIANT`. */
const drawn = ({ files }: RunReport) =>
  [...new Set(files.map(({ path }) => path.split('/').slice(0, 2).join('/')))].sort();

/** How much more red than blue the picture of the polo has in this material. */
async function redness(material: string): Promise<number> {
  const place = join(folder, 'colorways', 'polo', material);
  const [picture = ''] = await readdir(place);
  const { channels } = await sharp(join(place, picture)).stats();
  const [red, , blue] = channels;
  return (red?.mean ?? Number.NaN) - (blue?.mean ?? Number.NaN);
}

describe('before the first night', () => {
  test("a plan reports that it cannot know the tag's models, and the run checks the limits", async () => {
    const file = await write({ 'renders: 500': 'renders: 1' });
    const by = [file, '--param', `tag=${tag}`, '--param', `out=${join(folder, 'by-hand')}`];
    const before = await made();
    const planned = await runInProcess(['plan', ...by], product.env);
    expect(planned, planned.stderr).toMatchObject({ code: 0 });
    expect(planned.stdout).toMatch(/0 assets/);
    expect(planned.stdout).toMatch(/only a run can find the models of a tag/);
    const refused = await runInProcess(['run', ...by, '--wait', '--json'], product.env);
    expect(errorOf(refused, 1)).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('limits.renders allows 1, but the plan needs 2'),
    });
    expect(await made()).toEqual(before);
  });
});

describe('a nightly run', () => {
  test('a nightly run renders the new variant of each model with the tag, and of no other model', async () => {
    await apply();
    const report = await night();
    expect(report).toMatchObject({ outcome: 'complete', assets: { total: 2, complete: 2 } });
    expect(drawn(report)).toEqual(['polo/Navy twill', 'tee/Navy twill']);
    expect(report.requests.byOperation).toMatchObject({
      convertTagToPropertyOption: 1,
      createColorwayBatch: 1,
      listModelVariants: 4,
    });
  });

  test('a nightly run renders nothing if nothing is new', async () => {
    const before = await made();
    const report = await night();
    expect(report.assets).toMatchObject({ total: 2, complete: 0, failed: 0, skipped: 2 });
    expect(await made()).toEqual(before);
    expect(report.requests.byOperation).not.toHaveProperty('createColorwayBatch');
    expect(report.requests.byOperation).not.toHaveProperty('listModelVariants');
  });

  test('a nightly run renders a model that has got the tag and skips a model that has lost it', async () => {
    await carry('mug');
    await carry('tee', []);
    const report = await night();
    expect(report.assets).toMatchObject({ total: 2, complete: 1, skipped: 1 });
    expect(drawn(report)).toEqual(['mug/Navy twill']);
  });

  test('a nightly run with changed swap rules creates the new colorway for all models', async () => {
    await apply({ 'default: Navy twill': 'default: Signal red' });
    const report = await night();
    expect(report.assets).toMatchObject({ total: 2, complete: 2 });
    expect(drawn(report)).toEqual(['mug/Signal red', 'polo/Signal red']);
    expect(await redness('Signal red')).toBeGreaterThan((await redness('Navy twill')) + 5);
  });

  test('a nightly run fails with a specific error if no model has the tag', async () => {
    const empty = (await product.sandbox.set('tags', { name: 'Empty' })) as { id: string };
    await apply({ 'tag: TAG-ID': `tag: ${empty.id}` });
    const before = await made();
    expect(errorOf(await ended(await triggered()), 5)).toMatchObject({
      code: 'TAG_WITHOUT_MODELS',
    });
    expect(await made()).toEqual(before);
  });
});

describe('the schedule', () => {
  test('the schedule starts a nightly run without a person', async () => {
    await upload('cap');
    await carry('cap');
    const list = ['runs', '--pipeline', 'nightly-colorways', '--json'];
    const runs = async () =>
      json<{ runs: ListedRun[] }>(await runInProcess(list, product.env)).runs;
    const known = new Set((await runs()).map((one) => one.run));
    await apply({ [cron]: 'every: 2s\n  jitter: 0s' });
    await waitUntil('cap has its pictures', async () => {
      const names = await readdir(join(folder, 'colorways')).catch((): string[] => []);
      return names.includes('cap');
    });
    json(
      await runInProcess(
        ['schedules', 'pause', 'nightly-colorways', '--reason', 'seen', '--json'],
        product.env,
      ),
    );
    const started = (await runs()).filter((one) => !known.has(one.run));
    expect(started.length).toBeGreaterThan(0);
    expect(started[0]).toMatchObject({ schedule: 'nightly-colorways' });
  });
});
