// Tests the reasons why a workflow makes no progress, and whether it continues without help after a rollback.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { findWorkflowStall } from '../../src/temporal/runs/workflow-stall.ts';

const nowSeconds = Math.floor(Date.now() / 1_000);

interface Server {
  attempt?: number;
  versioningInfo?: object;
  /** Build, and seconds since its worker last polled. */
  pollers?: [buildId: string, agoSeconds: number][];
  current?: string;
}

function clientOf({ attempt = 1, versioningInfo, pollers = [], current = 'a' }: Server): Client {
  const options = { workerVersioningMode: 2, deploymentName: 'shop' };
  const client = {
    options: { namespace: 'default', loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_at: number, call: () => unknown) => call(),
    workflow: {
      getHandle: () => ({
        describe: async () => ({
          taskQueue: 'q',
          memo: {},
          raw: {
            pendingWorkflowTask: { attempt },
            workflowExecutionInfo: { versioningInfo: versioningInfo ?? null },
          },
        }),
      }),
    },
    workflowService: {
      getWorkflowExecutionHistoryReverse: async () => ({
        history: {
          events: [{ workflowTaskFailedEventAttributes: { failure: { message: 'a bug' } } }],
        },
      }),
      describeTaskQueue: async () => ({
        pollers: pollers.map(([buildId, ago]) => ({
          identity: buildId,
          lastAccessTime: { seconds: nowSeconds - ago },
          deploymentOptions: { ...options, buildId },
        })),
        versioningInfo: {
          currentDeploymentVersion: { deploymentName: 'shop', buildId: current },
        },
      }),
    },
  };
  return client as unknown as Client;
}

const pinnedTo = (buildId: string) => ({
  behavior: 1,
  deploymentVersion: { deploymentName: 'shop', buildId },
});
const move = 'renderline deployments move b --deployment shop';

test.each<[string, Server, RegExp | null, RegExp]>([
  ['its workers work', { versioningInfo: pinnedTo('b'), pollers: [['b', 1]] }, null, /^$/],
  [
    'its build has no workers and its tasks no longer fail',
    {
      attempt: 9,
      versioningInfo: pinnedTo('b'),
      pollers: [
        ['a', 1],
        ['b', 190],
      ],
    },
    /pinned to build b of deployment shop, and no worker of that build has polled for 3 min: it is stranded and does not continue on its own/,
    new RegExp(`Start workers of build b again, or .*: ${move}$`),
  ],
  [
    'its build is current, and Temporal knows no workers of it',
    { versioningInfo: pinnedTo('b'), current: 'b' },
    /has polled for minutes: it is stranded/,
    new RegExp(`renderline deployments rollback --deployment shop, then ${move}$`),
  ],
  [
    'the workers of its build fail after a rollback',
    {
      attempt: 3,
      versioningInfo: pinnedTo('b'),
      pollers: [
        ['a', 1],
        ['b', 1],
      ],
    },
    /the workers of build b fail on its workflow task \(attempt 3\): a bug. .*does not continue on its own/,
    new RegExp(`: ${move}$`),
  ],
  [
    'it was moved, and the current build fails too',
    {
      attempt: 3,
      versioningInfo: { ...pinnedTo('b'), versioningOverride: { autoUpgrade: true } },
      pollers: [['a', 1]],
    },
    /its workers fail/,
    /renderline deployments rollback\), or fix the workers; the workflow then continues/,
  ],
  [
    'workers without a version fail',
    { attempt: 3 },
    /its workers fail on its workflow task \(attempt 3\): a bug/,
    /Roll back to the previous workers, or fix the workers; the workflow then continues/,
  ],
])(
  'the reason and the fix of a stalled workflow are found if %s',
  async (_what, server, why, fix) => {
    const found = await findWorkflowStall(clientOf(server), 'shop-1');
    if (why === null) {
      expect(found).toBeNull();
      return;
    }
    expect(found?.why).toMatch(why);
    expect(found?.fix).toMatch(fix);
    expect(found?.isStranded).toBe(/stranded/.test(found?.why ?? ''));
  },
);
