// Decides whether a run may start more work: not while it is paused, and not before its canary is approved.
import { condition } from '@temporalio/workflow';
import type { SignalNote } from '../../src/plan/contract/audit-contract.ts';
import { canaryExpiredCause, canaryWaitCause } from '../../src/plan/contract/canary.ts';
import type { Discovery, RunInput } from '../../src/plan/contract/contract.ts';
import { shardsOfCanary, startOfShard } from '../../src/plan/contract/sharding.ts';
import { otherDestinationsOf } from '../../src/plan/run/deliveries.ts';
import { allPausedCode } from '../../src/plan/run/general-pause.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { ContinuedHold } from '../../src/plan/run/run-continuation.ts';
import type { WorkflowFailureCode } from '../../src/plan/run/workflow-failure-codes.ts';
import type { Totals } from '../../src/plan/shard/totals.ts';
import type { Canary, CanaryProgress } from '../../src/plan/types.ts';
import { publishPause } from '../search-attributes.ts';
import { emitPaused, emitResumed } from './run-events.ts';

/** A canary that needs an approval, since the run has more assets than the canary. */
interface ApprovalCanary {
  canary: Canary;
  discovery: Discovery;
  shards: number;
}

/** Effect of a pause: the run was not paused before, the pause has a new cause, or nothing changed. */
type PauseChange = 'paused' | 'new cause' | 'none';

export class RunHold {
  readonly #input: RunInput;
  #paused = false;
  #cause: RunCause | null = null;
  #canary: ApprovalCanary | null = null;
  #approval: CanaryProgress['state'];
  #untilMs: number | null;
  #published = false;
  #startsNewRecords = false;

  constructor(input: RunInput) {
    const { gate, approved } = input.carried ?? {};
    this.#input = input;
    this.#paused = gate?.paused ?? false;
    this.#cause = gate?.cause ?? null;
    this.#untilMs = gate?.untilMs ?? null;
    if (approved) this.#approval = 'approved';
    else this.#approval = this.#untilMs === null ? 'running' : 'waiting';
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** True if a resume has started new records. A run continues as new only after it has needed this. */
  get startsNewRecords(): boolean {
    return this.#startsNewRecords;
  }

  /** True while only a general pause holds the run. */
  get #isPausedByAll(): boolean {
    return this.#cause?.code === allPausedCode;
  }

  get approved(): boolean {
    return this.#approval === 'approved';
  }

  get isWaitingForApproval(): boolean {
    return this.#approval === 'waiting';
  }

