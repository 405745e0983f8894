// Batches the platform's events for one pipeline and starts runs for their objects. A sweep finds objects without an
// event, so nothing is lost while no receiver runs; such objects are only later.
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
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
  type IntakeEvent,
  type IntakeInput,
  type IntakePlan,
  intakeMemo,
} from '../src/plan/contract.ts';
import { deliveriesOf } from '../src/plan/deliveries.ts';
import { runContextOf } from '../src/plan/run-context.ts';
import { searchAttributeNames } from '../src/plan/search-attributes.ts';
import { Seen } from '../src/plan/seen.ts';
import { shortHash } from '../src/plan/short-hash.ts';
import type { Sifted, ToldOf } from '../src/plan/sift-contract.ts';
import { booksOf } from './activity-options.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { assetFailureOf } from './failures.ts';
import { intakePlan, intakeTrouble, platformEvents } from './messages.ts';
import { pipelineRun } from './pipeline-run.ts';

/** Maximum number of ids in one run and in one filter call, whose inputs must stay small. */
const idsAtOnce = 500;
/** Ids beyond this are left to the sweep. A continuation takes fewer, to keep its input small. */
const gatheredAtMost = 3_000;
const gatheredCarried = 300;
/**
 * Number of short hashes that are kept of events, to recognise repetitions, and of started ids, which a sweep must
 * not start again.
 */
const remembered = 2_000;
/** The first sweep finds events from before receivers knew of the event trigger. */
const firstSweepMs = 5_000;
/** Events without objects bring the sweep forward, but to no closer than this to the last one. */
const soonMs = 20_000;
const troubleMs = 60_000;

export async function eventIntake(input: IntakeInput): Promise<void> {
  await new Intake(input).run();
}

class Intake {
  #made: IntakePlan;
  readonly #search: Pick<IntakeInput, 'searchable' | 'unsearched'>;
  readonly #startedAtMs: number;
  #sweptAtMs: number | null;
  #sweepByMs: number | null;
  readonly #gathered: Map<string, ToldOf>;
  readonly #seen: Seen;
  /** Ids for which runs were started, which may not have processed them yet. */
  readonly #started: Set<string>;
  #latestRun = '';
  /** Why the last attempt failed; empty if it did not. */
  #trouble = '';

