// What metrics and the Temporal UI show, read from a real Temporal server: open runs, last successes of schedules, the
// views of the documentation, and the summaries in histories.
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineSearchAttributeKey } from '@temporalio/common';
import { beforeAll, describe, expect, test } from 'vitest';
import { workflowIds, workflowNames } from '../../src/plan/contract/contract.ts';
import { runMemoField } from '../../src/plan/run/run-memo.ts';
import { searchAttributeNames } from '../../src/plan/search-attributes.ts';
import { searchAttributeKeys } from '../../src/temporal/search-attributes.ts';
import { readOpenRuns } from '../../src/temporal/status/open-runs.ts';
import { ScheduleStatusReader } from '../../src/temporal/status/schedule-status.ts';
import { runInProcess } from './_in-process.ts';
import { names, writeModels } from './_models.ts';
import { createPipelineFolder, reportOf, startRun, useProduct } from './_runs.ts';
import { useProcesses, waitUntil } from './_stack.ts';
import { useClient, useTemporal } from './_temporal.ts';

useProcesses();
const temporal = useTemporal();
const product = useProduct(temporal);

const client = useClient(temporal);

test('open runs are reported as working, as paused or with an unknown state', async () => {
  const taskQueue = 'nobody-works-here';
  const started = async (workflowId: string, attributes: Record<string, string>) =>
    client().workflow.start('pipelineRun', {
      workflowId,
      taskQueue,
      memo: { [runMemoField]: { pipeline: 'shoes' } },
      typedSearchAttributes: Object.entries(attributes).map(([name, value]) => ({
        key: name === 'pipeline' ? searchAttributeKeys.pipeline : searchAttributeKeys.outcome,
        value,
      })),
    });
  await started('shoes-20261127-020000-0001', { pipeline: 'shoes' });
  await started('shoes-20261127-020000-0002', { pipeline: 'shoes', outcome: 'paused' });
  await started('shoes-20261127-020000-0003', {});
  await waitUntil('all are listed', async () => {
    return (await readOpenRuns(client(), taskQueue))?.length === 3;
  });
  const runs = (await readOpenRuns(client(), taskQueue)) ?? [];
  expect(runs.map(({ state }) => state).sort()).toEqual(['paused', 'unknown', 'working']);
  for (const run of runs) {
    expect(run).toMatchObject({
      pipeline: 'shoes',
      startedAtMs: Date.parse('2026-11-27T02:00:00Z'),
      pinnedTo: null,
    });
  }
});

test('a schedule reports its period and its last success, even when a new worker reads it', async () => {
  const place = await createPipelineFolder('nightly');
  await writeModels(place.folder, names('nightly', 1));
  const lines = [
    'schedule:',
    '  cron: "0 2 * * MON"',
    `  parameters: { folder: ${place.folder}, out: ${place.out} }`,
  ];
  const text = (await readFile(place.file, 'utf8')).replace('name: pictures', 'name: nightly');
  await writeFile(place.file, [text, ...lines].join('\n'));
  const applied = await runInProcess(['apply', place.file], product.env);
  expect(applied.code, applied.stderr).toBe(0);

  const reader = new ScheduleStatusReader(client());
  const read = async () => (await reader.read()).find(({ schedule }) => schedule === 'nightly');
  await waitUntil('the schedule is listed', async () => (await read()) !== undefined);
  const { periodMs, ...known } = (await read()) ?? {};
  expect(known).toEqual({ schedule: 'nightly', lastSuccessAtMs: null });
  // The period includes the jitter of each start.
  expect(Math.round((periodMs ?? 0) / 3_600_000)).toBe(7 * 24);

  const succeeded = async (afterMs: number) => {
    const { code, stderr } = await runInProcess(['schedules', 'trigger', 'nightly'], product.env);
    expect(code, stderr).toBe(0);
    let lastMs = 0;
    await waitUntil('its run is read as a success', async () => {
      lastMs = (await read())?.lastSuccessAtMs ?? 0;
      return lastMs > afterMs;
    });
    return lastMs;
  };
  const first = await succeeded(0);
  // A worker that starts now reads the same values.
  const [other] = await new ScheduleStatusReader(client()).read();
  expect(other?.lastSuccessAtMs).toBe(first);
  expect(await succeeded(first)).toBeGreaterThan(first);
});

