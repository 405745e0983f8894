// Models and colorways as a table: each cell is rendered, paid and delivered once, whatever changes in the table.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { beforeAll, expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import {
  clean,
  createGridFolder,
  delivered,
  gridArguments,
  keysOf,
  paint,
  paints,
  type Rows,
  rowsOf,
  writeTable,
} from '../system/_colorway-grid.ts';
import { runInProcess } from '../system/_in-process.ts';
import { inLane } from '../system/_lane.ts';
import { type RunReport, reportOf, runToEnd, startRun } from '../system/_runs.ts';
import { useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

/** Ids of the runs that the server finds by a colorway. */
async function runsOf(colorway: string): Promise<string[]> {
  const { address, namespace } = temporal;
  const connection = await Connection.connect({ address });
  const found: string[] = [];
  const query = `RenderlineColorways = '${colorway}'`;
  for await (const { workflowId } of new Client({ connection, namespace }).workflow.list({ query }))
    found.push(workflowId);
  await connection.close();
  return found;
}

inLane(
  'a grid of colorways',
  temporal,
  (lane) => {
    beforeAll(() => paint(lane.sandbox));

    test('a grid is rendered once, and later only its new and changed cells are rendered', async () => {
      const models = ['chair', 'stool', 'table'];
      const place = await createGridFolder('grid', models);
      await writeTable(place, rowsOf(models, ['Oak', 'Walnut', 'Navy']));
      const before = await lane.sandbox.stats();
      const first = await runToEnd(place, lane.env);
      expect(first).toMatchObject({ outcome: 'complete', assets: { total: 9, complete: 9 } });
      await waitUntil('it is found by a colorway', async () =>
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

      // Only the fourth colour is paid for.
      await writeTable(place, rowsOf(models, ['Oak', 'Walnut', 'Navy', 'Linen']));
      const fourth = await runToEnd(place, lane.env);
      expect(keysOf(fourth)).toEqual(models.map((model) => `${model}@Linen`));
      expect(fourth.requests.byOperation).not.toHaveProperty('createJob');

      // A changed material renders that colour of that model again.
      const changed = rowsOf(models, ['Oak', 'Walnut', 'Navy', 'Linen']).map((row): Rows[number] =>
        row[0] === 'stool' && row[1] === 'Navy' ? ['stool', 'Navy', 'body', 'Moss'] : row,
      );
      await writeTable(place, changed);
      const moss = await runToEnd(place, lane.env);
      expect(keysOf(moss)).toEqual(['stool@Navy']);
      expect(moss.requests.byOperation).not.toHaveProperty('createJob');

      const none = await runToEnd(place, lane.env);
      expect(none.requests.total).toBe(0);

      // A removed colorway leaves the others unchanged, and a changed model is rendered again in all.
      const two = changed.filter(([, colour]) => colour === 'Oak' || colour === 'Navy');
      await writeTable(place, two);
      const fewer = await runToEnd(place, lane.env);
      expect(fewer.requests.total).toBe(0);
      expect(fewer.warnings).toMatchObject([
        {
          key: 'take',
          message: expect.stringMatching(/^chair@Linen, .* are no longer in the grid/),
        },
      ]);
      const planned = await runInProcess(['plan', ...gridArguments(place), '--json'], lane.env);
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
      // Resources of removed colorways are deleted only on request.
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
      // A row that returns is rendered again, with the existing variant.
      await writeTable(place, [...two, ['chair', 'Walnut', 'body', 'Walnut']]);
      const back = await runToEnd(place, lane.env);
      expect(keysOf(back)).toEqual(['chair@Walnut']);
      expect(back.requests.byOperation).not.toHaveProperty('createColorwayBatch');
    });

    test('a grid may contain any names and gets one file per cell', async () => {
      const place = await createGridFolder('labels', ['lead', ' lead']);
      const labels = ['White/Midnight Navy/Light Smoke Grey-Fire Red', 'Salt & Pepper @ "Night"'];
      const rows = labels.flatMap((label, at): Rows => {
        const paint = Object.keys(paints)[at] ?? '';
        return [['*', `"${label.replaceAll('"', '""')}"`, 'body', paint]];
      });
      await writeTable(place, rows);
      const first = await runToEnd(place, lane.env);
      expect(first).toMatchObject({ outcome: 'complete', assets: { total: 4, complete: 4 } });
      const made = await delivered(place);
      expect(Object.keys(made).toSorted()).toEqual(
        [' lead', 'lead'].flatMap((model) =>
          ['Salt & Pepper @ -Night-', 'White-Midnight Navy-Light Smoke Grey-Fire Red'].map(
            (name) => expect.stringMatching(`^${model.trim()}(~.{7})?/${name}~.{7}$`) as string,
          ),
        ),
      );
      expect(Object.values(made)).toEqual([1, 1, 1, 1]);
      const again = await runToEnd(place, lane.env);
      expect(again.requests.total).toBe(0);
    });

    test('two runs that start at the same time render a grid only once', async () => {
      const models = ['bench', 'sofa'];
      const place = await createGridFolder('twice', models);
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

    test('cells of a grid fail, are explained and are rerun individually', async () => {
      const place = await createGridFolder('cells', ['lamp', 'shelf']);
      await writeTable(place, [
        ['lamp', 'Oak', 'body', 'Oak'],
        ['lamp', 'Navy', 'nowhere', 'Navy'],
        ['shelf', 'Navy', 'body', 'Navy'],
        ['shelv', 'Oak', 'body', 'Oak'],
      ]);
      const given = ['--param', `folder=${place.folder}`, '--param', `out=${place.out}`];
      const planned = await runInProcess(['plan', place.file, ...given, '--json'], lane.env);
      const { grid, slots } = JSON.parse(planned.stdout) as {
        grid: unknown;
        slots: { findings: { key: string; message: string }[] };
      };
      expect(grid).toMatchObject({
        cells: 3,
        rows: [
          { model: 'lamp', cells: { Oak: 'new', Navy: 'refused' } },
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
        'line 5: "shelv": this model does not exist; did you mean "shelf"?',
      );

      const run = reportOf(await startRun(place, lane.env).finished, 3);
      expect(run).toMatchObject({ outcome: 'partial_failure', assets: { complete: 2, failed: 2 } });
      expect(Object.fromEntries(run.failures.map(({ key, code }) => [key, code]))).toEqual({
        'lamp@Navy': 'COLORWAY_NO_SLOT',
        shelv: 'COLORWAY_UNKNOWN_MODEL',
      });
      const explained = await runInProcess(
        ['explain', 'lamp@Navy', place.file, ...given, '--json'],
        lane.env,
      );
      expect(JSON.parse(explained.stdout)).toMatchObject({ key: 'lamp@Navy', verdict: 'retry' });

      await writeTable(place, [
        ['lamp', 'Oak', 'body', 'Oak'],
        ['lamp', 'Navy', 'body', 'Navy'],
        ['shelf', 'Navy', 'body', 'Navy'],
      ]);
      const again = await runInProcess(
        ['rerun', run.run, place.file, '--failed', ...given, '--yes', '--wait', '--json'],
        lane.env,
      );
      expect(again.stderr).toContain('takes     1 asset, 1 refused');
      expect(keysOf(JSON.parse(again.stdout) as RunReport)).toEqual(['lamp@Navy']);
    });
  },
  ['--speed', '20', '--picture-scale', '0.1'],
);
