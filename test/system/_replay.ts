// Replays histories with the current workflows.
import type { WorkflowHandle } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';

/** A history as the client decodes it. */
export type ReplayHistory = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export interface Replayed {
  name: string;
  /** Null if the history replays. */
  problem: string | null;
  /** Result, failure details, or the input of its continuation. Null if none was recorded. */
  end: unknown;
}

/** Records the values that a workflow returns, since a replay compares only the commands. */
class RecordingCodec implements PayloadCodec {
  #values: unknown[] = [];

  async encode(payloads: Payload[], context?: { type: string }): Promise<Payload[]> {
    if (context?.type === 'workflow') this.#values.push(...payloads.map(valueOf));
    return payloads;
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads;
  }

  take(): unknown[] {
    return this.#values.splice(0);
  }
}

function valueOf({ data }: { data?: Uint8Array | null }): unknown {
  return data && data.length > 0 ? JSON.parse(Buffer.from(data).toString()) : null;
}

/** What a history ended with, as `Replayed.end`. */
export function recordedEnd({ events }: ReplayHistory): unknown {
  const last = events?.at(-1);
  const [payload] =
    last?.workflowExecutionCompletedEventAttributes?.result?.payloads ??
    last?.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo?.details
      ?.payloads ??
    last?.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads ??
    [];
  return payload ? valueOf(payload) : null;
}

/** Replays all histories and reports why one does not replay. */
export async function replayAll(
  workflowBundle: WorkflowBundleOption,
  recordings: readonly { name: string; history: ReplayHistory }[],
): Promise<Replayed[]> {
  // A scheduled run derives its names from its workflow id, so the replay needs the real id.
  const histories = recordings.map(({ name, history }) => {
    const [started] = history.events ?? [];
    const workflowId = started?.workflowExecutionStartedEventAttributes?.workflowId;
    return { workflowId: workflowId ?? name, history };
  });
  const replayed: Replayed[] = [];
  const overhearing = new RecordingCodec();
  const dataConverter = { payloadCodecs: [overhearing] };
  const options = { workflowBundle, dataConverter };
  // The results come one at a time and in the order of the histories.
  for await (const { error } of Worker.runReplayHistories(options, histories)) {
    const { name = '', history = {} } = recordings[replayed.length] ?? {};
    const recorded = recordedEnd(history);
    const end = overhearing.take().findLast((said) => isLike(said, recorded)) ?? null;
    replayed.push({ name, problem: error ? error.message : null, end });
  }
  return replayed;
}

/** True if the value has the recorded fields. It may have more, such as memos. */
function isLike(said: unknown, recorded: unknown): boolean {
  if (typeof said !== 'object' || typeof recorded !== 'object') return false;
  if (said === null || recorded === null) return false;
  return Object.keys(recorded).every((field) => field in said);
}
