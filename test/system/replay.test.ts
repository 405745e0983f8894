// Every committed history replays with the present workflows, and none of them contains a secret.
import { describe, expect, inject, it } from 'vitest';
import { scenarios } from '../../scripts/record/scenarios.ts';
import { type RunResult, workflowNames } from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import { type Recording, readRecordings } from './_recordings.ts';
import { type ReplayHistory, recordedEnd, replayAll } from './_replay.ts';

const recordings = readRecordings();
const bundle = () => ({ codePath: inject('workflowBundle') });

describe('the recordings', () => {
  it('recordings exist, since a test without recordings would always pass', () => {
    expect(recordings.length).toBeGreaterThan(0);
  });

  it.each(scenarios.map(({ name }) => name))('the recordings include the scenario %s', (name) => {
    const types = recordings
      .filter(({ scenario }) => scenario === name)
      .map((one) => one.workflowType);
    expect(types).toContain(workflowNames.run);
    expect(types).toContain(workflowNames.shard);
  });

  it.each([
    ['a run', 'continue-as-new', workflowNames.run],
    ['an event trigger', 'on-event-continued', workflowNames.eventTrigger],
    ['an allowance', 'shared-allowance', workflowNames.allowance],
    ['an audit log', 'audited', workflowNames.audit],
  ])('the recordings include %s that continued as new', (_what, name, type) => {
    const parts = recordings.filter(
      ({ scenario, workflowType }) => scenario === name && workflowType === type,
    );
    const continued = parts.filter(({ history }) =>
      history.events?.some((event) => event.workflowExecutionContinuedAsNewEventAttributes),
    );
    expect(continued.length).toBeGreaterThan(0);
    expect(parts.length).toBeGreaterThan(continued.length);
  });
});

describe('contents of the recordings', () => {
  const eventsOf = (scenario: string, type: string) =>
    recordings
      .filter((one) => one.scenario === scenario && one.workflowType === type)
      .map(({ history }) => history.events ?? []);

  it('for five hundred assets, the recordings contain full calls and finalizations of a hundred assets', () => {
    const sizes = eventsOf('five-hundred', workflowNames.shard).flatMap((events) =>
      events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
        const [payload] = scheduled?.input?.payloads ?? [];
        const input: unknown = JSON.parse(Buffer.from(payload?.data ?? 'null').toString());
        return isSized(input) ? [(input.settled ?? input.assets ?? []).length] : [];
      }),
    );
    expect(sizes).toContain(50);
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(100);
  });

  it('the recordings contain a run of more than a minute', () => {
    const seconds = eventsOf('slow', workflowNames.run).map((events) => {
      const [first, last] = [events[0], events.at(-1)];
      return Number(last?.eventTime?.seconds) - Number(first?.eventTime?.seconds);
    });
    expect(Math.max(...seconds)).toBeGreaterThan(60);
  });

  it('the recordings contain a pause of several shards', () => {
    const paused = eventsOf('paused-shards', workflowNames.shard).filter((events) =>
      events.some(
        (event) => event.workflowExecutionSignaledEventAttributes?.signalName === messages.pause,
      ),
    );
    expect(paused.length).toBeGreaterThan(1);
  });
});

it('a detached shard lets the next one start', () => {
  const run = recordings.find(
    ({ name }) => name.includes('/detached-shard/') && name.endsWith('-run.json'),
  );
  const order = (run?.history.events ?? []).flatMap((event) => [
    ...(event.childWorkflowExecutionStartedEventAttributes ? ['started'] : []),
    ...(event.childWorkflowExecutionCompletedEventAttributes ? ['completed'] : []),
  ]);
  // The run may end on the signal of its last shard, before the shard's completion is in the history.
  expect(order.slice(0, 3)).toEqual(['started', 'started', 'completed']);
});

