// What an event trigger starts, and when: the real workflow on a server that skips time, with activities that only
// record their input.
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import {
  type Activities,
  type TriggerEvent,
  type TriggerInput,
  workflowNames,
} from '../../src/plan/contract/contract.ts';
import type { FilterEventsInput, FilteredEvents } from '../../src/plan/contract/filter-contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import type { EventRules } from '../../src/plan/types.ts';
import { AllQueues } from './_all-queues.ts';
import { planOf } from './_run-scenario.ts';
import { useTimeSkipping } from './_temporal.ts';

const inUse = useTimeSkipping();
const taskQueue = `triggers-${process.pid}`;
const minuteMs = 60_000;
const rules: EventRules = {
  event: 'model.processed',
  batchWindowMs: 2 * minuteMs,
  batchSize: 3,
  sweepIntervalMs: 30 * minuteMs,
  overlapMs: 10 * minuteMs,
  includesOwn: false,
};

type Filter = (
  input: FilterEventsInput,
) => Partial<FilteredEvents> | Promise<Partial<FilteredEvents>>;

/** State of the event trigger under test; times are whole minutes since it was started. */
let sift: Filter;
let startedMs: number;
let sweeps: { at: number; since: number }[];
let runs: string[][];

const minutesOf = (ms: number) => Math.floor((ms - startedMs) / minuteMs);
const toldOf = ({ objects: told }: FilterEventsInput) => (told ?? []).map(({ id }) => id);

const activities: Partial<Activities> = {
  filterEvents: async (input) => {
    if (input.objects === null) {
      const at = minutesOf(await inUse.environment.currentTimeMs());
      sweeps.push({ at, since: minutesOf(input.sinceMs ?? 0) });
    }
    return { ids: toldOf(input), needsAnotherSweep: false, ...(await sift(input)) };
  },
  discover: async ({ ids = [] }) => {
    runs.push(ids.toSorted());
    return { pages: 0, total: 0, new: 0, changed: 0, unchanged: 0, refused: 0 };
  },
};

function createWorker(queue: string): Promise<AllQueues> {
  const { nativeConnection: connection } = inUse.environment;
  const workflowBundle = { codePath: inject('workflowBundle') };
  return AllQueues.create({ connection, taskQueue: queue, workflowBundle, activities });
}

let worker: AllQueues;
let working: Promise<void>;
beforeAll(async () => {
  worker = await createWorker(taskQueue);
  working = worker.run();
}, 120_000);
afterAll(async () => {
  worker.shutdown();
  await working;
});

async function startTrigger(name: string, filter: Filter = () => ({}), queue = taskQueue) {
  const { environment } = inUse;
  sift = filter;
  sweeps = [];
  runs = [];
  startedMs = await environment.currentTimeMs();
  const plan = planOf('/nowhere', [], { eventTrigger: rules });
  const made = { plan, runName: name, memo: {}, facts: {} };
  const input: TriggerInput = { triggerPlan: made, searchable: false };
  const options = { taskQueue: queue, workflowId: `event-trigger/${name}`, args: [input] };
  const handle = await environment.client.workflow.start(workflowNames.eventTrigger, options);
  onTestFinished(async () => {
    await handle.terminate();
  });
  return {
    pass: (minutes: number) => environment.sleep(minutes * minuteMs),
    tell: (...events: TriggerEvent[]) => handle.signal(messages.platformEvents, events),
    startTime: async () => (await handle.describe()).startTime,
    trouble: () => handle.query<string>(messages.triggerError),
  };
}

const event = (id: string | null, more: Partial<TriggerEvent> = {}): TriggerEvent => ({
  name: 'model.processed',
  at: '2026-01-02T03:04:05Z',
  objects: id === null ? [] : [{ id }],
  ...more,
});

it('the event trigger collects events for the batch window, and processes a full batch immediately', async () => {
  const { pass, tell } = await startTrigger('gathers');
  await tell(event('a'), event('b'));
  await pass(1);
  expect(runs).toEqual([]);
  await pass(2);
  expect(runs).toEqual([['a', 'b']]);
  await tell(event('c'), event('d'), event('e'));
  await pass(0.5);
  expect(runs).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
});

it('the event trigger starts one run for a repeated event, another for a later event, and no run for other events', async () => {
  const { pass, tell } = await startTrigger('repeated');
  await tell(event('a'), event('b', { name: 'project.created' }));
  await pass(3);
  await tell(event('a'));
  await pass(3);
  await tell(event('a', { at: '2026-01-02T03:09:09Z' }));
  await pass(3);
  expect(runs).toEqual([['a'], ['a']]);
});

it('a later event of an object that arrives while a run for the object starts is not lost', async () => {
  let calls = 0;
  const { pass, tell } = await startTrigger('meanwhile', async ({ objects }) => {
    if (objects !== null) calls += 1;
    if (calls === 1) await tell(event('a', { at: '2026-01-02T03:09:09Z' }));
    return {};
  });
  await tell(event('a'), event('b'));
  await pass(6);
  expect(runs).toEqual([['a', 'b'], ['a']]);
});

