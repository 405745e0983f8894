import type { temporal } from '@temporalio/proto';
import { describe, expect, test } from 'vitest';
import { readTriggerHistory } from '../../../src/app/testing/execute-event-runs.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const sweepBegins = {
  activityTaskScheduledEventAttributes: { activityType: { name: 'filterEvents' } },
};
const sweepEnds = { activityTaskCompletedEventAttributes: { scheduledEventId: id(1) } };
const news = { workflowTaskScheduledEventAttributes: {} };
const takenUp = { workflowTaskCompletedEventAttributes: {} };
const asks = { startChildWorkflowExecutionInitiatedEventAttributes: {} };
const starts = {
  childWorkflowExecutionStartedEventAttributes: { workflowExecution: { workflowId: 'run' } },
};

describe('an event trigger', () => {
  const cases: [string, object[], { isBusy: boolean; startedRuns?: string[] }][] = [
    ['is busy before it has read the result of its sweep', [news], { isBusy: true }],
    ['is not busy after it has read the result of its sweep', [news, takenUp], { isBusy: false }],
    ['is busy while it starts a run', [news, takenUp, asks], { isBusy: true }],
    [
      'is not busy after it has started a run',
      [news, takenUp, asks, starts, news, takenUp],
      { isBusy: false, startedRuns: ['run'] },
    ],
  ];
  test.each(cases)('an event trigger %s', (_, later, { isBusy, startedRuns = [] }) => {
    const events = [sweepBegins, sweepEnds, ...later].map(dated);
    expect(readTriggerHistory(events)).toEqual({ startedRuns, lastSweepAtMs: 1_000, isBusy });
  });
});

function dated(event: object, index: number): HistoryEvent {
  return { eventId: id(index + 1), eventTime: { seconds: id(index + 1) }, ...event };
}

function id(value: number) {
  return value as unknown as NonNullable<HistoryEvent['eventId']>;
}
