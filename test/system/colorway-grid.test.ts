// Models and colorways as a table: each cell is made, paid and delivered once, whatever changes in the table.
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { triangleGlb } from '../sandbox/_start.ts';
import { runHere, startHere } from './_here.ts';
import { inLane } from './_lane.ts';
import { names } from './_models.ts';
import {
  joined,
  makePlace,
  type Place,
  type RunReport,
  reportOf,
  runToEnd,
  startRun,
} from './_runs.ts';
import { type SandboxInUse, startSandbox } from './_sandbox.ts';
import { during, type Env, endOf, startWorkerProcess, until, useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
useProcesses();

type Rows = [model: string, colorway: string, slot: string, material: string][];

const paints = {
  Oak: '#b08050',
  Walnut: '#5a4030',
  Navy: '#13294b',
  Linen: '#e8e0d0',
  Moss: '#607040',
  Brick: '#a04030',
  Sand: '#d8c8a0',
};

/** Models of one slot, `body`, and a pipeline that takes their colorways from a table beside it. */
async function gridPlace(
  name: string,
  models: readonly string[],
  template = 'Studio White',
): Promise<Place> {
  const place = await makePlace(name);
  const given = `folder: ${place.folder}, out: ${place.out}`;
  for (const key of models) await writeFile(join(place.folder, `${key}.glb`), triangleGlb([], key));
  await writeFile(
    place.file,
    `name: ${name}
maxRetries: 1
batchSize: 50
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 500ms } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - id: colour
    type: variant
    parentIds: [ready]
    config: { colorways: { table: { connector: models, path: colorways.csv } } }
  - { id: look, type: template_match, parentIds: [colour], config: { default: ${template} } }
  - id: shots
    type: render
    parentIds: [look]
    config: { settings: { renderShots: false, imageCustomResolution: true, imageCustomWidth: 64, imageCustomHeight: 36 } }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}/{{ name }}-{{ index }}.{{ ext }}" }
schedule: { cron: "0 2 * * *", parameters: { ${given} } }
`,
  );
  return place;
}

async function writeTable({ folder }: Place, rows: Rows): Promise<void> {
  const lines = [['model', 'colorway', 'slot', 'material'], ...rows].map((row) => row.join(','));
  await writeFile(join(folder, 'colorways.csv'), `${lines.join('\n')}\n`);
}

const rowsOf = (models: readonly string[], colours: readonly string[]): Rows =>
  models.flatMap((model) => colours.map((one): Rows[number] => [model, one, 'body', one]));

async function paint({ api }: Pick<SandboxInUse, 'api'>): Promise<void> {
  for (const [index, [name, hex]] of Object.entries(paints).entries()) {
    const pantoneCode = `${index + 100} C`;
    await api('POST', '/materials/pantone', { name, pantoneCode, hex });
  }
}

/** Folders with pictures, `model/colorway`, and how many files each has. */
async function delivered({ out }: Place): Promise<Record<string, number>> {
  const paths = await readdir(out, { recursive: true });
  const files = paths.filter((path) => path.endsWith('.png') && !path.startsWith('.'));
  const counts: Record<string, number> = {};
  for (const path of files) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts[folder] = (counts[folder] ?? 0) + 1;
  }
  return counts;
}

/** Ids of the runs that the server finds by a colorway. */
async function runsOf(colorway: string): Promise<string[]> {
  const { TEMPORAL_ADDRESS: address = '' } = temporal.env;
  const connection = await Connection.connect({ address });
  const found: string[] = [];
  const query = `RenderlineColorways = '${colorway}'`;
  for await (const { workflowId } of new Client({ connection }).workflow.list({ query }))
    found.push(workflowId);
  await connection.close();
  return found;
}

const keysOf = ({ files }: RunReport) => [...new Set(files.map(({ key }) => key))].toSorted();

