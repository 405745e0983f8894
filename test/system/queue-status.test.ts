// What metrics show of a task queue, read from a real Temporal server: open runs, and when schedules last succeeded.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runMemoField } from '../../src/plan/run/run-memo.ts';
import { searchAttributeKeys } from '../../src/temporal/search-attributes.ts';
import { readOpenRuns } from '../../src/temporal/status/open-runs.ts';
import { ScheduleStatusReader } from '../../src/temporal/status/schedule-status.ts';
import { runInProcess } from './_in-process.ts';
import { names, writeModels } from './_models.ts';
import { createPipelineFolder, useProduct } from './_runs.ts';
import { useProcesses, waitUntil } from './_stack.ts';
import { useClient, useTemporal } from './_temporal.ts';

useProcesses();
const temporal = useTemporal();
const product = useProduct(temporal);

const client = useClient(temporal);

test('open runs: those that work, those that are paused, and those that do not say', async () => {
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

test('schedules: the period, the last success, and the next one in what is read since', async () => {
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
  expect(known).toEqual({ schedule: 'nightly', lastSuccessMs: null });
  // The jitter of each start is in it.
  expect(Math.round((periodMs ?? 0) / 3_600_000)).toBe(7 * 24);

  const succeeded = async (afterMs: number) => {
    const { code, stderr } = await runInProcess(['schedules', 'trigger', 'nightly'], product.env);
    expect(code, stderr).toBe(0);
    let lastMs = 0;
    await waitUntil('its run is read as a success', async () => {
      lastMs = (await read())?.lastSuccessMs ?? 0;
      return lastMs > afterMs;
    });
    return lastMs;
  };
  const first = await succeeded(0);
  // A worker that starts now reads the same.
  const [other] = await new ScheduleStatusReader(client()).read();
  expect(other?.lastSuccessMs).toBe(first);
  expect(await succeeded(first)).toBeGreaterThan(first);
});