it('the event trigger sweeps instead of starting a run when a forgotten event is repeated', async () => {
  const sifted: string[] = [];
  const { pass, tell } = await startTrigger('forgotten', (input) => {
    sifted.push(...toldOf(input));
    return { ids: [] };
  });
  // The trigger remembers two thousand events, whichever receiver sent them.
  const at = (n: number) => new Date(Date.parse('2026-01-02T03:00:00Z') + n * 1_000).toISOString();
  const all = Array.from({ length: 2_100 }, (_, n) => event(`m${n}`, { at: at(n) }));
  for (let first = 0; first < all.length; first += 100) {
    await tell(...all.slice(first, first + 100));
  }
  await pass(5);
  expect(new Set(sifted).size).toBe(2_100);
  const before = sweeps.length;
  sifted.length = 0;
  await tell(...all.slice(0, 2), ...all.slice(-2), event('new', { at: at(2_101) }));
  await pass(5);
  expect(sifted).toEqual(['new']);
  expect(sweeps.length).toBe(before + 1);
}, 120_000);

it('the event trigger sweeps from its own start, even if a worker starts later', async () => {
  const queue = `${taskQueue}-late`;
  let sinceMs: number | null = null;
  const filter: Filter = (input) => {
    sinceMs = input.sinceMs;
    return {};
  };
  const { pass, startTime } = await startTrigger('late', filter, queue);
  const late = await createWorker(queue);
  const lateWork = late.run();
  onTestFinished(async () => {
    late.shutdown();
    await lateWork;
  });
  await pass(1);
  expect(sinceMs).toBe((await startTime()).getTime());
});

it('the event trigger starts nothing for objects that the filter excludes', async () => {
  const { pass, tell } = await startTrigger('filtered', ({ objects: told }) => ({
    ids: told ? ['b'] : [],
  }));
  await tell(event('a'), event('b'));
  await pass(3);
  expect(runs).toEqual([['b']]);
});

it('the event trigger sweeps at its start and then at intervals, with an overlap', async () => {
  const { pass } = await startTrigger('sweeps', ({ objects: told }) => ({
    ids: told ? [] : ['x'],
  }));
  await pass(65);
  expect(sweeps).toEqual([
    { at: 0, since: 0 },
    { at: 30, since: 0 },
    { at: 60, since: 20 },
  ]);
  // Each sweep finds the object, but only the first one starts a run for it.
  expect(runs).toEqual([['x']]);
});

it('the event trigger sweeps from the same time again until a sweep has found everything', async () => {
  const { pass } = await startTrigger('partial', () => ({
    needsAnotherSweep: sweeps.length === 2,
  }));
  await pass(65);
  expect(sweeps).toEqual([
    { at: 0, since: 0 },
    { at: 30, since: 0 },
    { at: 32, since: 0 },
    { at: 62, since: 22 },
  ]);
});

it('the event trigger sweeps from the same time again while more objects are pending than a continuation can carry', async () => {
  let broken = true;
  const { pass, tell } = await startTrigger('many-pending', ({ objects }) => {
    if (objects && broken) throw ApplicationFailure.nonRetryable('no such property', 'GONE');
    return { ids: [] };
  });
  await pass(1);
  await tell(...Array.from({ length: 900 }, (_, n) => event(`m${n}`)));
  await pass(31);
  broken = false;
  await pass(35);
  expect(sweeps.map(({ since }) => since)).toEqual([0, 0, 0]);
});

it('the event trigger sweeps sooner after an event without objects, and if a sweep needs another', async () => {
  let again = true;
  const { pass, tell } = await startTrigger('forward', ({ objects: told, sinceMs }) => {
    const isOurs = told === null && minutesOf(sinceMs ?? 0) >= 0 && sweeps.length === 2 && again;
    if (isOurs) again = false;
    return { needsAnotherSweep: isOurs };
  });
  await pass(10);
  expect(sweeps.map(({ at }) => at)).toEqual([0]);
  await tell(event(null));
  await pass(10);
  expect(sweeps.map(({ at }) => at)).toEqual([0, 12, 14]);
});

it('the event trigger retries a failed sweep after a minute', async () => {
  const { pass } = await startTrigger('failed-sweep', ({ objects }) => {
    if (objects === null && sweeps.length === 1)
      throw ApplicationFailure.nonRetryable('no such property', 'GONE');
    return { ids: ['x'] };
  });
  await pass(10);
  expect(sweeps.map(({ at }) => at)).toEqual([0, 1]);
  expect(runs).toEqual([['x']]);
});

it('the event trigger reports its error, retries after a minute, and misses no event', async () => {
  let broken = true;
  const { pass, tell, trouble } = await startTrigger('trouble', ({ objects: told }) => {
    if (told && broken) throw ApplicationFailure.nonRetryable('no such property', 'GONE');
    return {};
  });
  await tell(event('a'));
  await pass(2.5);
  expect(await trouble()).toBe('no such property');
  expect(runs).toEqual([]);
  broken = false;
  await pass(4);
  expect(runs).toEqual([['a']]);
  expect(await trouble()).toBe('');
});
