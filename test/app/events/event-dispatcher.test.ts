// Delivery of events to event triggers: which events each trigger gets, and what happens while Temporal is unreachable.
import { WorkflowNotFoundError } from '@temporalio/common';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type EventDispatcherOptions,
  openEventDispatcher,
} from '../../../src/app/events/event-dispatcher.ts';
import type { TriggerEvent } from '../../../src/plan/contract/contract.ts';
import type { PlatformEvent } from '../../../src/receiver/event.ts';
import type { TemporalConnection } from '../../../src/temporal/connection/connect.ts';

interface Open {
  pipeline: string;
  /** null: the memo is encrypted with a key that is not available here. */
  event: string | null;
  taskQueue: string;
  workflowId: string;
}

let open: Open[];
let ended: Set<string>;
let told: [workflow: string, event: TriggerEvent][];
let lists: number;
let isAway: boolean;
let connections: number;
let unreadable: Error | Promise<never> | null;
let refused: Set<string>;
let nowMs: number;
beforeEach(() => {
  open = [];
  ended = new Set();
  told = [];
  lists = 0;
  isAway = false;
  connections = 0;
  unreadable = null;
  refused = new Set();
  nowMs = 0;
});

/** Fake of the server calls that event triggers need. */
function connect(): Promise<TemporalConnection> {
  if (isAway) return Promise.reject(new Error('connection refused'));
  connections += 1;
  const workflow = {
    async *list({ query }: { query: string }) {
      lists += 1;
      if (unreadable !== null) throw await unreadable;
      for (const { pipeline, event, taskQueue, workflowId } of open) {
        if (!query.includes(`TaskQueue = '${taskQueue}'`)) continue;
        const note = { code: 'CODEC_KEY_MISSING', message: 'no key', fix: 'export it' };
        const known =
          event === null ? { renderlineUnreadable: note } : { pipeline, event, facts: {} };
        yield { workflowId, memo: { renderlineTrigger: known }, taskQueue };
      }
    },
    getHandle: (id: string) => ({
      signal: async (_name: string, events: TriggerEvent[]) => {
        if (refused.has(id)) throw new Error('signals are not allowed');
        if (ended.has(id)) throw new WorkflowNotFoundError('gone', id, undefined);
        for (const event of events) told.push([id, event]);
      },
    }),
  };
  const client = {
    options: { loadedDataConverter: { payloadCodecs: [] } },
    workflow,
    withDeadline: (_at: number, call: () => unknown) => call(),
  };
  // The tested code uses no other part of the connection.
  return Promise.resolve({ client, close: async () => undefined } as unknown as TemporalConnection);
}

const pipelines = (more: EventDispatcherOptions = {}) =>
  openEventDispatcher(connect, 'mine', { now: () => nowMs, ...more });
const at = '2026-01-02T03:04:05Z';
const trigger = (pipeline: string, event: string | null, taskQueue = 'mine'): Open => ({
  pipeline,
  event,
  taskQueue,
  workflowId: `event-trigger/${pipeline}`,
});

describe('delivery of an event', () => {
  it.each<[string, PlatformEvent, TriggerEvent['objects']]>([
    ['contains the model', { name: 'model.processed', at, modelId: 'm1' }, [{ id: 'm1' }]],
    ['may lack a model', { name: 'model.processed', at }, []],
    [
      'contains the outputs with their job',
      { name: 'render.complete', at, jobId: 'j1', projectId: 'p1', renderIds: ['r1', 'r2'] },
      [
        { id: 'r1', job: 'j1' },
        { id: 'r2', job: 'j1' },
      ],
    ],
    ['of a project contains no objects', { name: 'project.created', at, projectId: 'p1' }, []],
    [
      'without a timestamp only requests a sweep',
      { name: 'model.processed', at: '', modelId: 'm1' },
      [],
    ],
  ])('an event %s', async (_what, event, objects) => {
    open = [trigger('shoes', event.name)];
    await pipelines().deliver(event);
    expect(told).toEqual([['event-trigger/shoes', { name: event.name, at: event.at, objects }]]);
  });

  it('an event is delivered to the pipelines of this task queue that start with it', async () => {
    open = [
      trigger('shoes', 'model.processed'),
      trigger('hats', 'model.processed'),
      trigger('theirs', 'model.processed', 'other'),
      trigger('renders', 'render.complete'),
    ];
    await pipelines().deliver({ name: 'model.processed', at, modelId: 'm1' });
    expect(told.map(([id]) => id)).toEqual(['event-trigger/hats', 'event-trigger/shoes']);
  });

  it('an event is delivered to the listed workflow id, even if it hides the pipeline name', async () => {
    const workflowId = 'event-trigger/p0123456789ab';
    open = [{ ...trigger('catalog', 'model.processed'), workflowId }];
    const receiving = pipelines();
    expect(await receiving.catchUp()).toEqual(['catalog']);
    await receiving.deliver({ name: 'model.processed', at, modelId: 'm1' });
    expect(told.map(([id]) => id)).toEqual([workflowId, workflowId]);
  });

  it('an event is refused while an event trigger of this queue cannot be read', async () => {
    open = [trigger('theirs', null, 'other'), trigger('shoes', 'model.processed')];
    const event: PlatformEvent = { name: 'model.processed', at, modelId: 'm1' };
    await pipelines().deliver(event);
    expect(told).toHaveLength(1);
    open.push(trigger('hidden', null));
    const receiving = pipelines();
    await expect(receiving.deliver(event)).rejects.toThrow('no key');
    expect(told).toHaveLength(1);
    await receiving.close();
  });

  it('a listing of event triggers that fails late does not discard a newer one', async () => {
    open = [trigger('shoes', 'model.processed')];
    const event: PlatformEvent = { name: 'model.processed', at, modelId: 'm1' };
    const receiving = pipelines();
    let failFirst = (_error: Error) => {};
    unreadable = new Promise<never>((_, reject) => (failFirst = reject));
    const failed = expect(receiving.deliver(event)).rejects.toThrow('too late');
    await expect.poll(() => lists).toBe(1);
    unreadable = null;
    nowMs = 2_000;
    await receiving.deliver(event);
    failFirst(new Error('too late'));
    await failed;
    await receiving.deliver(event);
    expect([lists, told.length]).toEqual([2, 2]);
    await receiving.close();
  });

  it('an event that starts no pipeline does not require Temporal', async () => {
    isAway = true;
    await pipelines().deliver({ name: 'model.failed', at, modelId: 'm1' });
    expect(told).toEqual([]);
  });

  it('an event is refused while Temporal is unreachable, and accepted afterwards', async () => {
    open = [trigger('shoes', 'model.processed')];
    const receiving = pipelines();
    isAway = true;
    const event: PlatformEvent = { name: 'model.processed', at, modelId: 'm1' };
    await expect(receiving.deliver(event)).rejects.toThrow('connection refused');
    isAway = false;
    await receiving.deliver(event);
    expect(told).toHaveLength(1);
  });

  it('an event for an event trigger that has ended is dropped', async () => {
    open = [trigger('shoes', 'model.processed')];
    ended.add('event-trigger/shoes');
    await pipelines().deliver({ name: 'model.processed', at, modelId: 'm1' });
    expect(told).toEqual([]);
  });
});

