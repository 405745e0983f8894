// Cancel, pause and resume, also of runs that continue as new: renders that the platform can still cancel are
// cancelled, the others are reported, and the next run takes the files.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ListedRun } from '../../src/app/runs/listed-run.ts';
import { compileFile } from '../../src/compile/compile.ts';
import { type RunInput, type RunResult, workflowNames } from '../../src/plan/contract/contract.ts';
import { allHistories, withClient } from './_histories.ts';
import { runInProcess, startWorkerInProcess } from './_in-process.ts';
import { inLane, type Lane } from './_lane.ts';
import { names, writeModels } from './_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  type PipelineFolder,
  reportOf,
  runIdOf,
  runToEnd,
  startRun,
} from './_runs.ts';
import { fastSandbox, type SandboxStats, startSandbox } from './_sandbox.ts';
import { type Env, useProcesses, waitUntil, waitWhileRunning } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

// A low limit, so that a run of several shards continues as new more than once.
const temporal = useDevServer({
  dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 15 },
});
useProcesses();
/** At this speed renders stay in the queue for long. Rules make everything else quick. */
const slowly = ['--speed', '0.02', '--picture-scale', '0'];

const quick = { model: '**', do: { durationMs: 50 } };
/** Renders stay in the queue, where they can be cancelled. */
const queued = [quick, { render: '**', do: { durationMs: 3_600_000 } }];
const quickRenders = [quick, { render: '**', do: { durationMs: 100 } }];

async function jobStatus(lane: Lane, jobId: string | undefined): Promise<string> {
  const job = (await lane.sandbox.api('GET', `/renders/${jobId}`)) as { status: string };
  return job.status;
}

/** The state of a run in `renderline runs`. */
async function listedState(lane: Lane, id: string): Promise<string | undefined> {
  const { stdout } = await runInProcess(['runs', '--json'], lane.env);
  const { runs } = JSON.parse(stdout) as { runs: ListedRun[] };
  return runs.find((one) => one.run === id)?.state;
}

/** Ids of the open workflows of a run, by the description of each, since the list may be late. */
async function openOf(env: Env, id: string): Promise<string[]> {
  return withClient(env, async ({ client }) => {
    const open: string[] = [];
    const query = `WorkflowId STARTS_WITH "${id}" AND ExecutionStatus = "Running"`;
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      const { status } = await client.workflow.getHandle(workflowId, runId).describe();
      if (status.name === 'RUNNING') open.push(workflowId);
    }
    return open;
  });
}

function since(before: SandboxStats, after: SandboxStats) {
  return {
    models: after.created.models - before.created.models,
    projects: after.created.projects - before.created.projects,
    renderJobs: after.created.renderJobs - before.created.renderJobs,
    cancelled: (after.requests['cancelRenderJob'] ?? 0) - (before.requests['cancelRenderJob'] ?? 0),
  };
}

async function placeWith(prefix: string, count: number) {
  const place = await createPipelineFolder(prefix);
  const keys = names(prefix, count);
  await writeModels(place.folder, keys);
  return { place, keys, files: keys.map((key) => `${key}.glb`) };
}

/** Starts `run --wait` and returns the run's id once all renders are submitted. */
async function untilSubmitted(lane: Lane, place: PipelineFolder, count: number) {
  const before = await lane.sandbox.stats();
  const running = startRun(place, lane.env);
  await waitWhileRunning(running, 'all renders are submitted', async () => {
    return since(before, await lane.sandbox.stats()).renderJobs === count;
  });
  const id = await runIdOf(running);
  await waitWhileRunning(running, 'the run knows of them', () => knowsOfRenders(lane, id, count));
  return { running, id, before };
}

/** The platform creates the renders a moment before the run gets the response. */
async function knowsOfRenders(lane: Lane, id: string, count: number): Promise<boolean> {
  const { steps } = await lane.show(id);
  return steps.some((step) => step.id === 'shots' && step.count.done === count);
}

