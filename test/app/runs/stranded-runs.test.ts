// Stranded runs are found by the pollers of their task queues.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { findStrandedRuns, noteStranded } from '../../../src/app/runs/stranded-runs.ts';

interface Asked {
  taskQueue: { name: string };
}

const nowSeconds = Math.floor(Date.now() / 1_000);
const poller = (buildId: string | null, agoSeconds = 1) => ({
  identity: `worker of ${buildId}`,
  lastAccessTime: { seconds: nowSeconds - agoSeconds },
  deploymentOptions:
    buildId === null ? null : { workerVersioningMode: 2, deploymentName: 'shop', buildId },
});

/**
 * A server whose task queue `versioned` has workers of build a (current); workers of build b stopped two minutes ago.
 */
function server() {
  const asked: string[] = [];
  const queues: Record<string, object> = {
    versioned: {
      pollers: [poller('a'), poller('b', 120)],
      versioningInfo: { currentDeploymentVersion: { deploymentName: 'shop', buildId: 'a' } },
    },
    plain: { pollers: [poller(null)] },
    empty: { pollers: [] },
  };
  const client = {
    options: { namespace: 'default' },
    withDeadline: (_at: number, call: () => unknown) => call(),
    workflowService: {
      describeTaskQueue: async ({ taskQueue: { name } }: Asked) => {
        asked.push(name);
        const queue = queues[name];
        if (queue === undefined) throw new Error('no answer in time');
        return queue;
      },
    },
  };
  return { client: client as unknown as Client, asked };
}

type Listed = Parameters<typeof findStrandedRuns>[1][number];

function run(workflowId: string, taskQueue: string, attributes: Record<string, string> = {}) {
  const all = Object.entries(attributes).map(([name, value]) => ({ key: { name }, value }));
  const status = { name: workflowId === 'ended' ? 'COMPLETED' : 'RUNNING' };
  // Only these fields are read.
  return {
    workflowId,
    taskQueue,
    status,
    typedSearchAttributes: { getAll: () => all },
  } as unknown as Listed;
}

const onBuild = (buildId: string, behavior = 'Pinned') => ({
  TemporalWorkerDeploymentVersion: `shop:${buildId}`,
  TemporalWorkflowVersioningBehavior: behavior,
});

test('runs of a build or a task queue without workers are stranded, and each queue is read once', async () => {
  const { client, asked } = server();
  const found = await findStrandedRuns(client, [
    run('on-a', 'versioned', onBuild('a')),
    run('on-b', 'versioned', onBuild('b')),
    run('moved', 'versioned', onBuild('b', 'AutoUpgrade')),
    run('ended', 'versioned', onBuild('b')),
    run('plain', 'plain'),
    run('waiting', 'empty'),
    run('unknown', 'silent'),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    'on-b': {
      why: 'build b of deployment shop has no workers',
      fix: expect.stringMatching(/then: renderline deployments move b --deployment shop$/),
    },
    waiting: { why: 'no worker on task queue "empty"', fix: 'Start a worker: renderline worker' },
  });
  expect(asked.toSorted()).toEqual(['empty', 'plain', 'silent', 'versioned']);
});

test('the fix is printed once for each reason', () => {
  const notes: string[] = [];
  const one = { why: 'build b of deployment shop has no workers', fix: 'Then: move b' };
  const runs = [one, null, { ...one }].map((stranded) => ({ stranded }));
  noteStranded({ note: (text) => notes.push(text) }, runs);
  expect(notes).toEqual([`2 runs stranded: ${one.why}.\nThen: move b`]);
});
