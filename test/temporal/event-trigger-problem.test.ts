// Tests the reason why an event trigger makes no progress, from Temporal's description to the message for people.
import { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, it } from 'vitest';
import { describeTrouble } from '../../src/app/schedules/event-triggers.ts';
import { formatEventTrigger } from '../../src/cli/schedules/format.ts';
import { readFailingActivity } from '../../src/temporal/runs/event-trigger-problem.ts';

interface Pending {
  attempt: number;
  lastFailure?: { message: string; applicationFailureInfo?: { category: number; type?: string } };
  state?: number;
  heartbeatDetails?: { payloads: Payload[] };
}

/** Details of a heartbeat, as Temporal describes them. */
const detailsOf = (details: object) => ({
  heartbeatDetails: { payloads: [defaultPayloadConverter.toPayload(details)] },
});
const [scheduled, started] = [1, 2];

it.each<[string, Pending[], object | null]>([
  ['no activity is pending', [], null],
  ['the first attempt is pending', [{ attempt: 1 }], null],
  [
    'the fourth attempt waits',
    [{ attempt: 4, lastFailure: { message: 'the bucket does not answer' } }],
    { message: 'the bucket does not answer', attempts: 3 },
  ],
  [
    'one activity reports that it is too early, and another activity fails',
    [
      {
        attempt: 9,
        lastFailure: {
          message: 'not yet',
          applicationFailureInfo: { category: 1, type: 'NOT_YET' },
        },
      },
      { attempt: 2, lastFailure: { message: 'SlowDown', applicationFailureInfo: { category: 0 } } },
    ],
    { message: 'SlowDown', attempts: 1 },
  ],
  [
    'the requests of an activity wait for the rate limit, for which it is retried as if it were too early',
    [
      {
        attempt: 2,
        lastFailure: {
          message: 'waited 600 s for the rate limit of the API key; no request was sent',
          applicationFailureInfo: { category: 1, type: 'BudgetWaitError' },
        },
      },
    ],
    { message: 'waited 600 s for the rate limit of the API key; no request was sent', attempts: 1 },
  ],
  [
    'a running activity waits for the platform',
    [{ attempt: 1, state: started, ...detailsOf({ wait: 'requests wait' }) }],
    { message: 'requests wait', attempts: null },
  ],
  [
    'one activity waits for the platform, and another activity fails',
    [
      { attempt: 1, state: started, ...detailsOf({ wait: 'requests wait' }) },
      { attempt: 2, lastFailure: { message: 'SlowDown' } },
    ],
    { message: 'SlowDown', attempts: 1 },
  ],
  [
    'an attempt that has ended waited for the platform',
    [{ attempt: 2, state: scheduled, ...detailsOf({ wait: 'requests wait' }) }],
    null,
  ],
  [
    'a running activity reports its progress',
    [{ attempt: 1, state: started, ...detailsOf({ listed: 7 }) }],
    null,
  ],
])(
  'the failure of an event trigger is read correctly if %s',
  async (_what, pendingActivities, told) => {
    expect(await readFailingActivity(new Client().options, { pendingActivities })).toEqual(told);
  },
);

it('the reason is shown with the event trigger', () => {
  const trigger = {
    pipeline: 'chairs',
    event: 'model.processed',
    taskQueue: 'renderline',
    unreadable: null,
  };
  const plain = (_color: unknown, text: string) => text;
  expect(formatEventTrigger({ ...trigger, trouble: null }, plain)).toEqual([
    'chairs  on model.processed',
  ]);
  const trouble = { message: 'the bucket does not answer', attempts: 3 };
  expect(formatEventTrigger({ ...trigger, trouble }, plain)).toEqual([
    'chairs  on model.processed',
    '  failing  the bucket does not answer (3 attempts, retrying)',
  ]);
  const unreadable = { code: 'CODEC_KEY_MISSING', message: 'no key', fix: 'export it' };
  const hidden = { ...trigger, event: null, trouble: null, unreadable };
  expect(formatEventTrigger(hidden, plain)).toEqual([
    'chairs  cannot be read here (CODEC_KEY_MISSING)',
  ]);
  expect(describeTrouble({ message: '401', attempts: null })).toBe('401');
});