inLane(
  'a run that is cancelled',
  temporal,
  (lane) => {
    test('a cancelled run cancels its queued renders, and the next run takes the files and reuses their models and projects', async () => {
      await lane.sandbox.set('faults', queued);
      const { place, keys } = await placeWith('queued', 6);
      const { running, id, before } = await untilSubmitted(lane, place, keys.length);
      expect(await lane.control('cancel', id)).toMatchObject({
        state: expect.stringMatching(/^cancell/) as string,
      });
      expect((await running.finished).code).toBe(1);
      const { results, outcome, warnings, requests, historyEvents } = await lane.show(id);
      expect(outcome).toBe('cancelled');
      expect(results.map(({ key, outcome }) => [key, outcome])).toEqual(
        keys.map((key) => [key, 'cancelled']),
      );
      expect(requests.byOperation).toMatchObject({ createRenders: 1, cancelRenderJob: 6 });
      expect(historyEvents).toBeGreaterThan(20);
      for (const { platformIds } of results)
        expect(await jobStatus(lane, platformIds.jobId)).toBe('CANCELLED');
      expect(warnings).toEqual([]);
      expect(since(before, await lane.sandbox.stats())).toMatchObject({ cancelled: keys.length });

      await lane.sandbox.set('faults', quickRenders);
      await expectPictures(await runToEnd(place, lane.env), keys);
      expect(since(before, await lane.sandbox.stats())).toMatchObject({
        models: keys.length,
        projects: keys.length,
        renderJobs: 2 * keys.length,
      });
    });

    test('a cancelled run reports renders that the platform can no longer cancel, and the next run takes them over', async () => {
      const sandbox = await startSandbox(fastSandbox);
      await sandbox.set('faults', [{ render: '**', do: { durationMs: 20_000 } }]);
      const env = joined(temporal.env, sandbox.env);
      const worker = await startWorkerInProcess(env);
      const { place, keys, files } = await placeWith('late', 3);
      const before = await sandbox.stats();
      const running = startRun(place, env);
      await waitWhileRunning(running, 'all renders are submitted', async () => {
        return (await sandbox.stats()).created.renderJobs === keys.length;
      });
      const id = await runIdOf(running);
      await waitWhileRunning(running, 'the run knows of them', () =>
        knowsOfRenders(lane, id, keys.length),
      );
      await lane.control('cancel', id);
      await running.finished;
      const { results, warnings, outcome } = await lane.show(id);
      expect(outcome).toBe('cancelled');
      expect(results).toHaveLength(3);
      expect(warnings).toEqual(
        results.map(({ key, platformIds }) => ({
          key,
          message: expect.stringContaining(`${platformIds.jobId} cannot be cancelled (RENDERING)`),
        })),
      );
      await expectPictures(await runToEnd(place, env), keys);
      expectOnce(before, await sandbox.stats(), files);
      await worker.stop();
      await sandbox.stop();
    });

    test('a cancelled run ends even though its API key has been revoked', async () => {
      await lane.sandbox.set('faults', queued);
      const { place, keys } = await placeWith('locked-out', 2);
      const { running, id } = await untilSubmitted(lane, place, keys.length);
      await lane.sandbox.set('access', { deny: 'INVALID_API_KEY' });
      expect((await running.finished).code).toBe(4);
      expect(await lane.control('cancel', id)).toMatchObject({
        state: expect.stringMatching(/^cancell/) as string,
      });
      const { results, warnings } = await lane.show(id);
      await lane.sandbox.set('access', { deny: null });
      expect(results.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
      expect(warnings).toHaveLength(2);
    });

    test('a run that is cancelled before it submits anything frees its files immediately', async () => {
      await lane.sandbox.set('faults', [
        { match: 'createJob', nth: 1, do: { delayMs: 2_000, before: true } },
        ...quickRenders,
      ]);
      const { place, keys, files } = await placeWith('early', 4);
      const before = await lane.sandbox.stats();
      const running = startRun(place, lane.env);
      const id = await runIdOf(running);
      await waitWhileRunning(running, 'the upload is prepared', async () => {
        const { requests } = await lane.sandbox.stats();
        return (requests['createJob'] ?? 0) > (before.requests['createJob'] ?? 0);
      });
      await lane.control('cancel', id);
      await running.finished;
      await expectPictures(await runToEnd(place, lane.env), keys);
      expectOnce(before, await lane.sandbox.stats(), files);
    });
  },
  slowly,
);

inLane('a run that is paused', temporal, (lane) => {
  test('a paused run submits nothing more, and continues when it is resumed', async () => {
    await lane.sandbox.set('faults', [
      { model: '**', do: { durationMs: 3_000 } },
      { render: '**', do: { durationMs: 100 } },
    ]);
    const { place, keys, files } = await placeWith('paused', 5);
    const before = await lane.sandbox.stats();
    const running = startRun(place, lane.env);
    const id = await runIdOf(running);
    await waitWhileRunning(running, 'models are made', async () => {
      return since(before, await lane.sandbox.stats()).models === keys.length;
    });
    const pause = ['pause', id, '--reason', 'wrong floor', '--json'];
    expect(JSON.parse((await runInProcess(pause, lane.env)).stdout)).toMatchObject({
      state: 'paused',
    });
    const shown = await runInProcess(['show', id], lane.env);
    expect(shown.stdout).toMatch(/^Paused by .+@.+ since 20.+Z: wrong floor\n.*renderline resume/m);
    // All models are ready and the wait for them has ended, but nothing follows.
    await waitUntil('models are ready', async () => {
      const ready = (await lane.show(id)).steps.find((step) => step.id === 'ready');
      return ready?.count.done === keys.length;
    });
    expect(since(before, await lane.sandbox.stats())).toMatchObject({ projects: 0 });
    await waitUntil('the list says so', async () => (await listedState(lane, id)) === 'paused');
    expect(await lane.control('resume', id)).toMatchObject({
      state: expect.not.stringMatching('paused'),
    });
    // On a busy machine the run may have ended before the list is read.
    await waitUntil('the list says so', async () => (await listedState(lane, id)) !== 'paused');
    await expectPictures(reportOf(await running.finished), keys);
    expectOnce(before, await lane.sandbox.stats(), files);
  });
});

inLane(
  'a run of many shards',
  temporal,
  (lane) => {
    /** A receiver that must get no notice of runs that continue: nothing listens at this address. */
    const told = {
      url: 'http://127.0.0.1:9/',
      secretFrom: 'RENDERLINE_SECRET_NOBODY_HAS',
      on: ['failed'],
    };

    /** Starts a run in shards of two, two at a time, which a pipeline file cannot request. */
    async function startSharded(place: PipelineFolder, id: string): Promise<void> {
      const parameters = { folder: place.folder, out: place.out };
      const { plan } = await compileFile(place.file, {
        cwd: place.root,
        environment: {},
        parameters,
      });
      if (!plan) throw new Error('the pipeline is not valid');
      const input: RunInput = {
        plan: { ...plan, shardSize: 2, window: 2, notify: [told] },
        run: id,
        lineage: id,
        epoch: 0,
        searchable: true,
      };
      const memo = {
        renderline: {
          pipeline: plan.pipeline,
          file: plan.file,
          records: plan.records,
          destination: plan.destination,
          steps: plan.steps.map((step) => step.id),
        },
      };
      await withClient(lane.env, ({ client }) =>
        client.workflow.start(workflowNames.run, {
          taskQueue: lane.env['RENDERLINE_TASK_QUEUE'] ?? '',
          workflowId: id,
          args: [input],
          memo,
        }),
      );
    }

    const resultOf = (env: Env, id: string) =>
      withClient(env, ({ client }) => client.workflow.getHandle(id).result() as Promise<RunResult>);

    async function executions(id: string): Promise<number> {
      const histories = await allHistories(lane.env, id);
      return histories.filter(({ workflowId }) => workflowId === id).length;
    }

    /** Events that a workflow counts before they happen: those of its end, and of the signal before its end. */
    const eventsOfEnd = [
      'workflowTaskCompletedEventAttributes',
      'workflowExecutionCompletedEventAttributes',
      'workflowExecutionContinuedAsNewEventAttributes',
      'upsertWorkflowSearchAttributesEventAttributes',
    ] as const;
    const eventsOfSignal = [
      ...eventsOfEnd,
      'signalExternalWorkflowExecutionInitiatedEventAttributes',
      'externalWorkflowExecutionSignaledEventAttributes',
      'workflowTaskScheduledEventAttributes',
      'workflowTaskStartedEventAttributes',
      'workflowTaskCompletedEventAttributes',
    ] as const;

    /** Events that no workflow can count: on a busy machine a timer, a signal or a task may come in between. */
    function uncountedEvents(all: Awaited<ReturnType<typeof allHistories>>[number]['events']) {
      const signalled = all.findLastIndex(
        (event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes,
      );
      const until = signalled === -1 ? all.length : signalled;
      const counting = all
        .slice(0, until)
        .findLastIndex((event) => event.workflowTaskStartedEventAttributes);
      const counted: string[] = signalled === -1 ? [...eventsOfEnd] : [...eventsOfSignal];
      return all.slice(counting + 1).filter((event) => {
        const index = counted.findIndex((field) => event[field as keyof typeof event]);
        if (index !== -1) counted.splice(index, 1);
        return index === -1;
      });
    }

    test('a run of many shards continues as new repeatedly, and its totals cover all executions', async () => {
      await lane.sandbox.set('faults', quickRenders);
      const { place, keys, files } = await placeWith('shards', 14);
      const before = await lane.sandbox.stats();
      const id = `sharded-${process.pid}`;
      await startSharded(place, id);
      const result = await resultOf(lane.env, id);
      expect(result).toMatchObject({
        outcome: 'complete',
        assets: { total: 14, complete: 14, failed: 0, skipped: 0 },
      });
      expect(await executions(id)).toBeGreaterThan(2);
      const histories = await allHistories(lane.env, id);
      const events = histories.reduce((sum, history) => sum + history.events.length, 0);
      const late = histories.flatMap(({ events: all }) => uncountedEvents(all));
      expect(result.historyEvents).toBe(events - late.length);
      expect(histories.filter(({ workflowId }) => workflowId.includes('/notice'))).toEqual([]);
      await expectPictures(await lane.show(id), keys);
      expectOnce(before, await lane.sandbox.stats(), files);
    });

    test('a run that has continued as new is cancelled with all its shards', async () => {
      await lane.sandbox.set('faults', [
        quick,
        { render: '*chain-0[1-6]*', do: { durationMs: 100 } },
        { render: '**', do: { durationMs: 3_600_000 } },
      ]);
      const { place, keys } = await placeWith('chain', 14);
      const before = await lane.sandbox.stats();
      const id = `cancelled-${randomUUID()}`;
      await startSharded(place, id);
      await waitUntil('it has continued and waits for renders', async () => {
        const { renderJobs } = since(before, await lane.sandbox.stats());
        return renderJobs >= 8 && (await executions(id)) > 1;
      });
      expect(await lane.control('cancel', id)).toMatchObject({
        state: expect.stringMatching(/^cancell/) as string,
      });
      await expect.poll(() => openOf(lane.env, id), { timeout: 60_000 }).toEqual([]);
      const shown = await lane.show(id);
      // Two shards of the first execution have two files each. Whether the third had begun is a matter of timing.
      expect(shown.files.length).toBeGreaterThanOrEqual(4);
      const cancelled = shown.results.filter(({ outcome }) => outcome === 'cancelled');
      const statuses = await Promise.all(
        cancelled.flatMap(({ platformIds }) =>
          platformIds.jobId ? [jobStatus(lane, platformIds.jobId)] : [],
        ),
      );
      const stopped = statuses.filter((status) => status === 'CANCELLED').length;
      expect(stopped).toBeGreaterThanOrEqual(2);
      expect(statuses).not.toContain('QUEUED');

      await lane.sandbox.set('faults', quickRenders);
      const delivered = new Set(shown.files.map(({ key }) => key));
      await expectPictures(
        await runToEnd(place, lane.env),
        keys.filter((key) => !delivered.has(key)),
      );
      expect(since(before, await lane.sandbox.stats())).toMatchObject({
        models: keys.length,
        renderJobs: keys.length + stopped,
      });
    });

    test('a paused run stays paused even though it is due to continue as new', async () => {
      await lane.sandbox.set('faults', quickRenders);
      const { place, keys, files } = await placeWith('still', 10);
      const before = await lane.sandbox.stats();
      const id = `paused-${process.pid}`;
      await startSharded(place, id);
      await waitUntil('it has continued', async () => (await executions(id)) > 1);
      expect(await lane.control('pause', id)).toMatchObject({ state: 'paused' });
      expect(await lane.show(id)).toMatchObject({ outcome: 'paused' });
      await lane.control('resume', id);
      expect(await resultOf(lane.env, id)).toMatchObject({ assets: { complete: keys.length } });
      expectOnce(before, await lane.sandbox.stats(), files);
    });
  },
  slowly,
);
