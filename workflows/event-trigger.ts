// Batches the platform's events for one pipeline and starts runs for their objects. A periodic sweep finds objects
// whose events were lost, for example while no receiver ran. These objects only start later.
import {
  condition,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
  upsertMemo,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type TriggerEvent,
  type TriggerInput,
  type TriggerPlan,
  triggerMemo,
} from '../src/plan/contract/contract.ts';
import type { EventObject, FilteredEvents } from '../src/plan/contract/filter-contract.ts';
import { formatCount } from '../src/plan/helpers/format-count.ts';
import { shortHashOf } from '../src/plan/helpers/short-hash.ts';
import { deliveriesOf } from '../src/plan/run/deliveries.ts';
import { EventDeduplicator } from '../src/plan/run/event-deduplicator.ts';
import { runContextOf } from '../src/plan/run/run-context.ts';
import { proxyEngineActivity } from './activity-options.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { assetFailureOf } from './failures.ts';
import { platformEvents, triggerError, updateTriggerPlan } from './messages.ts';
import { pipelineRun } from './run/pipeline-run.ts';
import { pipelineKey } from './search-attributes.ts';

/** Maximum number of ids in one run and in one filter call, whose inputs must stay small. */
const maxIdsPerRun = 500;
/** Maximum number of pending objects. A sweep finds the others. A continuation takes fewer, to keep its input small. */
const maxPendingObjects = 3_000;
const maxCarriedObjects = 300;
/**
 * Number of short hashes that are kept, both of events, to recognise repetitions, and of started ids, so that a sweep
 * does not start them again.
 */
const maxRememberedIds = 2_000;
/**
 * Time until the first sweep. The sweep is soon, since it finds objects whose events arrived before receivers knew of
 * the event trigger.
 */
const firstSweepMs = 5_000;
/** Minimum time between two sweeps if the second one was brought forward. */
const minSweepGapMs = 20_000;
const retryDelayMs = 60_000;

export async function eventTrigger(input: TriggerInput): Promise<void> {
  await new EventTrigger(input).run();
}

class EventTrigger {
  #triggerPlan: TriggerPlan;
  readonly #search: Pick<TriggerInput, 'searchable' | 'missingSearchAttributes'>;
  readonly #startedAtMs: number;
  #sweptAtMs: number | null;
  /** All objects created before this time are found: their runs are started, or the objects are pending. */
  #foundToMs: number | null;
  #sweepByMs: number | null;
  readonly #pendingObjects: Map<string, EventObject>;
  readonly #deduplicator: EventDeduplicator;
  /** Hashes of the ids that runs were started for. The runs may not have processed them yet. */
  readonly #startedHashes: Set<string>;
  #latestRun = '';
  /** Why the last attempt to start runs or to sweep failed. Empty if it succeeded. */
  #lastError = '';

