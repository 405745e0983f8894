// Several schedules of one file, on a real Temporal server: each with its times, parameters and runs.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScheduleSpec } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { ScheduleChange } from '../../src/app/apply/schedule-changes.ts';
import type { ScheduleControlResult } from '../../src/app/schedules/control.ts';
import type { ListedSchedule } from '../../src/app/schedules/list.ts';
import { runInProcess } from './_in-process.ts';
import { writeModels } from './_models.ts';
import {
  createPipelineFolder,
  errorOf,
  type PipelineFolder,
  reportOf,
  useProduct,
} from './_runs.ts';
import { type CommandResult, useProcesses, waitUntil } from './_stack.ts';
import { useClient, useTemporal } from './_temporal.ts';

useProcesses();
const temporal = useTemporal();
const product = useProduct(temporal);
const client = useClient(temporal);

function json<T>(finished: CommandResult, code = 0): T {
  expect(finished, finished.stderr + finished.stdout).toMatchObject({ code });
  return JSON.parse(finished.stdout) as T;
}

const renderline = (...argv: string[]) => runInProcess([...argv, '--json'], product.env);

async function apply(file: string): Promise<Pick<ScheduleChange, 'schedule' | 'change'>[]> {
  const { changes } = json<{ changes: ScheduleChange[] }>(await renderline('apply', file));
  return changes.map(({ schedule, change }) => ({ schedule, change }));
}

async function listed(): Promise<ListedSchedule[]> {
  return json<{ schedules: ListedSchedule[] }>(await renderline('schedules')).schedules;
}

const named = async () => (await listed()).map(({ schedule }) => schedule);

/** A schedule with the folders of a brand. */
const entry = (name: string, { folder, out }: PipelineFolder) =>
  `  - { name: ${name}, cron: "0 0 1 1 *", parameters: { folder: ${folder}, out: ${out} } }`;

