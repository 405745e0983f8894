// Gathers the platform's events for one pipeline and starts runs for what they are about. A sweep finds what
// no event told of, so nothing is lost while nobody receives, only later.
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities, IntakeEvent, IntakeInput, IntakePlan } from '../src/plan/contract.ts';
import { searchAttributeNames } from '../src/plan/search-attributes.ts';
import { bookkeeping } from './activity-options.ts';
import { intakePlan, platformEvents } from './messages.ts';
import { pipelineRun } from './pipeline-run.ts';

const { sift_events } = proxyActivities<Activities>(bookkeeping);

/** Ids of one run; its input must stay small. */
const idsAtOnce = 1_000;
/** What is gathered beyond this is left to the sweep. */
const gatheredAtMost = 10_000;
/** Events that a repetition is known by. */
const remembered = 2_000;
/** Events without an id, and trouble, bring the sweep forward to this long after the last one. */
const soonMs = 60_000;
/** A sweep looks so far behind the last one: what was made then may have become ready since. */
const overlapMs = 24 * 3_600_000;

export async function eventIntake(input: IntakeInput): Promise<void> {
  await new Intake(input).run();
}

class Intake {
  #made: IntakePlan;
  readonly #searchable: boolean;
  readonly #startedAtMs: number;
  #sweptAtMs: number;
  #sweepSoon = false;
  readonly #gathered: Set<string>;
  readonly #seen: Set<string>;
  #latestRun = '';

  constructor({ made, searchable, carried }: IntakeInput) {
    this.#made = made;
    this.#searchable = searchable;
    this.#startedAtMs = carried?.startedAtMs ?? Date.now();
    this.#sweptAtMs = carried?.sweptAtMs ?? Date.now();
    this.#gathered = new Set(carried?.gathered);
    this.#seen = new Set(carried?.seen);
    setHandler(platformEvents, (events) => {
      for (const event of events) this.#take(event);
    });
    setHandler(intakePlan, (made) => {
      this.#made = made;
    });
  }

  async run(): Promise<never> {
    for (;;) {
      this.#publish();
      const soon = this.#sweepSoon;
      // A sweep that is brought forward has another time to wait for.
      const isNews = () => this.#gathered.size > 0 || this.#sweepSoon !== soon;
      await condition(isNews, this.#untilSweepMs());
      try {
        if (this.#gathered.size > 0) await this.#startGathered();
        if (this.#untilSweepMs() <= 1) await this.#sweep();
      } catch {
        // The activity has said why, in the UI; what was gathered is still there.
        await sleep(soonMs);
      }
      if (workflowInfo().continueAsNewSuggested) await this.#continue();
    }
  }

  #take({ name, at, id }: IntakeEvent): void {
    if (name !== this.#made.plan.intake?.event) return;
    const identity = `${name} ${id ?? ''} ${at}`;
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    const [oldest] = this.#seen;
    if (this.#seen.size > remembered && oldest !== undefined) this.#seen.delete(oldest);
    if (id !== null && this.#gathered.size < gatheredAtMost) this.#gathered.add(id);
    else this.#sweepSoon = true;
  }

  async #startGathered(): Promise<void> {
    const { batchSize, gatherMs } = this.#rules();
    await condition(() => this.#gathered.size >= batchSize, gatherMs);
    const ids = [...this.#gathered].slice(0, idsAtOnce);
    const wanted = await this.#sift(ids, null);
    await this.#start(wanted);
    for (const id of ids) this.#gathered.delete(id);
  }

  async #sweep(): Promise<void> {
    const nowMs = Date.now();
    const sinceMs = Math.max(this.#startedAtMs, this.#sweptAtMs - overlapMs);
    const found = await this.#sift(null, sinceMs);
    for (let first = 0; first < found.length; first += idsAtOnce) {
      await this.#start(found.slice(first, first + idsAtOnce));
    }
    this.#sweptAtMs = nowMs;
    this.#sweepSoon = false;
  }

  async #sift(ids: string[] | null, sinceMs: number | null): Promise<string[]> {
    const { plan } = this.#made;
    const intake = this.#rules();
    const { pipeline, recipe, parameters, connectors, records, discovery } = plan;
    const { workflowId } = workflowInfo();
    const context = {
      run: workflowId,
      lineage: workflowId,
      epoch: 0,
      pipeline,
      recipe,
      parameters,
      connectors,
      records,
    };
    return (await sift_events({ context, discovery, intake, ids, sinceMs })).ids;
  }

  /** The run goes on by itself; what becomes of it is seen there. */
  async #start(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const { plan, runName, memo } = this.#made;
    const digits = new Date().toISOString().replace(/\D/g, '');
    const run = `${runName}-${digits.slice(0, 8)}-${digits.slice(8, 14)}-${uuid4().slice(0, 4)}`;
    await startChild(pipelineRun, {
      workflowId: run,
      args: [{ plan, run, lineage: run, epoch: 0, searchable: this.#searchable, ids }],
      memo,
      staticSummary: `${plan.pipeline} · ${ids.length} on ${plan.intake?.event ?? ''}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      ...(this.#searchable
        ? { typedSearchAttributes: [{ key: pipelineKey, value: plan.pipeline }] }
        : {}),
    });
    this.#latestRun = run;
  }

  #rules() {
    const { intake } = this.#made.plan;
    if (!intake) throw new TypeError(`${this.#made.plan.pipeline} does not begin with events`);
    return intake;
  }

  #untilSweepMs(): number {
    const afterMs = this.#sweepSoon ? soonMs : this.#rules().sweepMs;
    return Math.max(1, this.#sweptAtMs + Math.min(afterMs, this.#rules().sweepMs) - Date.now());
  }

  #publish(): void {
    const { event, sweepMs } = this.#rules();
    setCurrentDetails(
      [
        `**${this.#made.plan.pipeline}** runs on ${event}.`,
        '',
        `Swept ${new Date(this.#sweptAtMs).toISOString()}, every ${sweepMs / 60_000} min.`,
        ...(this.#latestRun === '' ? [] : [`Latest run: ${this.#latestRun}`]),
      ].join('\n'),
    );
  }

  async #continue(): Promise<never> {
    return continueAsNew<typeof eventIntake>({
      made: this.#made,
      searchable: this.#searchable,
      carried: {
        startedAtMs: this.#startedAtMs,
        sweptAtMs: this.#sweptAtMs,
        gathered: [...this.#gathered],
        seen: [...this.#seen],
      },
    });
  }
}

const pipelineKey = defineSearchAttributeKey(
  searchAttributeNames.pipeline,
  SearchAttributeType.KEYWORD,
);
