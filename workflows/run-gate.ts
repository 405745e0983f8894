// Decides whether a run may start more work: not while it is paused, and not before its canary is approved.
import { condition } from '@temporalio/workflow';
import { expiredCause, waitingCause } from '../src/plan/canary.ts';
import type { CarriedGate } from '../src/plan/carried.ts';
import type { Discovery, RunInput } from '../src/plan/contract.ts';
import type { OwnCode } from '../src/plan/own-code.ts';
import type { RunCause } from '../src/plan/run-cause.ts';
import { shardsOfCanary } from '../src/plan/shares.ts';
import type { Totals } from '../src/plan/totals.ts';
import type { Canary, CanaryProgress } from '../src/plan/types.ts';
import { tellPaused, tellResumed } from './run-news.ts';
import { publishPause } from './search-attributes.ts';

/** A canary that needs an approval, since the run has more assets than the canary. */
interface Asked {
  canary: Canary;
  found: Discovery;
  shards: number;
}

export class RunGate {
  readonly #input: RunInput;
  #paused = false;
  #cause: RunCause | null = null;
  #asked: Asked | null = null;
  #approval: CanaryProgress['state'];
  #untilMs: number | null;
  #published = false;

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

  get approved(): boolean {
    return this.#approval === 'approved';
  }

  /** True while it waits for approval. */
  get asks(): boolean {
    return this.#approval === 'waiting';
  }

  /** State for a continuation; null if the run waits for nobody. */
  carried(): CarriedGate | null {
    if (!this.held) return null;
    const untilMs = this.asks ? this.#untilMs : null;
    return { paused: this.#paused, cause: this.#cause, untilMs };
  }

  /** True while the run waits for a person, because of a pause or an approval. */
  get held(): boolean {
    return this.#paused || this.asks;
  }

  /** Returns true if the run was not paused before. The first cause is kept. */
  pause(cause: RunCause | null): boolean {
    this.#cause ??= cause;
    if (this.#paused) return false;
    this.#paused = true;
    tellPaused(this.#input, cause?.code);
    this.#publish();
    return true;
  }

  /** Ends the pause without approving anything. */
  resume(): void {
    if (this.#paused) tellResumed(this.#input);
    this.#cause = null;
    this.#paused = false;
    this.#publish();
  }

  /** An approval is needed only if the run has more assets than its canary. */
  found(found: Discovery): void {
    const { plan } = this.#input;
    const shards = shardsOfCanary(found, plan);
    if (plan.canary && shards !== null) this.#asked = { canary: plan.canary, found, shards };
    // A continuation may start paused or waiting.
    this.#publish();
  }

  /** True if a shard must not start before a person has approved. */
  bars(shard: number): boolean {
    return this.#asked !== null && !this.approved && shard >= this.#asked.shards;
  }

  /** True if a person must be asked before this shard; only once. */
  mustAsk(shard: number): boolean {
    return this.#approval === 'running' && this.bars(shard);
  }

  /** Waits for the approval; false if nobody approved in time. A pause does not stop the approval timeout. */
  async untilApproved(): Promise<boolean> {
    if (!this.#asked) return true;
    const { assets, timeoutMs } = this.#asked.canary;
    this.#approval = 'waiting';
    // A continuation is already waiting.
    if (this.#untilMs === null) tellPaused(this.#input, 'CANARY_WAITING' satisfies OwnCode);
    this.#untilMs ??= Date.now() + timeoutMs;
    this.#publish();
    const summary = `approval after the first ${assets} ${assets === 1 ? 'asset' : 'assets'}`;
    return condition(() => this.approved, Math.max(1, this.#untilMs - Date.now()), { summary });
  }

  /** Ignores an approval that was not requested. */
  approve(): void {
    if (!this.asks) return;
    this.#approval = 'approved';
    this.#publish();
  }

  /** Ends the wait for an approval without one. */
  refuse(): void {
    if (this.asks) this.#approval = 'refused';
    this.#publish();
  }

  /** The approval timeout has expired, which also ends a pause. Returns the cause with which the run ends. */
  expire(): RunCause | null {
    this.refuse();
    this.resume();
    return this.#asked && expiredCause(this.#told(this.#asked));
  }

  /** Why it waits for a person. A pause has priority; a pause by hand has no cause. */
  cause(totals: Totals): RunCause | null {
    return this.#paused ? this.#cause : this.question(totals);
  }

  /** The approval that it waits for, as a cause; null if it waits for none. */
  question(totals: Totals): RunCause | null {
    if (!this.asks || !this.#asked) return null;
    return waitingCause(this.#told(this.#asked), totals);
  }

  /** Progress of the canary; null if no approval is needed. */
  canary(): CanaryProgress | null {
    if (!this.#asked) return null;
    const { assets } = this.#asked.canary;
    const state = this.#approval;
    if (state !== 'waiting') return { assets, state, until: null };
    return { assets, state, until: this.#until() };
  }

  #told(asked: Asked) {
    const { run, plan } = this.#input;
    return { ...asked, run, destination: plan.destination, until: this.#until() };
  }

  #until(): string {
    return this.#untilMs === null ? '' : new Date(this.#untilMs).toISOString();
  }

  #publish(): void {
    if (this.held === this.#published) return;
    this.#published = this.held;
    if (this.#input.searchable) publishPause(this.held);
  }
}
