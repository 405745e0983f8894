// A table of a season: workers are killed in each phase, the table changes, and two runs start together.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  clean,
  createGridFolder,
  delivered,
  keysOf,
  paint,
  paints,
  type Rows,
  rowsOf,
  writeTable,
} from '../system/_colorway-grid.ts';
import { runInProcess, startInProcess } from '../system/_in-process.ts';
import { names } from '../system/_models.ts';
import { joined, reportOf, runToEnd, startRun } from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import {
  startWorkerProcess,
  useProcesses,
  waitForExit,
  waitWhileRunning,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

/** The trial in the decision had forty models; fewer show the same. */
const manyModels = Number(process.env['RENDERLINE_TEST_MODELS'] ?? 8);

test("platform and delivery match a season's table after kills, changes and simultaneous runs", async () => {
  const sandbox = await startSandbox(fastSandbox);
  const views = ['Front', 'Side', 'Back'];
  const bookmarks = views.map((name) => ({ id: name.toLowerCase(), name }));
  await sandbox.set('templates', { name: 'Three views', bookmarks });
  await paint(sandbox);
  const env = joined(temporal.env, sandbox.env);
  const models = names('chair', manyModels);
  const season = Object.keys(paints).slice(0, 6);
  const colours = season.slice(0, 5);
  const place = await createGridFolder('season', models, 'Three views');
  await writeTable(place, rowsOf(models, colours));
  let worker = await startWorkerProcess(env);
  const running = startRun(place, env);
  for (const phase of [
    'createJob',
    'createColorwayBatch',
    'createProjects',
    'createRenders',
    'listRenders',
  ]) {
    await waitWhileRunning(
      running,
      phase,
      async () => ((await sandbox.stats()).requests[phase] ?? 0) > 0,
    );
    await worker.stop('SIGKILL');
    worker = await startWorkerProcess(env);
  }
  const first = reportOf(await waitForExit(running, worker));
  const cells = models.length * colours.length;
  expect(first).toMatchObject({ outcome: 'complete', assets: { total: cells, complete: cells } });
  expect(await books(sandbox)).toEqual(tableOf(models, colours));
  expect(await delivered(place)).toEqual(filesOf(models, colours, views.length));
  const made = (await sandbox.stats()).created;
  expect([made.models, made.renderJobs]).toEqual([models.length, cells]);
  // After missing responses, cells of a model may share a project; no project is orphaned.
  expect(made.projects).toBeLessThanOrEqual(cells);
  expect((await clean(place, env, '--dry-run')).orphans).toEqual([]);

  // The schedule and a person find one more colour, another material and one model less at the same time.
  const [gone = '', changed = '', ...others] = models;
  const left = [changed, ...others];
  await rm(join(place.folder, `${gone}.glb`));
  await writeTable(
    place,
    rowsOf(left, season).map(([model, colour, slot, material]): Rows[number] =>
      model === changed && colour === 'Navy'
        ? [model, colour, slot, 'Sand']
        : [model, colour, slot, material],
    ),
  );
  const applied = await runInProcess(['apply', place.file, '--json'], env);
  expect(applied.code, applied.stderr).toBe(0);
  const byHand = startRun(place, env);
  const triggered = await runInProcess(['schedules', 'trigger', 'season', '--json'], env);
  const { run: nightly } = JSON.parse(triggered.stdout) as { run: string };
  const both = [
    reportOf(await waitForExit(byHand, worker)),
    reportOf(await waitForExit(startInProcess(['show', nightly, '--wait', '--json'], env), worker)),
  ];
  const keys = both.flatMap(keysOf).toSorted();
  expect(keys).toEqual([...left.map((model) => `${model}@Brick`), `${changed}@Navy`].toSorted());
  const since = (await sandbox.stats()).created;
  expect([since.models - made.models, since.renderJobs - made.renderJobs]).toEqual([
    0,
    keys.length,
  ]);
  expect(await books(sandbox)).toEqual({
    ...tableOf(left, season),
    // No operation deletes a variant.
    [gone]: colours.toSorted(),
    [changed]: [...season, 'Sand'].toSorted(),
  });
  expect(await delivered(place)).toEqual({
    ...filesOf(left, season, views.length),
    ...filesOf([gone], colours, views.length),
  });
  const none = await runToEnd(place, env);
  expect([none.requests.total, none.assets.unchanged]).toEqual([0, left.length * season.length]);
  await worker.stop();
  await sandbox.stop();
}, 600_000);

/** Names of the colorways that each model has on the platform. */
async function books({ api }: Pick<SandboxInUse, 'api'>): Promise<Record<string, string[]>> {
  const { models } = (await api('GET', '/models?limit=100')) as {
    models: { modelId: string; name: string }[];
  };
  const entries = models.map(async ({ modelId, name }): Promise<[string, string[]]> => {
    const { variants } = (await api('GET', `/models/${modelId}/variants`)) as {
      variants: { name: string; source: string }[];
    };
    const made = variants.filter(({ source }) => source === 'colorway');
    return [name, made.map((one) => one.name).toSorted()];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function tableOf(models: readonly string[], colours: readonly string[]) {
  return Object.fromEntries(models.map((model) => [model, colours.toSorted()]));
}

function filesOf(models: readonly string[], colours: readonly string[], views: number) {
  const folders = models.flatMap((model) => colours.map((colour) => `${model}/${colour}`));
  return Object.fromEntries(folders.map((folder) => [folder, views]));
}