inLane(
  'a grid of colorways',
  temporal,
  (lane) => {
    beforeAll(() => paint(lane.sandbox));

    test('is made once, and what is added or changed later alone', async () => {
      const models = ['chair', 'stool', 'table'];
      const place = await gridPlace('grid', models);
      await writeTable(place, rowsOf(models, ['Oak', 'Walnut', 'Navy']));
      const before = await lane.sandbox.stats();
      const first = await runToEnd(place, lane.env);
      expect(first).toMatchObject({ outcome: 'complete', assets: { total: 9, complete: 9 } });
      await until('it is found by a colorway', async () =>
        (await runsOf('Walnut')).includes(first.run),
      );
      expect(await runsOf('Moss')).toEqual([]);
      const after = await lane.sandbox.stats();
      expect({
        models: after.created.models - before.created.models,
        jobs: after.created.renderJobs - before.created.renderJobs,
        projects: after.created.projects - before.created.projects,
      }).toEqual({ models: 3, jobs: 9, projects: 9 });
      const views = 1;
      expect(await delivered(place)).toEqual(
        Object.fromEntries(
          models.flatMap((model) =>
            ['Oak', 'Walnut', 'Navy'].map((colour) => [`${model}/${colour}`, views]),
          ),
        ),
      );

      // A fourth colour pays for the fourth alone.
      await writeTable(place, rowsOf(models, ['Oak', 'Walnut', 'Navy', 'Linen']));
      const fourth = await runToEnd(place, lane.env);
      expect(keysOf(fourth)).toEqual(models.map((model) => `${model}@Linen`));
      expect(fourth.requests.byOperation).not.toHaveProperty('createJob');

      // A changed material redoes that colour of that model.
      const changed = rowsOf(models, ['Oak', 'Walnut', 'Navy', 'Linen']).map((row): Rows[number] =>
        row[0] === 'stool' && row[1] === 'Navy' ? ['stool', 'Navy', 'body', 'Moss'] : row,
      );
      await writeTable(place, changed);
      const moss = await runToEnd(place, lane.env);
      expect(keysOf(moss)).toEqual(['stool@Navy']);
      expect(moss.requests.byOperation).not.toHaveProperty('createJob');

      const none = await runToEnd(place, lane.env);
      expect(none.requests.total).toBe(0);

      // A colorway that is in the table no more leaves the others alone, and a changed model is made anew in all.
      const two = changed.filter(([, colour]) => colour === 'Oak' || colour === 'Navy');
      await writeTable(place, two);
      const fewer = await runToEnd(place, lane.env);
      expect(fewer.requests.total).toBe(0);
      expect(fewer.warnings).toMatchObject([
        {
          key: 'take',
          message: expect.stringMatching(/^chair@Linen, .* are not in the grid any more/),
        },
      ]);
      const planned = await runHere(['plan', ...givenTo(place), '--json'], lane.env);
      expect(JSON.parse(planned.stdout)).toMatchObject({
        grid: {
          removed: ['Linen', 'Walnut']
            .flatMap((one) => models.map((model) => `${model}@${one}`))
            .toSorted(),
        },
      });
      await writeFile(join(place.folder, 'table.glb'), triangleGlb(['Bare'], 'another table'));
      const anew = await runToEnd(place, lane.env);
      expect(keysOf(anew)).toEqual(['table@Navy', 'table@Oak']);
      expect(anew.requests.byOperation).toMatchObject({ createJob: 1 });
      // Of the colorways that are in the table no more nothing is deleted unless a person says so.
      const kept = await clean(place, lane.env, '--dry-run');
      expect(kept.removed.map(({ key }) => key)).toEqual(
        models.flatMap((model) => [`${model}@Linen`, `${model}@Walnut`]),
      );
      expect(kept.orphans.map(({ kind, reason }) => [kind, reason])).not.toContainEqual([
        'project',
        'removed',
      ]);
      const { deleted } = await clean(place, lane.env, '--removed-colorways', '--yes');
      expect(deleted.filter(({ kind }) => kind === 'project').length).toBeGreaterThanOrEqual(6);
      const clear = await clean(place, lane.env, '--dry-run');
      expect(clear).toMatchObject({ orphans: [], removed: [] });
      // A row that comes back is made again, of the variants that are there.
      await writeTable(place, [...two, ['chair', 'Walnut', 'body', 'Walnut']]);
      const back = await runToEnd(place, lane.env);
      expect(keysOf(back)).toEqual(['chair@Walnut']);
      expect(back.requests.byOperation).not.toHaveProperty('createColorwayBatch');
    });

    test('is made once by two runs that begin at the same time', async () => {
      const models = ['bench', 'sofa'];
      const place = await gridPlace('twice', models);
      await writeTable(place, rowsOf(models, ['Oak', 'Navy']));
      const before = (await lane.sandbox.stats()).created;
      const started = [startRun(place, lane.env), startRun(place, lane.env)];
      const both = await Promise.all(started.map(async ({ finished }) => reportOf(await finished)));
      expect(both.flatMap(keysOf).toSorted()).toEqual([
        'bench@Navy',
        'bench@Oak',
        'sofa@Navy',
        'sofa@Oak',
      ]);
      const after = (await lane.sandbox.stats()).created;
      expect([after.models - before.models, after.renderJobs - before.renderJobs]).toEqual([2, 4]);
    });

    test('fails by cell, is explained by cell, and done again by cell', async () => {
      const place = await gridPlace('cells', ['lamp', 'shelf']);
      await writeTable(place, [
        ['lamp', 'Oak', 'body', 'Oak'],
        ['lamp', 'Navy', 'nowhere', 'Navy'],
        ['shelf', 'Navy', 'body', 'Navy'],
        ['shelv', 'Oak', 'body', 'Oak'],
      ]);
      const given = ['--param', `folder=${place.folder}`, '--param', `out=${place.out}`];
      const planned = await runHere(['plan', place.file, ...given, '--json'], lane.env);
      const { grid, slots } = JSON.parse(planned.stdout) as {
        grid: unknown;
        slots: { findings: { key: string; message: string }[] };
      };
      expect(grid).toMatchObject({
        cells: 3,
        rows: [
          { model: 'lamp', cells: { Oak: 'new', Navy: 'new' } },
          { model: 'shelf', cells: { Navy: 'new' } },
        ],
      });
      expect(slots.findings).toMatchObject([
        {
          key: 'lamp@Navy',
          code: 'COLORWAY_NO_SLOT',
          message: expect.stringMatching(/^colorways.csv, line 3: no slot "nowhere"/),
        },
      ]);
      expect(planned.stderr).toContain(
        'line 5: "shelv": there is no such model; did you mean "shelf"?',
      );

      const run = reportOf(await startRun(place, lane.env).finished, 3);
      expect(run).toMatchObject({ outcome: 'partial_failure', assets: { complete: 2, failed: 2 } });
      expect(Object.fromEntries(run.failures.map(({ key, code }) => [key, code]))).toEqual({
        'lamp@Navy': 'COLORWAY_NO_SLOT',
        shelv: 'COLORWAY_UNKNOWN_MODEL',
      });
      const explained = await runHere(
        ['explain', 'lamp@Navy', place.file, ...given, '--json'],
        lane.env,
      );
      expect(JSON.parse(explained.stdout)).toMatchObject({ key: 'lamp@Navy', verdict: 'retry' });

      await writeTable(place, [
        ['lamp', 'Oak', 'body', 'Oak'],
        ['lamp', 'Navy', 'body', 'Navy'],
        ['shelf', 'Navy', 'body', 'Navy'],
      ]);
      const again = await runHere(
        ['rerun', run.run, place.file, '--failed', ...given, '--yes', '--wait', '--json'],
        lane.env,
      );
      expect(again.stderr).toContain('takes     1 asset, 1 not to be had');
      expect(keysOf(JSON.parse(again.stdout) as RunReport)).toEqual(['lamp@Navy']);
    });
  },
  ['--speed', '20', '--picture-scale', '0.1'],
);

