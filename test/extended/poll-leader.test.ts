// One worker polls for the waits of all; the poll leader may change during the waits.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunningWorker } from '../../src/app/worker/worker.ts';
import { allHistories } from '../system/_histories.ts';
import { writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  reportOf,
  runToEnd,
  startRun,
} from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import { type Env, startWorkerProcess, useProcesses, waitWhileRunning } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { startWorkerWith } from '../system/_workers.ts';

const temporal = useTemporal();
useProcesses();

let sandbox: SandboxInUse;
beforeAll(async () => {
  sandbox = await startSandbox(fastSandbox);
});

const waits = ['model_ready', 'render_complete'];

interface Taken {
  type: string;
  queue: string;
  host: string;
}

/** Activities of a run, with their queue and the host that ended them. */
async function activitiesOf(env: Env, run: string): Promise<Taken[]> {
  return (await allHistories(env, run)).flatMap(({ events }) => {
    const scheduled = new Map(
      events.flatMap(({ eventId, activityTaskScheduledEventAttributes: one }) =>
        one ? [[String(eventId), one] as const] : [],
      ),
    );
    return events.flatMap(({ activityTaskStartedEventAttributes: started }) => {
      const one = scheduled.get(String(started?.scheduledEventId));
      if (!one) return [];
      return {
        type: one.activityType?.name ?? '',
        queue: one.taskQueue?.name ?? '',
        host: (started?.identity ?? '').replace(/^[^@]+@/, ''),
      };
    });
  });
}

/** Makes both waits of a run take seconds; the first lasts until a poll leader is elected. */
async function slowly(): Promise<void> {
  await sandbox.set('faults', [
    { model: '**', do: { durationMs: 12_000 } },
    { render: '**', do: { durationMs: 4_000 } },
  ]);
}

const lookersOf = (taken: readonly Taken[], type: string) => [
  ...new Set(taken.filter((one) => one.type === type).map(({ host }) => host)),
];

describe('three workers that start together', () => {
  const names = ['w1', 'w2', 'w3'];
  let env: Env;
  let workers: Map<string, RunningWorker>;
  let pollerContext = '';
  beforeAll(async () => {
    env = joined(temporal.env, sandbox.env);
    const started = names.map(
      async (host) => [host, await startWorkerWith(env, { host })] as const,
    );
    workers = new Map(await Promise.all(started));
    await slowly();
  });

  it('when three workers start together, one of them polls and all of them work', async () => {
    const place = await createPipelineFolder('lookout');
    await writeModels(place.folder, ['a', 'b', 'c', 'd']);
    const report = await runToEnd(place, env);
    const activities = await activitiesOf(env, report.run);
    // At first each worker polls for itself; by the time of the renders there is a poll leader.
    const lookers = lookersOf(activities, 'render_complete');
    expect(lookers).toHaveLength(1);
    pollerContext = lookers[0] ?? '';
    expect(names).toContain(pollerContext);
    const queue = env['RENDERLINE_TASK_QUEUE'];
    const looks = activities.filter(({ type }) => waits.includes(type));
    expect(new Set(looks.map((one) => one.queue))).toEqual(new Set([`${queue}/polls`]));
    await expectPictures(report, ['a', 'b', 'c', 'd']);
  });

  it('another worker takes over when the poll leader stops during the waits, and nothing is done twice', async () => {
    const place = await createPipelineFolder('handover');
    await writeModels(place.folder, ['e', 'f']);
    const before = await sandbox.stats();
    const run = startRun(place, env);
    await waitWhileRunning(run, 'a model is made', async () => {
      const { created } = await sandbox.stats();
      return created.models > before.created.models;
    });
    workers.get(pollerContext)?.shutdown();
    const report = reportOf(await run.finished);
    const lookers = lookersOf(await activitiesOf(env, report.run), 'render_complete');
    expect(lookers).toHaveLength(1);
    expect(lookers).not.toContain(pollerContext);
    expectOnce(before, await sandbox.stats(), ['e.glb', 'f.glb']);
  });
});

it('when a poll leader is killed, another worker takes over', async () => {
  const env = joined(temporal.env, sandbox.env);
  const killed = await startWorkerProcess(env);
  await slowly();
  const place = await createPipelineFolder('killed-lookout');
  await writeModels(place.folder, ['g', 'h']);
  const before = await sandbox.stats();
  const run = startRun(place, env);
  await waitWhileRunning(run, 'a look', async () => {
    const { requests } = await sandbox.stats();
    return (requests['checkModelStatus'] ?? 0) > (before.requests['checkModelStatus'] ?? 0);
  });
  await startWorkerWith(env, { host: 'next' });
  await killed.stop('SIGKILL');
  const report = reportOf(await run.finished);
  expect(lookersOf(await activitiesOf(env, report.run), 'render_complete')).toEqual(['next']);
  await expectPictures(report, ['g', 'h']);
  expectOnce(before, await sandbox.stats(), ['g.glb', 'h.glb']);
});