describe('the views of the documentation', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/runs.md', import.meta.url)), 'utf8');
  const views = new Map(
    [...page.matchAll(/^\| ([^|]+) \| `(\w+ [^`]+)` \|/gm)].map(([, name = '', query = '']) => [
      name,
      query.replace('RUN', 'working'),
    ]),
  );
  const { run, shard, notice, allowance, pollLeader, audit, eventTrigger } = workflowNames;
  const housekeeping = [
    [allowance, workflowIds.allowance('key')],
    [pollLeader, workflowIds.pollLeader('queue')],
    [audit, workflowIds.audit('queue')],
    [audit, workflowIds.generalPause('queue', null)],
  ] as const;
  const runs: [id: string, attributes: Record<string, string>][] = [
    ['working', {}],
    ['waiting', { outcome: 'paused' }],
    ['complete', { outcome: 'complete' }],
    ['partly', { outcome: 'partial_failure' }],
    ['failed', { outcome: 'failed' }],
    ['terminated', {}],
    ['late', { lateness: 'late' }],
    ['expected-late', { lateness: 'expected' }],
  ];
  const parts = [
    [shard, workflowIds.shard('working', 0)],
    [notice, workflowIds.notice('working', 0)],
  ] as const;
  const triggers = [[eventTrigger, workflowIds.eventTrigger('shoes')]] as const;
  const others = [...parts, ...housekeeping, ...triggers];
  const ours = new Set([...runs, ...others.map(([, id]) => [id])].map(([id]) => id));

  const listedAll = async (view: string): Promise<string[]> => {
    const query = views.get(view) ?? view;
    const ids: string[] = [];
    for await (const { workflowId } of client().workflow.list({ query })) ids.push(workflowId);
    return ids.sort();
  };
  const listed = async (view: string) => (await listedAll(view)).filter((id) => ours.has(id));

  beforeAll(async () => {
    const taskQueue = 'nobody-works-here';
    const started = runs.map(([workflowId, attributes]) =>
      client().workflow.start(run, {
        workflowId,
        taskQueue,
        typedSearchAttributes: Object.entries(attributes).map(([name, value]) => {
          const attribute = searchAttributeNames[name as keyof typeof searchAttributeNames];
          return { key: defineSearchAttributeKey(attribute, 'KEYWORD'), value };
        }),
      }),
    );
    const rest = others.map(([type, workflowId]) =>
      client().workflow.start(type, { workflowId, taskQueue }),
    );
    await Promise.all([...started, ...rest]);
    await client().workflow.getHandle('terminated').terminate();
    await waitUntil('all are listed', async () => {
      const open = await listed("ExecutionStatus = 'Running'");
      return open.length === ours.size - 1;
    });
  });

  test.each([
    ['Runs', runs.map(([id]) => id)],
    ['Failures', ['partly', 'failed', 'terminated']],
    ['Waiting', ['waiting']],
    ['Late', ['late', 'expected-late']],
    ['Event triggers', triggers.map(([, id]) => id)],
    ['Parts', parts.map(([, id]) => id)],
    ['Housekeeping', housekeeping.map(([, id]) => id)],
  ])('the view %s lists %j', async (name, ids) => {
    expect(await listed(name)).toEqual(ids.toSorted());
  });

  test('the views list a partially failed run, and its page contains the next command', async () => {
    const place = await createPipelineFolder('part');
    const [failing = '', other = ''] = names('part', 2);
    await writeModels(place.folder, [failing, other]);
    await product.sandbox.set('faults', [{ model: `${failing}*`, do: { failure: 'no meshes' } }]);
    const { run: id } = reportOf(await startRun(place, product.env).finished, 3);
    await product.sandbox.set('faults', []);
    await waitUntil('it is listed', async () => (await listedAll('Failures')).includes(id));
    const metadata = await client().workflow.getHandle(id).query('__temporal_workflow_metadata');
    const { currentDetails } = metadata as { currentDetails: string };
    expect(currentDetails).toMatch(
      /^\*\*pictures\*\*: partial failure, 1 of 2 complete, 1 failed$/m,
    );
    expect(currentDetails).toContain(`\`renderline rerun ${id}\``);
  });

  test('every documented view is tested, and the example address opens one of the views', () => {
    expect(views.size).toBe(7);
    const [, address = ''] = /^(http\S+savedQuery\S+)$/m.exec(page) ?? [];
    const { searchParams } = new URL(address);
    expect(views.get(searchParams.get('savedQuery') ?? '')).toBe(searchParams.get('query'));
  });
});

test('each activity and each timer of a run has a summary', async () => {
  const place = await createPipelineFolder('words');
  await writeModels(place.folder, names('words', 2));
  const { run } = reportOf(await startRun(place, product.env).finished);
  const texts: string[] = [];
  for (const id of [run, workflowIds.shard(run, 0)]) {
    const { events } = await client().workflow.getHandle(id).fetchHistory();
    for (const event of events ?? []) {
      const { activityTaskScheduledEventAttributes: activity, timerStartedEventAttributes } = event;
      if (!activity && !timerStartedEventAttributes) continue;
      const summary = event.userMetadata?.summary?.data ?? '""';
      texts.push(String(JSON.parse(Buffer.from(summary).toString())));
    }
  }
  expect(texts).toEqual(
    expect.arrayContaining([
      'List the assets of the source',
      'Claim the assets of this shard',
      'Write results and records',
    ]),
  );
  expect(texts).not.toContain('');
});
