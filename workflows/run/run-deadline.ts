// Watches the deadline of a run: notifies once when the run is expected to miss it, and once when it has missed it.
import { isCancellation, sleep } from '@temporalio/workflow';
import { decisionWaitCause } from '../../src/plan/contract/canary.ts';
import type { RunContinuation, RunInput, RunProgress } from '../../src/plan/contract/contract.ts';
import {
  computeDueAtMs,
  type DeadlineProgress,
  deadlineChecks,
  estimateEndAtMs,
  type Lateness,
  lateRunOf,
} from '../../src/plan/deadline.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { NoticeDetails } from '../run-notice.ts';
import { publishLateness } from '../search-attributes.ts';
import { emitLate, readScheduledAtMs } from './run-events.ts';

const dayMs = 86_400_000;

type CarriedDeadline = Pick<RunContinuation, 'startedAtMs' | 'lateness'>;

export class RunDeadline {
  readonly #input: RunInput;
  readonly #startedAtMs: number;
  /** When the run is due, epoch ms. Null if the run has no deadline. */
  readonly #dueAtMs: number | null;
  /** State that continuations take over: whether the run is late, or expected to be. */
  readonly #carriedState: CarriedDeadline;

  constructor(input: RunInput, carriedState: CarriedDeadline) {
    const { startedAtMs } = carriedState;
    const { deadline } = input.plan;
    this.#input = input;
    this.#startedAtMs = startedAtMs;
    this.#carriedState = carriedState;
    const scheduledAtMs = readScheduledAtMs() ?? startedAtMs;
    // A run that starts over a day after its scheduled time is a backfill, so its deadline counts from its start.
    const fromMs = startedAtMs - scheduledAtMs > dayMs ? startedAtMs : scheduledAtMs;
    this.#dueAtMs = deadline === undefined ? null : computeDueAtMs(deadline, fromMs);
  }

  /** The deadline and whether the run is late. Empty if the run has no deadline. */
  get progress(): { deadline?: DeadlineProgress } {
    if (this.#dueAtMs === null) return {};
    const dueAt = new Date(this.#dueAtMs).toISOString();
    return { deadline: { dueAt, lateness: this.#carriedState.lateness ?? null } };
  }

  /**
   * Checks the pace of the run several times before the deadline, and once at the deadline. Ends early if the run ends.
   * @param onChange called when the run is expected to be late, and when it is late
   */
  async watch(
    progress: () => RunProgress,
    onChange: (progress: RunProgress, details: NoticeDetails) => void,
  ): Promise<void> {
    if (this.#dueAtMs === null) return;
    try {
      await this.#watchUntil(this.#dueAtMs, progress, onChange);
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  async #watchUntil(
    dueAtMs: number,
    progress: () => RunProgress,
    onChange: (progress: RunProgress, details: NoticeDetails) => void,
  ): Promise<void> {
    const remainingMs = dueAtMs - this.#startedAtMs;
    for (const share of deadlineChecks) {
      const checkAtMs = this.#startedAtMs + share * remainingMs;
      const isDue = share === 1;
      if (this.#carriedState.lateness === 'late') return;
      if (!isDue && (this.#carriedState.lateness !== undefined || checkAtMs <= Date.now()))
        continue;
      if (checkAtMs > Date.now())
        await sleep(checkAtMs - Date.now(), {
          summary: isDue ? 'until the deadline' : 'until the pace is checked',
        });
      const current = progress();
      if (current.state === 'finished' || current.state === 'cancelling') return;
      const endAtMs = this.#expectedEndAtMs(current);
      if (!isDue && !this.#isBehind(current, endAtMs, share)) continue;
      const lateness: Lateness = isDue ? 'late' : 'expected';
      this.#carriedState.lateness = lateness;
      emitLate(this.#input, lateness);
      publishLateness(lateness, this.#input);
      const dueAt = new Date(dueAtMs).toISOString();
      const expectedEnd = endAtMs === null ? null : new Date(endAtMs).toISOString();
      const deadline = lateRunOf(current, { dueAt, lateness, expectedEnd });
      onChange(current, { cause: current.cause ?? this.#awaitedDecision(current), deadline });
    }
  }

  /** Returns the cause while assets wait for decisions of people, or null if no asset does. */
  #awaitedDecision({ steps }: RunProgress): RunCause | null {
    const { plan, run } = this.#input;
    const isAwaited = plan.steps.some(
      ({ id, asksPeople }) => asksPeople === true && (steps[id]?.running ?? 0) > 0,
    );
    return isAwaited ? decisionWaitCause(run) : null;
  }

  #expectedEndAtMs(progress: RunProgress): number | null {
    const times = { startedAtMs: this.#startedAtMs, nowMs: Date.now() };
    const stepIds = this.#input.plan.steps.map(({ id }) => id);
    return progress.state === 'running' ? estimateEndAtMs(progress, stepIds, times) : null;
  }

  /** True if the run will end late, is paused, or has no expected end at the last check before the deadline. */
  #isBehind(progress: RunProgress, endAtMs: number | null, share: number): boolean {
    if (progress.state === 'paused') return true;
    return endAtMs === null ? share === deadlineChecks.at(-2) : endAtMs > (this.#dueAtMs ?? 0);
  }
}
