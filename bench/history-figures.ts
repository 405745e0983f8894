// Figures about a history other than its length.
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';

const { HistoryEvent } = proto.temporal.api.history.v1;

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;
type Event = Events[number];

export interface HistoryFigures {
  largestEventBytes: number;
  /** Longest time from the start to the completion of a workflow task, as seen by the server. */
  longestTaskMs: number;
  /** Number of activity tasks by worker identity. */
  tasks: Map<string, number>;
}

export function noFigures(): HistoryFigures {
  return { largestEventBytes: 0, longestTaskMs: 0, tasks: new Map() };
}

/** Adds one history to the figures. */
export function inspectHistory(figures: HistoryFigures, events: Events): void {
  const startedAtMs = new Map<string, number>();
  for (const event of events) {
    const bytes = HistoryEvent.encode(event).finish().length;
    figures.largestEventBytes = Math.max(figures.largestEventBytes, bytes);
    if (event.workflowTaskStartedEventAttributes) {
      startedAtMs.set(String(event.eventId), timeMs(event));
    }
    const startedBy = event.workflowTaskCompletedEventAttributes?.startedEventId;
    const tookMs = timeMs(event) - (startedAtMs.get(String(startedBy)) ?? timeMs(event));
    figures.longestTaskMs = Math.max(figures.longestTaskMs, Math.round(tookMs));
    const identity = event.activityTaskStartedEventAttributes?.identity;
    if (identity) figures.tasks.set(identity, (figures.tasks.get(identity) ?? 0) + 1);
  }
}

function timeMs({ eventTime }: Event): number {
  return Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000;
}