  constructor({ triggerPlan, searchable, missingSearchAttributes, carried }: TriggerInput) {
    this.#triggerPlan = triggerPlan;
    this.#search = { searchable, ...(missingSearchAttributes ? { missingSearchAttributes } : {}) };
    // Not the current time, because a worker may begin late, and objects created in between may have no event.
    this.#startedAtMs = carried?.startedAtMs ?? workflowInfo().startTime.getTime();
    this.#sweptAtMs = carried?.sweptAtMs ?? null;
    this.#foundToMs = carried?.foundToMs ?? null;
    this.#sweepByMs = carried ? carried.sweepByMs : Date.now() + firstSweepMs;
    this.#pendingObjects = new Map(
      carried?.pendingObjects.map((pendingObject) => [pendingObject.id, pendingObject]),
    );
    // Only the number of remembered events is limited, because an age limit would change the replay of old histories.
    const bounds = { max: maxRememberedIds, freshForMs: Number.POSITIVE_INFINITY };
    this.#deduplicator = new EventDeduplicator(bounds, carried);
    this.#startedHashes = new Set(carried?.started);
    setHandler(platformEvents, (events) => {
      for (const event of events) this.#receive(event);
    });
    setHandler(triggerError, () => this.#lastError);
    setHandler(updateTriggerPlan, (triggerPlan) => {
      const hasChanged =
        JSON.stringify(triggerPlan.facts) !== JSON.stringify(this.#triggerPlan.facts);
      this.#triggerPlan = triggerPlan;
      if (hasChanged) upsertMemo(triggerMemo(triggerPlan));
    });
  }

  async run(): Promise<never> {
    for (;;) {
      this.#publish();
      const sweepByMs = this.#sweepByMs;
      // A sweep that is brought forward changes `#sweepByMs` and so ends this wait too.
      const endsWait = () => this.#pendingObjects.size > 0 || this.#sweepByMs !== sweepByMs;
      await condition(endsWait, this.#msUntilSweep(), { summary: 'until the next sweep' });
      try {
        if (this.#pendingObjects.size > 0) await this.#startPending();
        if (this.#msUntilSweep() <= 1) await this.#sweep();
        this.#lastError = '';
      } catch (error) {
        // The pending ids are kept for the next attempt.
        this.#lastError = assetFailureOf(error).message;
        this.#publish();
        await sleep(retryDelayMs, { summary: 'until the retry' });
      }
      if (workflowInfo().continueAsNewSuggested) await this.#continue();
    }
  }

  #receive({ name, at, objects }: TriggerEvent): void {
    if (name !== this.#triggerPlan.plan.eventTrigger?.event) return;
    const [first] = objects;
    if (first === undefined) return this.#sweepSoon();
    const identity = shortHashOf(`${first.id} ${at}`);
    const happenedAtMs = Date.parse(at);
    const atMs = Number.isNaN(happenedAtMs) ? null : happenedAtMs;
    const verdict = this.#deduplicator.classify(identity, atMs, Date.now());
    if (verdict === 'repeated') return;
    // The event may repeat a forgotten one. A sweep finds the new objects and starts no object twice.
    if (verdict === 'stale') return this.#sweepSoon();
    this.#deduplicator.add(identity, atMs, Date.now());
    for (const eventObject of objects) {
      if (this.#pendingObjects.size < maxPendingObjects)
        this.#pendingObjects.set(eventObject.id, eventObject);
      else this.#sweepSoon();
    }
  }

  #sweepSoon(): void {
    const lastSweepAtMs = this.#sweptAtMs ?? 0;
    this.#sweepByMs ??= Math.max(
      Date.now() + this.#triggerSettings().batchWindowMs,
      lastSweepAtMs + minSweepGapMs,
    );
  }

  async #startPending(): Promise<void> {
    const { batchSize, batchWindowMs } = this.#triggerSettings();
    const summary = 'until a batch of events is full';
    await condition(() => this.#pendingObjects.size >= batchSize, batchWindowMs, { summary });
    const objects = [...this.#pendingObjects.values()].slice(0, maxIdsPerRun);
    const { ids } = await this.#filter(objects, null);
    await this.#start(ids);
    for (const object of objects) {
      // An event that arrived in the meantime may be about a change that the run has not seen.
      if (this.#pendingObjects.get(object.id) === object) this.#pendingObjects.delete(object.id);
    }
  }

  async #sweep(): Promise<void> {
    const nowMs = Date.now();
    const foundToMs = this.#foundToMs ?? this.#startedAtMs;
    const sinceMs = Math.max(this.#startedAtMs, foundToMs - this.#triggerSettings().overlapMs);
    // Cleared before the sweep, because an event during the sweep may concern an object that the sweep has not seen.
    this.#sweepByMs = null;
    const { ids: foundIds, needsAnotherSweep } = await this.#filter(null, sinceMs).catch(
      (error: unknown) => {
        this.#sweepByMs = nowMs;
        throw error;
      },
    );
    const isNew = (id: string) =>
      !this.#startedHashes.has(shortHashOf(id)) && !this.#pendingObjects.has(id);
    const ids = foundIds.filter(isNew);
    for (let first = 0; first < ids.length; first += maxIdsPerRun) {
      await this.#start(ids.slice(first, first + maxIdsPerRun));
    }
    this.#sweptAtMs = nowMs;
    if (needsAnotherSweep) this.#sweepSoon();
    // A continuation drops pending objects that it cannot accept, so a sweep must find them again.
    else if (this.#pendingObjects.size <= maxCarriedObjects) this.#foundToMs = nowMs;
  }

  #filter(objects: EventObject[] | null, sinceMs: number | null): Promise<FilteredEvents> {
    const { plan } = this.#triggerPlan;
    const eventTrigger = this.#triggerSettings();
    const { workflowId } = workflowInfo();
    const context = runContextOf(plan, { run: workflowId, lineage: workflowId, epoch: 0 });
    const { discovery, stages } = plan;
    const deliveries = deliveriesOf(plan.steps);
    return proxyEngineActivity(
      'filterEvents',
      context,
    )({
      context,
      discovery,
      stages,
      deliveries,
      eventTrigger,
      objects,
      sinceMs,
    });
  }

  /** Starts a run without waiting for its outcome. */
  async #start(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const { plan, runName, memo, limits } = this.#triggerPlan;
    const digits = new Date().toISOString().replace(/\D/g, '');
    const run = `${runName}-${digits.slice(0, 8)}-${digits.slice(8, 14)}-${uuid4().slice(0, 4)}`;
    await startChild(pipelineRun, {
      workflowId: run,
      args: [
        {
          plan,
          run,
          lineage: run,
          epoch: 0,
          ...this.#search,
          ids,
          ...(limits ? { limits } : {}),
        },
      ],
      memo,
      staticSummary: `${plan.pipeline}: ${formatCount(ids.length, 'object')} of ${plan.eventTrigger?.event ?? ''}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      ...(this.#search.searchable
        ? { typedSearchAttributes: [{ key: pipelineKey, value: plan.alias ?? plan.pipeline }] }
        : {}),
    });
    this.#latestRun = run;
    for (const id of ids) remember(this.#startedHashes, shortHashOf(id));
  }

  #triggerSettings() {
    const { eventTrigger } = this.#triggerPlan.plan;
    if (!eventTrigger)
      throw new TypeError(`${this.#triggerPlan.plan.pipeline} does not start on events`);
    return eventTrigger;
  }

  #msUntilSweep(): number {
    const lastAtMs = this.#sweptAtMs ?? this.#startedAtMs;
    const usualSweepAtMs = lastAtMs + this.#triggerSettings().sweepIntervalMs;
    return Math.max(1, Math.min(usualSweepAtMs, this.#sweepByMs ?? usualSweepAtMs) - Date.now());
  }

  #publish(): void {
    const { event, sweepIntervalMs } = this.#triggerSettings();
    const swept =
      this.#sweptAtMs === null
        ? 'Not swept yet'
        : `Swept ${new Date(this.#sweptAtMs).toISOString()}`;
    setCurrentDetails(
      [
        `**${this.#triggerPlan.plan.pipeline}** runs on ${event}.`,
        '',
        `${swept}, and every ${sweepIntervalMs / 60_000} min.`,
        ...(this.#lastError === '' ? [] : [`**Retried every minute:** ${this.#lastError}`]),
        ...(this.#latestRun === '' ? [] : [`Latest run: ${this.#latestRun}`]),
      ].join('\n'),
    );
  }

  async #continue(): Promise<never> {
    const pendingObjects = [...this.#pendingObjects.values()];
    if (pendingObjects.length > maxCarriedObjects) this.#sweepSoon();
    const next = {
      triggerPlan: this.#triggerPlan,
      ...this.#search,
      carried: {
        startedAtMs: this.#startedAtMs,
        sweptAtMs: this.#sweptAtMs,
        foundToMs: this.#foundToMs,
        sweepByMs: this.#sweepByMs,
        pendingObjects: pendingObjects.slice(0, maxCarriedObjects),
        ...this.#deduplicator.carried(),
        started: [...this.#startedHashes],
      },
    };
    const options = { memo: triggerMemo(this.#triggerPlan) };
    return continueUnlessCancelled<typeof eventTrigger>([next], options);
  }
}

/** Adds to a set, and removes its oldest item if the set is too large. */
function remember(recent: Set<string>, item: string): void {
  recent.add(item);
  const [oldest] = recent;
  if (recent.size > maxRememberedIds && oldest !== undefined) recent.delete(oldest);
}
