// A node context that contains only the parts that a test needs.
import type { WorkflowQueries } from '../../activities/deps.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { createPollerContext } from '../../src/engine/polling/poller-context.ts';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { ScriptedPlatform } from './_platform.ts';

export function runContext(more: Partial<RunContext> = {}): RunContext {
  return {
    run: 'run-1',
    lineage: 'lineage-1',
    epoch: 0,
    pipeline: 'test',
    recipe: 'r',
    parameters: {},
    connectors: {},
    records: { type: 'local', path: '/nowhere' },
    ...more,
  };
}

/** No other run and no other shard is running. */
export const noWorkflows: WorkflowQueries = {
  isAlive: async () => false,
  readShardCloseReason: async () => null,
  isAttemptCurrent: async () => true,
  findCompletedRun: async () => null,
  terminateOrphan: async () => undefined,
  isShardOpen: async () => false,
  readTimeline: async () => ({ plan: null, actions: [], times: null }),
};

/** A part that a test does not provide throws when it is used. */
export function nodeContext(parts: Partial<NodeContext>): NodeContext {
  const known: Partial<NodeContext> = {
    run: runContext(),
    shard: 0,
    wait: null,
    temporalUi: null,
    step: { id: 'step', node: 'step', batch: 50, retry: null },
    requests: new RequestCounter(),
    renderQuota: null,
    signal: new AbortController().signal,
    heartbeat: () => undefined,
    assertLease: () => Promise.resolve(),
    confirmLease: () => Promise.resolve(),
    ...(parts.now ? { runNow: parts.now } : {}),
    ...parts,
  };
  return new Proxy(known as NodeContext, {
    get(target, name) {
      if (name in target) return target[name as keyof NodeContext];
      throw new Error(`this test has no ${String(name)}`);
    },
  });
}

/** A context over the scripted platform. */
export function contextOn(
  platform: ScriptedPlatform,
  more: Partial<NodeContext> = {},
): NodeContext {
  return nodeContext({
    client: platform.client,
    pollerContext: createPollerContext(platform.client),
    transfers: Semaphore.of(4),
    now: () => 1_000_000,
    ...more,
  });
}
