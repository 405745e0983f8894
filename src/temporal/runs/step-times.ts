// Reads from the histories of a run's shards what each step did and how long it took.
import type { Client } from '@temporalio/client';
import { workflowIds } from '../../plan/contract/contract.ts';
import type { RunTimes, StepTimes } from '../../plan/run/run-timeline.ts';
import type { StepInput, StepOutput } from '../../plan/shard/step-contract.ts';
import { addRequests } from '../../plan/shard/totals.ts';
import { decodeValue } from '../codec/decode-payload.ts';
import { eventTimeMs, type HistoryEvent, readHistoryPages } from './read-history.ts';

/** Reading stops after this number of events, because it would take minutes. */
const maxEvents = 100_000;

type Span = [fromMs: number, untilMs: number];
type StepSum = Omit<StepTimes, 'from' | 'until' | 'busySeconds'> & { spans: Span[] };
type Call = Pick<StepInput['step'], 'id' | 'node'> & { atMs: number };

/** @param shards number of shards of the run */
export async function readStepTimes(
  client: Client,
  run: string,
  shards: number,
): Promise<RunTimes> {
  const sums = new Map<string, StepSum>();
  let events = 0;
  let read = 0;
  for (; read < shards && events < maxEvents; read += 1) {
    const reader = new ShardReader(client, sums);
    for await (const page of readHistoryPages(client, workflowIds.shard(run, read))) {
      events += page.length;
      await reader.read(page);
    }
  }
  const steps = [...sums.values()].map(toStepTimes).sort((a, b) => (a.from < b.from ? -1 : 1));
  return { steps, shards: { read, of: shards } };
}

class ShardReader {
  readonly #client: Client;
  readonly #sums: Map<string, StepSum>;
  /** Running activity calls, by the id of the event that scheduled them. */
  #open = new Map<string, Call>();

  constructor(client: Client, sums: Map<string, StepSum>) {
    this.#client = client;
    this.#sums = sums;
  }

  async read(page: readonly HistoryEvent[]): Promise<void> {
    for (const event of page) await this.#readEvent(event);
  }

  async #readEvent(event: HistoryEvent): Promise<void> {
    // Event ids restart with each execution.
    if (event.workflowExecutionStartedEventAttributes) this.#open = new Map();
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const [payload] = scheduled.input?.payloads ?? [];
      const input = await decodeValue<Partial<StepInput>>(this.#client.options, payload);
      const step = input?.step;
      if (step) this.#open.set(String(event.eventId), { ...step, atMs: eventTimeMs(event) });
      return;
    }
    const ended =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (!ended) return;
    const call = this.#open.get(String(ended.scheduledEventId));
    if (!call) return;
    this.#open.delete(String(ended.scheduledEventId));
    const result = event.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
    this.#add(
      call,
      eventTimeMs(event),
      await decodeValue<StepOutput>(this.#client.options, result),
    );
  }

  #add({ id, node, atMs }: Call, untilMs: number, output: StepOutput | null): void {
    const sum = this.#sums.get(id) ?? {
      step: id,
      node,
      done: 0,
      failed: 0,
      skipped: 0,
      requests: {},
      calls: 0,
      spans: [],
    };
    this.#sums.set(id, sum);
    sum.calls += 1;
    sum.spans.push([atMs, untilMs]);
    if (!output) return;
    sum.done += output.done.length;
    sum.failed += output.failed.length;
    sum.skipped += output.pruned.length;
    addRequests(sum.requests, output.requests);
  }
}

function toStepTimes({ spans, ...sum }: StepSum): StepTimes {
  const froms = spans.map(([from]) => from);
  return {
    ...sum,
    from: new Date(froms.reduce((a, b) => Math.min(a, b))).toISOString(),
    until: new Date(spans.reduce((last, [, until]) => Math.max(last, until), 0)).toISOString(),
    busySeconds: Math.round(coveredMs(spans) / 100) / 10,
  };
}

/** Time covered by at least one span, ms. */
export function coveredMs(spans: readonly Span[]): number {
  let covered = 0;
  let reached = 0;
  for (const [from, until] of spans.toSorted(([a], [b]) => a - b)) {
    covered += Math.max(0, until - Math.max(from, reached));
    reached = Math.max(reached, until);
  }
  return covered;
}