  constructor({ made, searchable, unsearched, carried }: IntakeInput) {
    this.#made = made;
    this.#search = { searchable, ...(unsearched ? { unsearched } : {}) };
    this.#startedAtMs = carried?.startedAtMs ?? Date.now();
    this.#sweptAtMs = carried?.sweptAtMs ?? null;
    this.#sweepByMs = carried ? carried.sweepByMs : Date.now() + firstSweepMs;
    this.#gathered = new Map(carried?.gathered.map((one) => [one.id, one]));
    // Events are forgotten by number only. An age limit would change the replay of old histories.
    const bounds = { most: remembered, freshForMs: Number.POSITIVE_INFINITY };
    this.#seen = new Seen(bounds, carried, Date.now());
    this.#started = new Set(carried?.started);
    setHandler(platformEvents, (events) => {
      for (const event of events) this.#take(event);
    });
    setHandler(intakeTrouble, () => this.#trouble);
    setHandler(intakePlan, (made) => {
      const isNews = JSON.stringify(made.facts) !== JSON.stringify(this.#made.facts);
      this.#made = made;
      if (isNews) upsertMemo(intakeMemo(made));
    });
  }

  async run(): Promise<never> {
    for (;;) {
      this.#publish();
      const by = this.#sweepByMs;
      // A sweep that is brought forward changes `#sweepByMs` and so ends this wait too.
      const isNews = () => this.#gathered.size > 0 || this.#sweepByMs !== by;
      await condition(isNews, this.#untilSweepMs());
      try {
        if (this.#gathered.size > 0) await this.#startGathered();
        if (this.#untilSweepMs() <= 1) await this.#sweep();
        this.#trouble = '';
      } catch (error) {
        // The pending ids are kept for the next attempt.
        this.#trouble = assetFailureOf(error).message;
        this.#publish();
        await sleep(troubleMs);
      }
      if (workflowInfo().continueAsNewSuggested) await this.#continue();
    }
  }

  #take({ name, at, about }: IntakeEvent): void {
    if (name !== this.#made.plan.intake?.event) return;
    const [first] = about;
    if (first === undefined) return this.#sweepSoon();
    const identity = shortHash(`${first.id} ${at}`);
    const happenedMs = Date.parse(at);
    const atMs = Number.isNaN(happenedMs) ? null : happenedMs;
    const judged = this.#seen.judge(identity, atMs, Date.now());
    if (judged === 'repeated') return;
    // Perhaps one that came before and was forgotten: a sweep finds what is new, and starts nothing twice.
    if (judged === 'stale') return this.#sweepSoon();
    this.#seen.add(identity, atMs, Date.now());
    for (const one of about) {
      if (this.#gathered.size < gatheredAtMost) this.#gathered.set(one.id, one);
      else this.#sweepSoon();
    }
  }

  #sweepSoon(): void {
    const lastMs = this.#sweptAtMs ?? 0;
    this.#sweepByMs ??= Math.max(Date.now() + this.#rules().gatherMs, lastMs + soonMs);
  }

  async #startGathered(): Promise<void> {
    const { batchSize, gatherMs } = this.#rules();
    await condition(() => this.#gathered.size >= batchSize, gatherMs);
    const told = [...this.#gathered.values()].slice(0, idsAtOnce);
    const { ids } = await this.#sift(told, null);
    await this.#start(ids);
    for (const { id } of told) this.#gathered.delete(id);
  }

  async #sweep(): Promise<void> {
    const nowMs = Date.now();
    const sinceMs = Math.max(
      this.#startedAtMs,
      this.#sweptOrStartedMs() - this.#rules().lookBackMs,
    );
    // Cleared before the sweep: a request from now on may be about something that this sweep has not seen.
    this.#sweepByMs = null;
    const { ids: found, again } = await this.#sift(null, sinceMs);
    const isNew = (id: string) => !this.#started.has(shortHash(id)) && !this.#gathered.has(id);
    const ids = found.filter(isNew);
    for (let first = 0; first < ids.length; first += idsAtOnce) {
      await this.#start(ids.slice(first, first + idsAtOnce));
    }
    this.#sweptAtMs = nowMs;
    if (again) this.#sweepSoon();
  }

  #sift(told: ToldOf[] | null, sinceMs: number | null): Promise<Sifted> {
    const { plan } = this.#made;
    const intake = this.#rules();
    const { workflowId } = workflowInfo();
    const context = runContextOf(plan, { run: workflowId, lineage: workflowId, epoch: 0 });
    const { discovery } = plan;
    const deliveries = deliveriesOf(plan.steps);
    return booksOf(context).sift_events({
      context,
      discovery,
      deliveries,
      intake,
      told,
      sinceMs,
    });
  }

  /** Starts a run without waiting for its outcome. */
  async #start(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const { plan, runName, memo, limits } = this.#made;
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
      staticSummary: `${plan.pipeline} · ${ids.length} on ${plan.intake?.event ?? ''}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      ...(this.#search.searchable
        ? { typedSearchAttributes: [{ key: pipelineKey, value: plan.alias ?? plan.pipeline }] }
        : {}),
    });
    this.#latestRun = run;
    for (const id of ids) remember(this.#started, shortHash(id));
  }

  #rules() {
    const { intake } = this.#made.plan;
    if (!intake) throw new TypeError(`${this.#made.plan.pipeline} does not start on events`);
    return intake;
  }

  #untilSweepMs(): number {
    const usualMs = this.#sweptOrStartedMs() + this.#rules().sweepMs;
    return Math.max(1, Math.min(usualMs, this.#sweepByMs ?? usualMs) - Date.now());
  }

  #sweptOrStartedMs(): number {
    return this.#sweptAtMs ?? this.#startedAtMs;
  }

  #publish(): void {
    const { event, sweepMs } = this.#rules();
    const swept =
      this.#sweptAtMs === null
        ? 'Not swept yet'
        : `Swept ${new Date(this.#sweptAtMs).toISOString()}`;
    setCurrentDetails(
      [
        `**${this.#made.plan.pipeline}** runs on ${event}.`,
        '',
        `${swept}, and every ${sweepMs / 60_000} min.`,
        ...(this.#trouble === '' ? [] : [`**Retried every minute:** ${this.#trouble}`]),
        ...(this.#latestRun === '' ? [] : [`Latest run: ${this.#latestRun}`]),
      ].join('\n'),
    );
  }

  async #continue(): Promise<never> {
    const gathered = [...this.#gathered.values()];
    if (gathered.length > gatheredCarried) this.#sweepSoon();
    const next = {
      made: this.#made,
      ...this.#search,
      carried: {
        startedAtMs: this.#startedAtMs,
        sweptAtMs: this.#sweptAtMs,
        sweepByMs: this.#sweepByMs,
        gathered: gathered.slice(0, gatheredCarried),
        ...this.#seen.carried(),
        started: [...this.#started],
      },
    };
    const options = { memo: intakeMemo(this.#made) };
    return continueUnlessCancelled<typeof eventIntake>([next], options);
  }
}

/** Adds to a set of limited size, which drops its oldest item. */
function remember(lately: Set<string>, one: string): void {
  lately.add(one);
  const [oldest] = lately;
  if (lately.size > remembered && oldest !== undefined) lately.delete(oldest);
}

const pipelineKey = defineSearchAttributeKey(
  searchAttributeNames.pipeline,
  SearchAttributeType.KEYWORD,
);
