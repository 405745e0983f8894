// Contexts for node runs, as far as tests need them.
import type { OpenWorkflows } from '../../activities/deps.ts';
import { RequestCounter } from '../../src/api/counter.ts';
import type { NodeContext } from '../../src/machinery/node-context.ts';
import { Slots } from '../../src/machinery/transfer-slots.ts';
import { createLookout } from '../../src/machinery/watch/lookout.ts';
import type { RunContext } from '../../src/plan/run-context.ts';
import type { Platform } from './_platform.ts';

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

/** No run and no shard is open. */
export const noWorkflows: OpenWorkflows = {
  isAlive: async () => false,
  whyEnded: async () => null,
  isCurrent: async () => true,
  endStray: async () => undefined,
  shardIsOpen: async () => false,
  story: async () => ({ plan: null, people: [], times: null }),
};

/** Parts that a test does not pass in throw when they are used. */
export function nodeContext(parts: Partial<NodeContext>): NodeContext {
  const known: Partial<NodeContext> = {
    run: runContext(),
    shard: 0,
    wait: null,
    step: { id: 'step', node: 'step', batch: 50, redo: null },
    requests: new RequestCounter(),
    signal: new AbortController().signal,
    heartbeat: () => undefined,
    holdLease: () => Promise.resolve(),
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
export function contextOn(platform: Platform, more: Partial<NodeContext> = {}): NodeContext {
  return nodeContext({
    client: platform.client,
    lookout: createLookout(platform.client),
    transfers: Slots.of(4),
    now: () => 1_000_000,
    ...more,
  });
}