  /** Returns the state for a continuation, or null unless the run waits for a person. */
  carried(): ContinuedHold | null {
    if (!this.isHeld) return null;
    const untilMs = this.isWaitingForApproval ? this.#untilMs : null;
    return { paused: this.#paused, cause: this.#cause, untilMs };
  }

  /** True while the run waits for a person, because of a pause or an approval. */
  get isHeld(): boolean {
    return this.#paused || this.isWaitingForApproval;
  }

  /**
   * Pauses the run. The first cause is kept, with two exceptions. Any other cause replaces a general pause, so that
   * `resume --all` does not resume a run that has its own cause. Too many failures replace any cause: they are reported
   * only once, whereas a blocked shard reports its cause again after the resume.
   */
  pause(cause: RunCause | null): PauseChange {
    const isGeneral = cause?.code === allPausedCode;
    if (this.#paused && isGeneral && !this.#isPausedByAll) return 'none';
    const previousCode = this.#cause?.code;
    const isReplaced = this.#isPausedByAll || isTooManyFailures(cause);
    this.#cause = isReplaced ? cause : (this.#cause ?? cause);
    if (this.#paused) return this.#cause?.code === previousCode ? 'none' : 'new cause';
    this.#paused = true;
    emitPaused(this.#input, cause?.code);
    this.#publish();
    return 'paused';
  }

  /**
   * Ends the pause without approving anything. Returns false if nothing is resumed: a resume of a general pause ends no
   * other pause, and an approval of pictures does not end a pause for too many failures.
   */
  resume(note?: SignalNote): boolean {
    if (note?.general && !this.#isPausedByAll) return false;
    // Whoever approved the pictures may not have seen the failures. The next resume delivers by the stored decisions.
    const isApproval = note?.pictures !== undefined;
    if (isApproval && isTooManyFailures(this.#cause)) return false;
    if (this.#paused) emitResumed(this.#input);
    this.#startsNewRecords ||= note?.newRecords === true;
    this.#cause = null;
    this.#paused = false;
    this.#publish();
    return true;
  }

  /** Stores what the run has found. An approval is needed only if the run has more assets than its canary. */
  setDiscovery(discovery: Discovery): void {
    const { plan } = this.#input;
    const shards = shardsOfCanary(discovery, plan);
    if (plan.canary && shards !== null) {
      // The canary of a grid consists of whole models, so it may be larger than planned.
      const assets = startOfShard(plan, shards, discovery.starts);
      this.#canary = { canary: { ...plan.canary, assets }, discovery, shards };
    }
    // The state is published at once, because a continuation may start paused or waiting.
    this.#publish();
  }

  /** True if a shard must not start before a person has approved. */
  isBlocked(shard: number): boolean {
    return this.#canary !== null && !this.approved && shard >= this.#canary.shards;
  }

  /** True if this shard needs an approval that has not been requested yet. */
  isApprovalDue(shard: number): boolean {
    return this.#approval === 'running' && this.isBlocked(shard);
  }

  /** Waits for the approval. Returns false if nobody approved in time. A pause does not stop the approval timeout. */
  async untilApproved(): Promise<boolean> {
    if (!this.#canary) return true;
    const { assets, timeoutMs } = this.#canary.canary;
    this.#approval = 'waiting';
    // If the run continued as new while it waited, the pause was already reported.
    if (this.#untilMs === null)
      emitPaused(this.#input, 'CANARY_WAITING' satisfies WorkflowFailureCode);
    this.#untilMs ??= Date.now() + timeoutMs;
    this.#publish();
    const summary = `approval after the first ${assets} ${assets === 1 ? 'asset' : 'assets'}`;
    return condition(() => this.approved, Math.max(1, this.#untilMs - Date.now()), { summary });
  }

  /** Accepts an approval by a person, and ignores one that was not requested. Returns true if the run is approved. */
  approve(): boolean {
    if (this.isWaitingForApproval) {
      this.#approval = 'approved';
      this.#publish();
    }
    return this.approved;
  }

  /** Ends the wait for an approval without one. */
  refuse(): void {
    if (this.isWaitingForApproval) this.#approval = 'refused';
    this.#publish();
  }

  /** Ends the wait, and any pause, because the approval timeout has expired. Returns the cause that ends the run. */
  expire(): RunCause | null {
    this.refuse();
    this.resume();
    return this.#canary && canaryExpiredCause(this.#approvalInput(this.#canary));
  }

  /** Returns why the run waits for a person. A pause has priority over an approval. A manual pause has no cause. */
  cause(totals: Totals): RunCause | null {
    return this.#paused ? this.#cause : this.approvalCause(totals);
  }

  /** Returns the approval that the run waits for, as a cause, or null if it waits for none. */
  approvalCause(totals: Totals): RunCause | null {
    if (!this.isWaitingForApproval || !this.#canary) return null;
    return canaryWaitCause(this.#approvalInput(this.#canary), totals);
  }

  /** Returns the progress of the canary, or null if no approval is needed. */
  canary(): CanaryProgress | null {
    if (!this.#canary) return null;
    const { assets } = this.#canary.canary;
    const state = this.#approval;
    if (state !== 'waiting') return { assets, state, until: null };
    return { assets, state, until: this.#until() };
  }

  #approvalInput(canary: ApprovalCanary) {
    const { run, plan } = this.#input;
    const destinations = plan.destination ? [plan.destination, ...otherDestinationsOf(plan)] : [];
    return { ...canary, run, destinations, until: this.#until() };
  }

  #until(): string {
    return this.#untilMs === null ? '' : new Date(this.#untilMs).toISOString();
  }

  #publish(): void {
    if (this.isHeld === this.#published) return;
    this.#published = this.isHeld;
    if (this.#input.searchable) publishPause(this.isHeld);
  }
}

function isTooManyFailures(cause: RunCause | null): boolean {
  return cause?.code === ('TOO_MANY_FAILURES' satisfies WorkflowFailureCode);
}