/** Forty in the trial that the decision tells of; fewer show the same. */
const manyModels = Number(process.env['RENDERLINE_TEST_MODELS'] ?? 8);

describe('a table of a season, six colorways and three views', () => {
  test('is what the platform has and what is delivered, whatever is killed, changed and done at once', async () => {
    const sandbox = await startSandbox(['--speed', '20', '--picture-scale', '0']);
    const views = ['Front', 'Side', 'Back'];
    const bookmarks = views.map((name) => ({ id: name.toLowerCase(), name }));
    await sandbox.set('templates', { name: 'Three views', bookmarks });
    await paint(sandbox);
    const env = joined(temporal.env, sandbox.env);
    const models = names('chair', manyModels);
    const season = Object.keys(paints).slice(0, 6);
    const colours = season.slice(0, 5);
    const place = await gridPlace('season', models, 'Three views');
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
      await during(running, phase, async () => ((await sandbox.stats()).requests[phase] ?? 0) > 0);
      await worker.stop('SIGKILL');
      worker = await startWorkerProcess(env);
    }
    const first = reportOf(await endOf(running, worker));
    const cells = models.length * colours.length;
    expect(first).toMatchObject({ outcome: 'complete', assets: { total: cells, complete: cells } });
    expect(await books(sandbox)).toEqual(tableOf(models, colours));
    expect(await delivered(place)).toEqual(filesOf(models, colours, views.length));
    const made = (await sandbox.stats()).created;
    expect([made.models, made.renderJobs]).toEqual([models.length, cells]);
    // Where answers were lost cells of a model may share a project; none is left over.
    expect(made.projects).toBeLessThanOrEqual(cells);
    expect((await clean(place, env, '--dry-run')).orphans).toEqual([]);

    // A colour more, another material, a model less: found by the night's schedule and by a person at once.
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
    const applied = await runHere(['apply', place.file, '--json'], env);
    expect(applied.code, applied.stderr).toBe(0);
    const byHand = startRun(place, env);
    const triggered = await runHere(['schedules', 'trigger', 'season', '--json'], env);
    const { run: nightly } = JSON.parse(triggered.stdout) as { run: string };
    const both = [
      reportOf(await endOf(byHand, worker)),
      reportOf(await endOf(startHere(['show', nightly, '--wait', '--json'], env), worker)),
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
      // No operation takes a variant away.
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
});

interface Cleaned {
  orphans: { kind: string; reason: string }[];
  removed: { key: string }[];
  deleted: { kind: string }[];
}

const givenTo = ({ file, folder, out }: Place) => [
  file,
  '--param',
  `folder=${folder}`,
  '--param',
  `out=${out}`,
];

async function clean(place: Place, env: Env, ...flags: string[]): Promise<Cleaned> {
  const args = ['clean', ...givenTo(place), '--older-than', '0s', ...flags, '--json'];
  const { stdout, stderr } = await runHere(args, env);
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout) as Cleaned;
}

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