test('each schedule can be listed, paused, triggered, backfilled and removed by its name', async () => {
  const acme = await createPipelineFolder('acme');
  const zorn = await createPipelineFolder('zorn');
  const [, text = ''] = (await readFile(acme.file, 'utf8')).split('name: pictures\n');
  const write = async (name: string, ...schedule: string[]) => {
    const file = join(acme.root, `${name}.yaml`);
    await writeFile(file, [`name: ${name}`, text, ...schedule].join('\n'));
    return file;
  };
  await writeModels(acme.folder, ['chair']);
  await writeModels(zorn.folder, ['table']);
  // This schedule is of another file, and its name begins with the same text.
  const single = ['schedule:', entry('', acme).replace('  - { name: ,', '  {')];
  await apply(await write('brands-too', ...single));

  const file = await write('brands', 'schedule:', entry('acme', acme), entry('zorn', zorn));
  expect(await apply(file)).toEqual([
    { schedule: 'brands/acme', change: 'create' },
    { schedule: 'brands/zorn', change: 'create' },
  ]);
  expect((await apply(file)).map(({ change }) => change)).toEqual(['unchanged', 'unchanged']);
  await waitUntil('both are listed', async () => (await named()).includes('brands/zorn'));

  const unclear = errorOf(await renderline('schedules', 'trigger', 'brands'), 5);
  expect(unclear.fix).toBe('Did you mean "brands/acme" or "brands/zorn"?');

  json(await renderline('schedules', 'pause', 'brands/zorn', '--reason', 'stocktaking'));
  const triggered = json<ScheduleControlResult>(
    await renderline('schedules', 'trigger', 'brands/acme'),
  );
  const id = triggered.run ?? '';
  expect(id).toMatch(/^brands\/acme-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const report = reportOf(await renderline('show', id, '--wait'));
  expect(report).toMatchObject({ run: id, pipeline: 'brands', outcome: 'complete' });
  expect(report.files.map(({ key }) => key)).toEqual(['chair']);

  const range = ['--from', '2025-12-31', '--to', '2026-01-02', '--yes'];
  const filled = json<{ started: string[] }>(await renderline('backfill', 'brands/acme', ...range));
  expect(filled.started).toEqual(['brands/acme-2026-01-01T00:00:00Z']);
  await waitUntil('both runs are listed, by their schedule', async () => {
    const { runs } = json<{ runs: { run: string; schedule: string }[] }>(
      await renderline('runs', '--pipeline', 'brands'),
    );
    return runs.length === 2 && runs.every(({ schedule }) => schedule === 'brands/acme');
  });
  reportOf(await renderline('show', filled.started[0] ?? '', '--wait'));

  const paused = (await listed()).map(({ schedule, paused: reason }) => [schedule, reason]);
  expect(paused).toEqual(
    expect.arrayContaining([
      ['brands/acme', null],
      ['brands/zorn', 'stocktaking'],
    ]),
  );

  // Applying a file changes all schedules of this file, and none of other files.
  await write('brands', 'schedule:', entry('acme', acme));
  expect(await apply(file)).toEqual([
    { schedule: 'brands/acme', change: 'unchanged' },
    { schedule: 'brands/zorn', change: 'remove' },
  ]);
  await waitUntil('it is gone', async () => !(await named()).includes('brands/zorn'));
  await write('brands', ...single);
  expect(await apply(file)).toEqual([
    { schedule: 'brands', change: 'create' },
    { schedule: 'brands/acme', change: 'remove' },
  ]);
  expect(await named()).toContain('brands-too');
});

test('a backfill of the repeated hour in autumn starts the same runs as the schedule', async () => {
  const place = await createPipelineFolder('autumn');
  await writeModels(place.folder, ['chair']);
  const [, text = ''] = (await readFile(place.file, 'utf8')).split('name: pictures\n');
  const given = `folder: ${place.folder}, out: ${place.out}`;
  const zones = [
    ['east', 'Europe/Berlin', '30 2 * * *', '2025-10-26', ['2025-10-26T01:30:00Z']],
    [
      'west',
      'America/New_York',
      '30 1 * * *',
      '2025-11-02',
      ['2025-11-02T05:30:00Z', '2025-11-02T06:30:00Z'],
    ],
  ] as const;
  for (const [name, zone, cron, day, starts] of zones) {
    const schedule = `schedule: { cron: "${cron}", timezone: ${zone}, parameters: { ${given} } }`;
    const file = join(place.root, `${name}.yaml`);
    await writeFile(file, [`name: ${name}`, text, schedule].join('\n'));
    await apply(file);
    const range = ['--from', day, '--to', `${day}T12:00`, '--yes'];
    const { started } = json<{ started: string[] }>(await renderline('backfill', name, ...range));
    expect(started).toEqual(starts.map((start) => `${name}-${start}`));
    await waitUntil('all of them were started, and no others', async () => {
      const { runs } = json<{ runs: { run: string }[] }>(
        await renderline('runs', '--pipeline', name),
      );
      return (
        started.join() ===
        runs
          .map(({ run }) => run)
          .toSorted()
          .join()
      );
    });
  }
});

test('a backfill counts all intervals of a schedule that was changed elsewhere', async () => {
  const place = await createPipelineFolder('several');
  const [, text = ''] = (await readFile(place.file, 'utf8')).split('name: pictures\n');
  const given = `folder: ${place.folder}, out: ${place.out}`;
  const file = join(place.root, 'several.yaml');
  const schedule = `schedule: { every: 1d, parameters: { ${given} } }`;
  await writeFile(file, ['name: several', text, schedule].join('\n'));
  await apply(file);
  const spec: ScheduleSpec = { intervals: [{ every: '1d' }, { every: '1d', offset: '1h' }] };
  const handle = client().schedule.getHandle('several');
  await handle.update(({ action, policies, state }) => ({ action, policies, state, spec }));
  const range = ['--from', '2026-03-28', '--to', '2026-03-28T02:00', '--yes'];
  const filled = await renderline('backfill', 'several', ...range);
  const { started } = json<{ started: string[] }>(filled);
  expect(started).toEqual(['several-2026-03-28T00:00:00Z', 'several-2026-03-28T01:00:00Z']);
});