describe('event triggers', () => {
  it('event triggers are listed at most once per second, so that a new one soon gets events', async () => {
    const receiving = pipelines();
    const event: PlatformEvent = { name: 'model.processed', at, modelId: 'm1' };
    await receiving.deliver(event);
    open = [trigger('shoes', 'model.processed')];
    await receiving.deliver(event);
    expect([lists, told.length]).toEqual([1, 0]);
    nowMs += 1_000;
    await receiving.deliver(event);
    expect([lists, told.length]).toEqual([2, 1]);
  });

  it('event triggers sweep when a receiver starts', async () => {
    open = [trigger('shoes', 'model.processed'), trigger('theirs', 'model.processed', 'other')];
    expect(await pipelines().catchUp()).toEqual(['shoes']);
    const missed = { name: 'model.processed', at: '', objects: [] };
    expect(told).toEqual([['event-trigger/shoes', missed]]);
  });
});

describe('delivery faults', () => {
  const event: PlatformEvent = { name: 'model.processed', at, modelId: 'm1' };
  const sweep = { name: 'model.processed', at: '', objects: [] };
  /** Collects the reported problems; `well` resolves when the fault is over. */
  function watched() {
    const problems: unknown[] = [];
    let tell = () => {};
    const onProblem = (error: unknown) => {
      problems.push(error instanceof Error ? error.message : error);
      if (error === null) tell();
    };
    const well = new Promise<void>((resolve) => {
      tell = resolve;
    });
    return { problems, well, options: { onProblem, recheckMs: 1 } };
  }

  it.each([
    ['an unreachable server', 'connection refused'],
    ['a missing key', 'no key'],
  ])(
    'faults caused by %s are reported, and retried with a new connection until they are over',
    async (_, why) => {
      open = [trigger('shoes', 'model.processed')];
      const { problems, well, options } = watched();
      const receiving = pipelines(options);
      expect(await receiving.catchUp()).toEqual(['shoes']);
      isAway = why === 'connection refused';
      unreadable = new Error(why);
      nowMs += 1_000;
      await expect(receiving.deliver(event)).rejects.toThrow(why);
      expect(problems[0]).toBe(why);
      isAway = false;
      unreadable = null;
      await well;
      expect(problems.at(-1)).toBeNull();
      expect(connections).toBeGreaterThan(1);
      // The trigger sweeps for the events that it has missed.
      expect(told).toEqual([
        ['event-trigger/shoes', sweep],
        ['event-trigger/shoes', sweep],
      ]);
      await receiving.close();
    },
  );

  it('a fault of one trigger makes only this trigger sweep again', async () => {
    open = [trigger('shoes', 'model.processed'), trigger('hats', 'model.processed')];
    const { problems, well, options } = watched();
    const receiving = pipelines(options);
    await receiving.catchUp();
    refused.add('event-trigger/shoes');
    await expect(receiving.deliver(event)).rejects.toThrow('signals are not allowed');
    expect(problems[0]).toBe('signals are not allowed');
    refused.clear();
    await well;
    const sweeps = told.filter(([, { at: when }]) => when === '').map(([id]) => id);
    expect(sweeps).toEqual(['event-trigger/hats', 'event-trigger/shoes', 'event-trigger/shoes']);
    expect(connections).toBe(1);
    await receiving.close();
  });

  it('faults are not retried by a receiver that has stopped', async () => {
    isAway = true;
    const { problems, options } = watched();
    const receiving = pipelines(options);
    await expect(receiving.deliver(event)).rejects.toThrow('connection refused');
    await receiving.close();
    isAway = false;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([problems, connections]).toEqual([['connection refused'], 0]);
  });
});
