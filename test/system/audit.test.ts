// `renderline audit` on a real stack: the actions of several people on a run and on a schedule.
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/plan/contract/audit-contract.ts';
import { workflowIds, workflowNames } from '../../src/plan/contract/contract.ts';
import { connectTemporal, type TemporalConnection } from '../../src/temporal/connection/connect.ts';
import { runInProcess } from './_in-process.ts';
import { names, writeModels } from './_models.ts';
import { createPipelineFolder, type PipelineFolder, runArguments, useProduct } from './_runs.ts';
import { type Env, useProcesses, waitUntil } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

useProcesses();
const temporal = useTemporal();
const product = useProduct(temporal);
let connection: TemporalConnection;

beforeAll(async () => {
  connection = await connectTemporal({ env: temporal.env });
});
afterAll(() => connection.close());

const as = (actor: string): Env => ({ ...product.env, RENDERLINE_ACTOR: actor });

async function entries(...flags: string[]): Promise<AuditEntry[]> {
  const ended = await runInProcess(['audit', '--json', ...flags], product.env);
  expect(ended, ended.stderr + ended.stdout).toMatchObject({ code: 0 });
  return (JSON.parse(ended.stdout) as { entries: AuditEntry[] }).entries;
}

async function done(args: string[], env: Env): Promise<void> {
  const ended = await runInProcess(args, env);
  expect(ended, ended.stderr + ended.stdout).toMatchObject({ code: 0 });
}

const short = ({ by, what, subject, name, reason }: AuditEntry) => [
  by,
  what,
  subject,
  name,
  reason,
];

/** A pipeline with this name and these additional lines. */
async function pipeline(name: string, lines: string[]): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  const text = (await readFile(place.file, 'utf8')).replace('name: pictures', `name: ${name}`);
  await writeFile(place.file, [text, ...lines].join('\n'));
  return place;
}

/** A pipeline that a schedule starts once a year. */
async function scheduled(name: string): Promise<PipelineFolder> {
  const place = await pipeline(name, ['schedule:', '  cron: "@yearly"']);
  const parameters = `  parameters: { folder: ${place.folder}, out: ${place.out} }`;
  await writeFile(place.file, `${await readFile(place.file, 'utf8')}\n${parameters}\n`);
  return place;
}

test('the log states who started, approved, paused, cancelled and reran a run, and why', async () => {
  const place = await pipeline('told-run', ['canary: { assets: 1 }']);
  await writeModels(place.folder, names('chair', 3));
  const started = await runInProcess(
    runArguments(place, '--json', '--reason', 'autumn'),
    as('anna'),
  );
  const { run } = JSON.parse(started.stdout) as { run: string };
  await waitUntil('it asks for approval', async () =>
    (await runInProcess(['show', run, '--json'], product.env)).stdout.includes('CANARY_WAITING'),
  );
  await done(['pause', run, '--reason', 'lunch'], as('anna'));
  await done(['approve', run, '--yes', '--reason', 'looks right'], as('bob'));
  await done(['cancel', run, '--reason', 'wrong folder'], as('carl'));
  await done(['rerun', run, '--yes', '--with=pinned', '--reason', 'right now'], as('bob'));
  await waitUntil(
    'both runs are listed',
    async () => (await entries('--pipeline', 'told-run')).length > 4,
  );
  const told = await entries('--pipeline', 'told-run');
  const again = told.at(-1)?.name;
  expect(told.map(short)).toEqual([
    ['anna', 'started', 'run', run, 'autumn'],
    ['anna', 'paused', 'run', run, 'lunch'],
    ['bob', 'approved', 'run', run, 'looks right'],
    ['carl', 'cancelled', 'run', run, 'wrong folder'],
    ['bob', 'started', 'run', again, 'right now'],
  ]);
  expect(told.at(-1)?.details).toMatchObject({ again: { of: run } });
  expect(told[0]).toMatchObject({ via: 'command', details: { parameters: { out: place.out } } });
  expect((await entries('--run', run, '--by', 'bob')).map(short)).toEqual([
    ['bob', 'approved', 'run', run, 'looks right'],
  ]);
  const csv = await runInProcess(['audit', '--run', run, '--format', 'csv'], product.env);
  expect(csv.stdout.split('\n')).toHaveLength(6);
  expect(csv.stdout).toContain(`,cancelled,run,${run},told-run,wrong folder,,`);
});

test('the log states who created, paused, resumed, triggered and changed a schedule, and lists its runs', async () => {
  const place = await scheduled('told-nightly');
  const name = 'told-nightly';
  await done(['apply', place.file, '--reason', 'CHG-1'], as('anna'));
  await done(['apply', place.file, '--dry-run'], as('nobody'));
  await done(['schedules', 'pause', name, '--reason', 'stocktaking'], as('bob'));
  await done(['schedules', 'resume', name], as('bob'));
  await done(['schedules', 'trigger', name, '--reason', 'check'], as('carl'));
  await writeFile(place.file, (await readFile(place.file, 'utf8')).replace('@yearly', '@monthly'));
  await done(['apply', place.file], as('anna'));
  // Nothing has changed, so nothing is recorded.
  await done(['apply', place.file], as('nobody'));
  const told = await entries('--pipeline', name);
  const of = (what: string) => told.find((entry) => entry.what === what);
  expect(told.filter(({ subject }) => subject === 'schedule').map(short)).toEqual([
    ['anna', 'created', 'schedule', name, 'CHG-1'],
    ['bob', 'paused', 'schedule', name, 'stocktaking'],
    ['bob', 'resumed', 'schedule', name, null],
    ['carl', 'triggered', 'schedule', name, 'check'],
    ['anna', 'changed', 'schedule', name, null],
  ]);
  expect(of('changed')?.details).toMatchObject({
    fields: [{ field: 'cron', was: '@yearly', is: '@monthly' }],
  });
  expect(of('started')).toMatchObject({
    by: '',
    via: 'schedule',
    subject: 'run',
    details: { schedule: name },
  });
});

test('the log is a single open workflow of the task queue and runs no activities', async () => {
  const log = connection.client.workflow.getHandle(
    workflowIds.audit(product.env['RENDERLINE_TASK_QUEUE'] ?? ''),
  );
  const described = await log.describe();
  expect(described).toMatchObject({ type: workflowNames.audit, status: { name: 'RUNNING' } });
  // Each action was handled, none by an activity.
  const { events = [] } = await log.fetchHistory();
  expect(events?.some((event) => event.workflowTaskFailedEventAttributes)).toBe(false);
  expect(events?.some((event) => event.activityTaskScheduledEventAttributes)).toBe(false);
});

test('an action that cannot be recorded is refused', async () => {
  const place = await scheduled('told-refused');
  const env = { ...product.env, RENDERLINE_TASK_QUEUE: `q-${'x'.repeat(1_200)}` };
  const ended = await runInProcess(['apply', place.file, '--json'], env);
  expect(ended.code).not.toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ code: 'NOT_RECORDED' });
  const listed = await runInProcess(['schedules', '--json'], product.env);
  expect(listed.stdout).not.toContain('told-refused');
});
