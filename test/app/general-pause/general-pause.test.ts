// What a general pause covers, its message, which schedules it holds, and how it reaches every open run.
import { type Client, type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import {
  findHeldSinceMs,
  holdSchedules,
  noteOfPause,
  releaseSchedules,
} from '../../../src/app/general-pause/held-schedules.ts';
import { isPipelineInScope } from '../../../src/app/general-pause/pause-scope.ts';
import { type RunSignal, signalOpenRuns } from '../../../src/app/general-pause/signal-runs.ts';
import { causeOfPause, type GeneralPause } from '../../../src/plan/run/general-pause.ts';
import { toPrivateName } from '../../../src/temporal/private-names.ts';

const pause: GeneralPause = {
  taskQueue: 'shop',
  pipeline: null,
  by: 'ann@studio-2',
  at: '2026-11-27T20:01:02.345Z',
  reason: 'wrong colours',
};

test.each<[string, Partial<GeneralPause>, string, string]>([
  [
    'everything',
    {},
    'Everything on task queue "shop" has been paused since 2026-11-27T20:01:02Z by ann@studio-2: wrong colours',
    'When the reason no longer applies: renderline resume --all',
  ],
  [
    'one pipeline',
    { pipeline: 'nightly' },
    'Everything of pipeline "nightly" has been paused since 2026-11-27T20:01:02Z by ann@studio-2: wrong colours',
    'When the reason no longer applies: renderline resume --all --pipeline nightly',
  ],
  [
    'a pipeline with a name for which the shell needs quotes',
    { pipeline: 'new shoes' },
    'Everything of pipeline "new shoes" has been paused since 2026-11-27T20:01:02Z by ann@studio-2: wrong colours',
    "When the reason no longer applies: renderline resume --all --pipeline 'new shoes'",
  ],
])(
  'the cause of a pause of %s contains the person, the time, the reason and the command that ends it',
  (_what, more, message, fix) => {
    const cause = { code: 'ALL_PAUSED', kind: 'later', message, fix };
    expect(causeOfPause({ ...pause, ...more })).toEqual(cause);
  },
);

test.each<[string, string | null, string, boolean]>([
  ['a pause of everything covers each pipeline', null, 'nightly', true],
  ['a pause of a pipeline covers the pipeline', 'nightly', 'nightly', true],
  ['a pause of a pipeline covers its private name', 'nightly', toPrivateName('nightly'), true],
  ['a pause of a pipeline does not cover another pipeline', 'nightly', 'weekly', false],
  [
    'a pause of a pipeline does not cover another one whose name starts with the same text',
    'nightly',
    'nightly-2',
    false,
  ],
])('%s', (_what, pipeline, name, isCovered) => {
  expect(isPipelineInScope({ taskQueue: 'shop', pipeline }, name)).toBe(isCovered);
});

describe('the note of a schedule', () => {
  const stateOf = (paused: boolean, note?: string) =>
    ({ state: { paused, note } }) as Pick<ScheduleDescription, 'state'>;

  test.each<[string, Pick<ScheduleDescription, 'state'>, string | null]>([
    [
      'of a general pause contains the start of the pause',
      stateOf(true, noteOfPause(pause)),
      pause.at,
    ],
    ['of a person has no start', stateOf(true, 'stocktaking'), null],
    ['of a person who mentions a pause has no start', stateOf(true, 'All paused by ann'), null],
    ['is ignored if the schedule was resumed', stateOf(false, noteOfPause(pause)), null],
    ['may be missing', stateOf(true), null],
  ])('the note %s', (_what, live, since) => {
    expect(findHeldSinceMs(live)).toBe(since === null ? null : Date.parse(since));
  });
});

/** A server with one schedule that starts at half past each hour. */
function serverWithSchedule({ jitter = 0, recentActions = [] as object[] } = {}) {
  const memo = { renderline: { schema: 'renderline/schedule/v1' } };
  const live = {
    scheduleId: 'nightly',
    action: { taskQueue: 'shop' },
    spec: { intervals: [{ every: 3_600_000, offset: 1_800_000 }], jitter },
    info: { createdAt: new Date(0), recentActions },
    state: { paused: false, note: '' },
  };
  const setState = (paused: boolean) => async (note: string) => {
    live.state = { paused, note };
  };
  const client = {
    options: { loadedDataConverter: { payloadCodecs: [] }, identity: 'ann@studio-2' },
    withDeadline: (_at: number, work: () => unknown) => work(),
    schedule: {
      async *list() {
        yield { scheduleId: 'nightly', memo };
      },
      getHandle: () => ({
        describe: async () => ({ ...live, memo }),
        pause: setState(true),
        unpause: setState(false),
      }),
    },
  } as unknown as Client;
  return { client, live };
}

test.each<[string, string | null, string | null]>([
  ['everything, then its pipeline', null, 'nightly'],
  ['its pipeline, then everything', 'nightly', null],
])('starts are counted from the first of two overlapping pauses: %s', async (_what, one, two) => {
  const { client, live } = serverWithSchedule();
  const at = (time: string) => `2026-11-27T${time}:00.000Z`;
  const first = { ...pause, pipeline: one, at: at('10:00') };
  const second = { ...pause, pipeline: two, at: at('11:00'), reason: 'a bill' };
  await holdSchedules(client, first);
  await holdSchedules(client, second);
  expect(
    await releaseSchedules(client, first, async () => second, Date.parse(at('12:00'))),
  ).toEqual([]);
  expect(live.state).toEqual({ paused: true, note: noteOfPause({ ...second, at: first.at }) });
  const released = await releaseSchedules(
    client,
    second,
    async () => null,
    Date.parse(at('13:00')),
  );
  const backfill =
    'renderline backfill nightly --from 2026-11-27T10:30:00Z --to 2026-11-27T12:30:00Z';
  expect(released).toEqual([{ schedule: 'nightly', due: 3, backfill }]);
  expect(live.state.paused).toBe(false);
});

test('a schedule that is removed while a pause begins or ends does not stop the others', async () => {
  const { client } = serverWithSchedule();
  const handle = client.schedule.getHandle('nightly');
  const missing = async () => {
    throw new ScheduleNotFoundError('none', 'weekly');
  };
  const goneHandle = { ...handle, pause: missing, unpause: missing };
  // The server lists a second schedule, which is removed before it can be changed.
  Object.assign(client.schedule, {
    async *list() {
      for (const scheduleId of ['weekly', 'nightly'])
        yield { scheduleId, memo: { renderline: { schema: 'renderline/schedule/v1' } } };
    },
    getHandle: (id: string) => (id === 'nightly' ? handle : goneHandle),
  });
  const held = { held: ['nightly'], pausedBefore: [] };
  expect(await holdSchedules(client, pause)).toEqual(held);
  const released = await releaseSchedules(client, pause, async () => null, Date.parse(pause.at));
  expect(released).toMatchObject([{ schedule: 'nightly' }]);
});

const actionAt = (start: string) => ({ action: { workflow: { workflowId: `nightly-${start}` } } });

test.each<[string, object[], number]>([
  ['counts if the run was not started', [], 2],
  ['does not count if the run was started before the pause', [actionAt('2026-11-27T09:30:00Z')], 1],
])('a start with jitter, due just before the pause, %s', async (_what, recentActions, due) => {
  const { client } = serverWithSchedule({ jitter: 2_700_000, recentActions });
  const nowMs = Date.parse('2026-11-27T11:00:00.000Z');
  await holdSchedules(client, { ...pause, at: '2026-11-27T10:00:00.000Z' });
  expect(await releaseSchedules(client, pause, async () => null, nowMs)).toMatchObject([{ due }]);
});

test('starts long before the pause are not due, although Temporal lists only the last ten', async () => {
  const hours = Array.from({ length: 10 }, (_, hour) => `2026-11-27T0${hour}:30:00Z`);
  const { client } = serverWithSchedule({ jitter: 86_400_000, recentActions: hours.map(actionAt) });
  await holdSchedules(client, { ...pause, at: '2026-11-27T10:00:00.000Z' });
  const nowMs = Date.parse('2026-11-27T11:00:00.000Z');
  const backfill =
    'renderline backfill nightly --from 2026-11-27T10:30:00Z --to 2026-11-27T10:30:00Z';
  expect(await releaseSchedules(client, pause, async () => null, nowMs)).toEqual([
    { schedule: 'nightly', due: 1, backfill },
  ]);
});

describe('signals to open runs', () => {
  /** A server whose listings contain these runs, one listing after the other. The last one is repeated. */
  function serverWith(listings: (readonly string[])[], onSignal: (run: string) => Promise<void>) {
    let listed = 0;
    const sent: string[] = [];
    const client = {
      options: { loadedDataConverter: { payloadCodecs: [] } },
      workflow: {
        async *list() {
          const runs = listings[Math.min(listed, listings.length - 1)] ?? [];
          listed += 1;
          for (const workflowId of runs) {
            yield {
              workflowId,
              status: { name: 'RUNNING' },
              startTime: new Date(0),
              typedSearchAttributes: { getAll: () => [] },
              memo: { renderline: { pipeline: workflowId.split('-')[0] } },
            };
          }
        },
        getHandle: (run: string) => ({
          signal: async (name: string) => {
            await onSignal(run);
            sent.push(`${name} ${run}`);
          },
        }),
      },
      withDeadline: (_at: number, work: () => unknown) => work(),
    } as unknown as Client;
    return { client, sent, listings: () => listed };
  }
  const signal: RunSignal = { action: 'pause', note: { general: causeOfPause(pause) } };
  const options = {
    signalOf: async ({ pipeline }: { pipeline: string }, isKnown: boolean) =>
      isKnown || pipeline === 'other' ? null : signal,
    settle: async () => {},
    signal: new AbortController().signal,
  };

  test.each<[string, string[][], string[], number]>([
    ['are not sent if a second listing finds no run either', [[]], [], 2],
    ['are sent once to each run', [['a-1', 'a-2']], ['pause a-1', 'pause a-2'], 2],
    ['are not sent to a run outside the scope', [['a-1', 'other-1']], ['pause a-1'], 2],
    [
      'reach a run that started in the meantime, even if the first listing was empty',
      [[], ['a-1'], ['a-1', 'a-2']],
      ['pause a-1', 'pause a-2'],
      4,
    ],
  ])('the signals %s', async (_what, listed, expected, listings) => {
    const server = serverWith(listed, async () => {});
    const sent = await signalOpenRuns(server.client, 'shop', options);
    expect(sent).toEqual({ pause: expected.length, resume: 0 });
    expect(server.sent).toEqual(expected);
    expect(server.listings()).toBe(listings);
  });

  test('the signals are sent once to each of a thousand runs, at most sixteen at a time', async () => {
    const runs = Array.from({ length: 1_000 }, (_, index) => `a-${index}`);
    let [inFlight, most] = [0, 0];
    const server = serverWith([runs], async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await Promise.resolve();
      inFlight -= 1;
    });
    const sent = await signalOpenRuns(server.client, 'shop', options);
    expect(sent).toEqual({ pause: 1_000, resume: 0 });
    expect(new Set(server.sent).size).toBe(1_000);
    expect(most).toBe(16);
  });

  test('the signals do not count runs that another pause still holds as resumed', async () => {
    const server = serverWith([['a-1', 'b-1', 'b-2']], async () => {});
    const signalOf = async ({ pipeline }: { pipeline: string }, isKnown: boolean) => {
      if (isKnown) return null;
      return pipeline === 'a' ? { ...signal, action: 'resume' as const } : signal;
    };
    const sent = await signalOpenRuns(server.client, 'shop', { ...options, signalOf });
    expect(sent).toEqual({ pause: 2, resume: 1 });
  });

  test('the signals stop at an error, which is passed to the caller', async () => {
    const server = serverWith([['a-1', 'a-2']], async (run) => {
      if (run === 'a-2') throw new Error('the server is away');
    });
    const sending = signalOpenRuns(server.client, 'shop', options);
    await expect(sending).rejects.toThrow('the server is away');
  });
});