describe('replay', () => {
  it('every recording replays to its recorded result', async () => {
    const replayed = await replayAll(bundle(), recordings);
    expect(replayed.map(({ name }) => name).toSorted()).toEqual(
      recordings.map(({ name }) => name).toSorted(),
    );
    expect(replayed.filter(({ problem }) => problem !== null)).toEqual([]);
    const ends = recordings.map(({ name, history }) => ({ name, end: recordedEnd(history) }));
    expect(ends.filter(({ end }) => end !== null).length).toBeGreaterThan(recordings.length / 2);
    // New fields are allowed.
    expect(replayed).toMatchObject(ends);
  });

  it.each<[string, (history: ReplayHistory) => void]>([
    [
      'an activity of another type',
      (history) => {
        const scheduled = history.events?.findLast(
          (event) => event.activityTaskScheduledEventAttributes,
        );
        const type = scheduled?.activityTaskScheduledEventAttributes?.activityType;
        if (type) type.name = 'something_else';
      },
    ],
    [
      'an activity under another id',
      (history) => {
        const scheduled = history.events?.findLast(
          (event) => event.activityTaskScheduledEventAttributes,
        );
        const attributes = scheduled?.activityTaskScheduledEventAttributes;
        if (attributes) attributes.activityId = '999';
      },
    ],
  ])('a replay detects %s', async (_name, change) => {
    const original = recordings.find(
      ({ name }) => name.includes('/success/') && name.includes('shard'),
    );
    expect(original).toBeDefined();
    const history = structuredClone(original?.history ?? { events: [] });
    change(history);
    const [replayed] = await replayAll(bundle(), [{ name: 'changed', history }]);
    expect(replayed?.problem).toMatch(/nondeterminism|determinism/i);
  });
});

describe('a result', () => {
  it('a replay detects a result that differs from the recorded one', async () => {
    const original = recordings.find(({ name }) => name.includes('/success/01-run'));
    const history = structuredClone(original?.history ?? { events: [] });
    const result = history.events?.at(-1)?.workflowExecutionCompletedEventAttributes?.result;
    const [payload] = result?.payloads ?? [];
    if (!payload?.data) throw new Error('the run has no result');
    const text = Buffer.from(payload.data).toString();
    payload.data = Buffer.from(text.replace('"complete":4', '"complete":3'));
    const [replayed] = await replayAll(bundle(), [{ name: 'changed', history }]);
    expect(replayed?.problem).toBeNull();
    expect(replayed?.end).toMatchObject(JSON.parse(text));
    expect(replayed?.end).not.toMatchObject(recordedEnd(history) ?? {});
  });
});

describe('a completed run', () => {
  const complete = scenarios.filter(({ ends }) => ends === 'complete').map(({ name }) => name);

  it.each(complete)(
    'the completed run %s has counted the events of its own history and of its shards',
    (name) => {
      // Workflows that start runs or report their end are counted separately.
      const { eventTrigger, notice, allowance, pollLeader: pollerContext, audit } = workflowNames;
      const others: string[] = [eventTrigger, notice, allowance, pollerContext, audit];
      const mine = recordings.filter(
        (one) => one.scenario === name && !others.includes(one.workflowType),
      );
      expect(mine).not.toEqual([]);
      for (const version of new Set(mine.map((one) => one.version))) {
        const histories = mine.filter((one) => one.version === version).map((one) => one.history);
        const events = histories.flatMap((history) => history.events ?? []);
        const [result] = events.flatMap((event) => {
          const payloads = event.workflowExecutionCompletedEventAttributes?.result?.payloads;
          const value: unknown = JSON.parse(Buffer.from(payloads?.[0]?.data ?? 'null').toString());
          return isRunResult(value) ? [value] : [];
        });
        expect(result?.historyEvents).toBe(events.length);
      }
    },
  );
});

function isSized(value: unknown): value is { settled?: unknown[]; assets?: unknown[] } {
  return typeof value === 'object' && value !== null;
}

function isRunResult(value: unknown): value is RunResult {
  return typeof value === 'object' && value !== null && 'pipeline' in value;
}

describe('secrets', () => {
  /** Patterns of keys, signed addresses and local paths. */
  const forbidden: [what: string, pattern: RegExp][] = [
    ['an API key', /svc_[A-Za-z0-9]/],
    ['a signature', /[?&](sig|signature|token|expires|x-amz-[a-z-]+|x-goog-[a-z-]+)=/i],
    ['an upload address', /"(uploadUrl|uploadKey|downloadUrl)\\?"/],
    ['a place of a machine', /\/(tmp|home|root|Users|node_modules|dist)\//],
    ['a process', /\d+@[A-Za-z]/],
  ];

  const leaks = ({ text }: Pick<Recording, 'text'>) =>
    forbidden.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);

  it.each(recordings.map((one) => [one.name, one] as const))(
    'the recording %s contains no secrets',
    (_name, one) => {
      expect(leaks(one)).toEqual([]);
    },
  );

  it.each([
    ['an API key', '{"key":"svc_ab12_secret"}'],
    ['a signature', '"http://127.0.0.1/x.glb?expires=1&signature=ab"'],
    ['an upload address', '{"$text":"{\\"uploadUrl\\":\\"x\\"}"}'],
    ['a place of a machine', '"/tmp/renderline-x/models"'],
    ['a process', '"4711@host"'],
  ])('the check detects %s', (what, text) => {
    expect(leaks({ text })).toContain(what);
  });
});
