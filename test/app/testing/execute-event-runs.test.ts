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

describe('what an event trigger has done', () => {
  const cases: [string, object[], { isBusy: boolean; started?: string[] }][] = [
    ['its sweep has found something, and it has not yet read what', [news], { isBusy: true }],
    ['its sweep has found nothing, and it knows', [news, takenUp], { isBusy: false }],
    ['it is starting a run', [news, takenUp, asks], { isBusy: true }],
    [
      'it has started a run',
      [news, takenUp, asks, starts, news, takenUp],
      { isBusy: false, started: ['run'] },
    ],
  ];
  test.each(cases)('%s', (_, later, { isBusy, started = [] }) => {
    const events = [sweepBegins, sweepEnds, ...later].map(dated);
    expect(readTriggerHistory(events)).toEqual({ started, lastSweepAtMs: 1_000, isBusy });
  });
});

function dated(event: object, index: number): HistoryEvent {
  return { eventId: id(index + 1), eventTime: { seconds: id(index + 1) }, ...event };
}

function id(value: number) {
  return value as unknown as NonNullable<HistoryEvent['eventId']>;
}
