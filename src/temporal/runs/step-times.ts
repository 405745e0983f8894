// Reads from the histories of a run's shards what each step did and how long it took.
import type { Client } from '@temporalio/client';
import { workflowIds } from '../../plan/contract/contract.ts';
import type { RunTimes, StepTimes } from '../../plan/run/run-timeline.ts';
import type { StepInput, StepOutput } from '../../plan/shard/step-contract.ts';
import { addRequests } from '../../plan/shard/totals.ts';
import { type ConverterOptions, decodeValue } from '../codec/decode-payload.ts';
import { eventAtMsOf, type HistoryEvent, readHistoryPages } from './read-history.ts';

/** No further shard is read after this number of history events, because that would take minutes. */
const maxEvents = 100_000;

type Span = [fromMs: number, untilMs: number];
type Outcome = 'done' | 'failed' | 'skipped';
/** For each step id, how each asset left the step. */
type Outcomes = Map<string, Map<number, Outcome>>;
type StepSum = Omit<StepTimes, 'from' | 'until' | 'busySeconds'> & { spans: Span[] };
type Call = Pick<StepInput, 'step' | 'chain' | 'assets'> & { atMs: number };

/** Reads the times of a run's steps. @param shards number of shards of the run */
export async function readStepTimes(
  client: Client,
  run: string,
  shards: number,
): Promise<RunTimes> {
  const sums = new Map<string, StepSum>();
  let events = 0;
  let readCount = 0;
  for (; readCount < shards && events < maxEvents; readCount += 1) {
    const reader = new ShardReader(client.options, sums);
    for await (const page of readHistoryPages(client, workflowIds.shard(run, readCount))) {
      events += page.length;
      await reader.read(page);
    }
    reader.countOutcomes();
  }
  const steps = [...sums.values()].map(toStepTimes).sort((a, b) => (a.from < b.from ? -1 : 1));
  return { steps, shards: { read: readCount, of: shards } };
}

/** Reads the history of one shard and adds its activity calls and their outcomes to the sums of each step. */
export class ShardReader {
  readonly #converterOptions: ConverterOptions;
  readonly #sums: Map<string, StepSum>;
  /** Running activity calls, by the id of the event that scheduled them. */
  #openCalls = new Map<string, Call>();
  /** The last outcomes in the execution that is being read. */
  #outcomes: Outcomes = new Map();
  /** Outcomes in newer executions, which are read first. An older outcome counts only for assets that are not here. */
  readonly #newerOutcomes: Outcomes = new Map();

  constructor(converterOptions: ConverterOptions, sums: Map<string, StepSum>) {
    this.#converterOptions = converterOptions;
    this.#sums = sums;
  }

  async read(page: readonly HistoryEvent[]): Promise<void> {
    for (const event of page) await this.#readEvent(event);
  }

  /** Adds the outcomes of the shard's assets, once its history has been read. */
  countOutcomes(): void {
    this.#endExecution();
    for (const [step, outcomes] of this.#newerOutcomes) {
      const sum = this.#sums.get(step);
      for (const outcome of outcomes.values()) if (sum) sum[outcome] += 1;
    }
  }

  #endExecution(): void {
    for (const [step, outcomes] of this.#outcomes) {
      const newer = this.#newerOutcomes.get(step) ?? [];
      this.#newerOutcomes.set(step, new Map([...outcomes, ...newer]));
    }
    this.#outcomes = new Map();
    // Open calls are cleared, because event ids restart with each execution.
    this.#openCalls = new Map();
  }

  async #readEvent(event: HistoryEvent): Promise<void> {
    if (event.workflowExecutionStartedEventAttributes) this.#endExecution();
    const schedule = event.activityTaskScheduledEventAttributes;
    if (schedule) {
      const [payload] = schedule.input?.payloads ?? [];
      const input = await decodeValue<Partial<StepInput>>(this.#converterOptions, payload);
      const { step, chain = [], assets = [] } = input ?? {};
      const call = step && { step, chain, assets, atMs: eventAtMsOf(event) };
      if (call) this.#openCalls.set(String(event.eventId), call);
      return;
    }
    const completion = event.activityTaskCompletedEventAttributes;
    const failure =
      event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    const end = completion ?? failure ?? event.activityTaskCanceledEventAttributes;
    const call = this.#openCalls.get(String(end?.scheduledEventId));
    if (!end || !call) return;
    this.#openCalls.delete(String(end.scheduledEventId));
    const result = completion?.result?.payloads?.[0];
    const output = await decodeValue<StepOutput>(this.#converterOptions, result);
    this.#addCall(call, eventAtMsOf(event), output);
    // All assets fail with the activity call, unless the step ignores failures or a later call processes them again.
    const { step, assets } = call;
    if (failure) this.#setOutcomes(step, step.onFailure === 'ignore' ? 'done' : 'failed', assets);
  }

  #addCall({ step, chain = [], atMs }: Call, untilMs: number, output: StepOutput | null): void {
    const steps = [step, ...chain];
    const reports = output ? [output, ...(output.chain ?? [])] : [];
    for (const [index, chainStep] of steps.slice(0, Math.max(1, reports.length)).entries()) {
      const sum = this.#sumOf(chainStep, index === 0 ? null : step.id);
      sum.spans.push([atMs, untilMs]);
      if (index === 0) {
        sum.calls += 1;
        addRequests(sum.requests, output?.requests ?? {});
      }
      const { done = [], pruned = [], failed = [], retry = [] } = reports[index] ?? {};
      this.#setOutcomes(chainStep, 'done', done);
      this.#setOutcomes(chainStep, 'skipped', pruned);
      this.#setOutcomes(chainStep, 'failed', [...failed, ...retry]);
    }
  }

  #setOutcomes({ id }: Call['step'], outcome: Outcome, assets: readonly number[]): void {
    const outcomes = this.#outcomes.get(id) ?? new Map<number, Outcome>();
    for (const asset of assets) outcomes.set(asset, outcome);
    this.#outcomes.set(id, outcomes);
  }

  #sumOf({ id, node }: Call['step'], chainHead: string | null): StepSum {
    const counts = { done: 0, failed: 0, skipped: 0, requests: {}, calls: 0 };
    const sum = this.#sums.get(id) ?? { step: id, node, ...counts, within: chainHead, spans: [] };
    this.#sums.set(id, sum);
    return sum;
  }
}

function toStepTimes({ spans, ...sum }: StepSum): StepTimes {
  const startTimes = spans.map(([from]) => from);
  return {
    ...sum,
    from: new Date(startTimes.reduce((a, b) => Math.min(a, b))).toISOString(),
    until: new Date(spans.reduce((last, [, until]) => Math.max(last, until), 0)).toISOString(),
    busySeconds: Math.round(computeCoveredMs(spans) / 100) / 10,
  };
}

/** Computes the time covered by at least one span, ms. */
export function computeCoveredMs(spans: readonly Span[]): number {
  let sumMs = 0;
  let reachedAtMs = 0;
  for (const [from, until] of spans.toSorted(([a], [b]) => a - b)) {
    sumMs += Math.max(0, until - Math.max(from, reachedAtMs));
    reachedAtMs = Math.max(reachedAtMs, until);
  }
  return sumMs;
}
