// Actions on runs in the Temporal UI, which bypass the product: reset, terminate, start again, signal with start.
// Nothing is created twice, no result is lost, and nothing blocks the next run.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { workflowIds, workflowNames } from '../../src/plan/contract/contract.ts';
import { withClient } from '../system/_histories.ts';
import { runInProcess } from '../system/_in-process.ts';
import { inLane, type Lane } from '../system/_lane.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  errorOf,
  expectOnce,
  expectPictures,
  type PipelineFolder,
  reportOf,
  runArguments,
  runToEnd,
} from '../system/_runs.ts';
import { useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const assets = 5;
/** Renders take some seconds, so that there is time for an action. */
const slow = [
  { model: '**', do: { durationMs: 200 } },
  { render: '**', do: { durationMs: 4_000 } },
];

interface Pressed {
  lane: Lane;
  run: string;
  workflow: (workflowId: string) => WorkflowHandle;
  reset: (workflowId: string, to: 'first' | 'last') => Promise<void>;
}

interface Begun {
  place: PipelineFolder;
  keys: string[];
  files: string[];
  id: string;
  before: Awaited<ReturnType<Lane['sandbox']['stats']>>;
}

let begun = 0;

async function begin(lane: Lane, name: string): Promise<Begun> {
  begun += 1;
  const prefix = `${name.replaceAll(/\W+/g, '-').slice(0, 20)}-${begun}`;
  const place = await createPipelineFolder(prefix);
  const keys = names(prefix, assets);
  await writeModels(place.folder, keys);
  await lane.sandbox.set('faults', slow);
  const before = await lane.sandbox.stats();
  const started = await runInProcess(runArguments(place, '--json'), lane.env);
  const { run: id } = JSON.parse(started.stdout) as { run: string };
  const submitted = before.created.renderJobs + assets;
  await waitUntil('all renders are submitted', async () => {
    return (await lane.sandbox.stats()).created.renderJobs === submitted;
  });
  return { place, keys, files: keys.map((key) => `${key}.glb`), id, before };
}

async function press(lane: Lane, id: string, button: (pressed: Pressed) => Promise<void>) {
  await withClient(lane.env, async ({ client, namespace }) => {
    const workflow = (workflowId: string) => client.workflow.getHandle(workflowId);
    const reset = async (workflowId: string, to: 'first' | 'last') => {
      const { runId } = await workflow(workflowId).describe();
      const tasksDone = async () => {
        const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
        return (events ?? []).flatMap((event) =>
          event.workflowTaskCompletedEventAttributes && event.eventId ? event.eventId : [],
        );
      };
      // A workflow that has just been reset can be reset again only after its first task.
      await waitUntil(`${workflowId} has done a task`, async () => (await tasksDone()).length > 0);
      const tasks = await tasksDone();
      await client.workflowService.resetWorkflowExecution({
        namespace,
        workflowExecution: { workflowId, runId },
        reason: 'by hand',
        requestId: crypto.randomUUID(),
        workflowTaskFinishEventId: (to === 'first' ? tasks[0] : tasks.at(-1)) ?? null,
      });
    };
    await button({ lane, run: id, workflow, reset });
  });
}

/** Names of claims and tickets in the records store. */
async function claims({ out }: PipelineFolder): Promise<string[]> {
  return readdir(join(out, '.renderline', 'pictures', 'claims')).catch(() => []);
}

async function ended(lane: Lane, id: string, code = 0) {
  return reportOf(await runInProcess(['show', id, '--wait', '--json'], lane.env), code);
}

/** Expects that another run finds all assets unchanged, creates nothing, and leaves no claim. */
async function expectNothingLeft(lane: Lane, { place, keys }: Begun) {
  const before = await lane.sandbox.stats();
  const report = await runToEnd(place, lane.env);
  expect(report.assets).toMatchObject({ total: keys.length, unchanged: keys.length });
  expect((await lane.sandbox.stats()).created).toEqual(before.created);
  expect(await claims(place)).toEqual([]);
}

const shardOf = (id: string) => workflowIds.shard(id, 0);

inLane('an open run', temporal, (lane) => {
  test.each<[string, (pressed: Pressed) => Promise<void>]>([
    ['is reset to its first task', ({ run: id, reset }) => reset(id, 'first')],
    ['is reset to its last task', ({ run: id, reset }) => reset(id, 'last')],
    ['has its shard reset to the first task', ({ run: id, reset }) => reset(shardOf(id), 'first')],
    ['has its shard reset to the last task', ({ run: id, reset }) => reset(shardOf(id), 'last')],
    [
      'is reset twice and has its shard reset',
      async ({ run: id, reset }) => {
        await reset(id, 'first');
        await reset(shardOf(id), 'first');
        await reset(id, 'first');
      },
    ],
    [
      'is signalled with start',
      async ({ run: id }) => {
        await withClient(lane.env, async ({ client }) => {
          await client.workflow.signalWithStart(workflowNames.run, {
            taskQueue: lane.env['RENDERLINE_TASK_QUEUE'] ?? '',
            workflowId: id,
            signal: 'resume',
            args: [],
          });
        });
      },
    ],
  ])('an open run that %s completes, and nothing is created twice', async (name, button) => {
    const begun = await begin(lane, name);
    await press(lane, begun.id, button);
    const report = await ended(lane, begun.id);
    expect(report).toMatchObject({ outcome: 'complete', assets: { complete: assets } });
    await expectPictures(report, begun.keys);
    expectOnce(begun.before, await lane.sandbox.stats(), begun.files);
    await expectNothingLeft(lane, begun);
  });

  test('an open run that is reset to its first task and then cancelled leaves no shard open', async () => {
    const begun = await begin(lane, 'reset-cancel');
    await press(lane, begun.id, ({ reset }) => reset(begun.id, 'first'));
    await lane.control('cancel', begun.id);
    await withClient(lane.env, async ({ client }) => {
      await waitUntil('no workflow of it goes on', async () => {
        for await (const { workflowId, status } of client.workflow.list()) {
          if (workflowId.startsWith(begun.id) && status.name === 'RUNNING') return false;
        }
        return true;
      });
    });
    await runToEnd(begun.place, lane.env);
    await expectNothingLeft(lane, begun);
  });
});

inLane('a run that has ended', temporal, (lane) => {
  test.each<[string, (pressed: Pressed) => Promise<void>]>([
    ['is reset to its first task', ({ run: id, reset }) => reset(id, 'first')],
    ['is reset to its last task', ({ run: id, reset }) => reset(id, 'last')],
    ['has its shard reset', ({ run: id, reset }) => reset(shardOf(id), 'first')],
  ])(
    'a completed run that %s ends with the same results, and nothing is created',
    async (name, button) => {
      const begun = await begin(lane, `over ${name}`);
      const first = await ended(lane, begun.id);
      const stats = await lane.sandbox.stats();
      await press(lane, begun.id, button);
      await press(lane, begun.id, async ({ workflow }) => {
        await waitUntil('all of it has ended', async () => {
          const states = [begun.id, shardOf(begun.id)].map(async (id) => {
            return (await workflow(id).describe()).status.name;
          });
          return !(await Promise.all(states)).includes('RUNNING');
        });
      });
      const again = await ended(lane, begun.id);
      expect(again).toMatchObject({ outcome: 'complete', assets: first.assets });
      expect(again.files).toEqual(first.files);
      expect((await lane.sandbox.stats()).created).toEqual(stats.created);
      await expectNothingLeft(lane, begun);
    },
  );

  test('a completed run that is signalled with start keeps its results, and the new execution fails with NO_PLAN', async () => {
    const begun = await begin(lane, 'over-signalled');
    await ended(lane, begun.id);
    await withClient(lane.env, async ({ client }) => {
      const handle = await client.workflow.signalWithStart(workflowNames.run, {
        taskQueue: lane.env['RENDERLINE_TASK_QUEUE'] ?? '',
        workflowId: begun.id,
        signal: 'resume',
        args: [],
      });
      await expect(handle.result()).rejects.toMatchObject({
        cause: { type: 'NO_PLAN', message: expect.stringContaining('renderline run') },
      });
    });
    await expectNothingLeft(lane, begun);
  });

  test('a copy of a run under another workflow id fails with an error that identifies the run', async () => {
    const begun = await begin(lane, 'over-renamed');
    await ended(lane, begun.id);
    await withClient(lane.env, async ({ client }) => {
      const { events } = await client.workflow.getHandle(begun.id).fetchHistory();
      const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input;
      const args = (input?.payloads ?? []).map((payload) =>
        JSON.parse(Buffer.from(payload.data ?? '').toString()),
      );
      const handle = await client.workflow.start(workflowNames.run, {
        taskQueue: lane.env['RENDERLINE_TASK_QUEUE'] ?? '',
        workflowId: `${begun.id}-copy`,
        args,
      });
      await expect(handle.result()).rejects.toMatchObject({
        cause: { type: 'NAME_OF_ANOTHER_RUN', message: expect.stringContaining(begun.id) },
      });
    });
    await expectNothingLeft(lane, begun);
  });
});

inLane('a run that is terminated', temporal, (lane) => {
  test('a terminated run shows the reason, its shards clean up, and the next run continues its work', async () => {
    const begun = await begin(lane, 'terminated');
    await press(lane, begun.id, async ({ workflow }) => {
      await workflow(begun.id).terminate('the wrong folder');
    });
    const shown = await lane.show(begun.id);
    expect(shown).toMatchObject({ outcome: 'terminated' });
    const text = await runInProcess(['show', begun.id], lane.env);
    expect(text.stdout).toContain('the wrong folder');
    const report = await runToEnd(begun.place, lane.env);
    expect(report).toMatchObject({ outcome: 'complete', assets: { complete: assets } });
    await expectPictures(report, begun.keys);
    const made = (await lane.sandbox.stats()).created;
    expect(made.models - begun.before.created.models).toBe(assets);
    expect(made.projects - begun.before.created.projects).toBe(assets);
    await expectNothingLeft(lane, begun);
  });

  test("a run with only its shard terminated counts the shard's assets as failed, with the reason", async () => {
    const begun = await begin(lane, 'shard-terminated');
    await press(lane, begun.id, async ({ workflow }) => {
      await workflow(shardOf(begun.id)).terminate('it looked stuck');
    });
    const report = await ended(lane, begun.id, 1);
    expect(report).toMatchObject({ outcome: 'failed', assets: { total: assets, failed: assets } });
    expect(report.failures[0]).toMatchObject({ code: 'SHARD_FAILED' });
    expect(report.failures[0]?.message).toContain('it looked stuck');
    const next = await runToEnd(begun.place, lane.env);
    await expectPictures(next, begun.keys);
    expectOnce(begun.before, await lane.sandbox.stats(), begun.files);
    await expectNothingLeft(lane, begun);
  });

  test('a run that is terminated and deleted from Temporal does not block the next run', async () => {
    const begun = await begin(lane, 'forgotten');
    await withClient(lane.env, async ({ client, namespace }) => {
      for (const workflowId of [begun.id, shardOf(begun.id)]) {
        await client.workflow.getHandle(workflowId).terminate('gone');
        await client.workflowService.deleteWorkflowExecution({
          namespace,
          workflowExecution: { workflowId },
        });
      }
      await waitUntil('it is forgotten', async () => {
        const answer = runInProcess(['show', begun.id, '--json'], lane.env);
        return (await answer).code === 5;
      });
    });
    expect(errorOf(await runInProcess(['show', begun.id, '--json'], lane.env), 5).code).toBe(
      'RUN_NOT_FOUND',
    );
    await expectPictures(await runToEnd(begun.place, lane.env), begun.keys);
    expectOnce(begun.before, await lane.sandbox.stats(), begun.files);
    await expectNothingLeft(lane, begun);
  });
});
