// What keeps a run from beginning more: a pause, by hand or by a cause, and a canary that nobody has approved yet.
import { condition } from '@temporalio/workflow';
import { expiredCause, waitingCause } from '../src/plan/canary.ts';
import type { Discovery, RunInput } from '../src/plan/contract.ts';
import type { RunCause } from '../src/plan/run-cause.ts';
import { shardsOfCanary } from '../src/plan/shares.ts';
import type { Totals } from '../src/plan/totals.ts';
import type { Canary, CanaryProgress } from '../src/plan/types.ts';
import { publishPause } from './search-attributes.ts';

/** The canary of a run that has more to do than that. */
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
  #until = '';
  #published = false;

  constructor(input: RunInput) {
    this.#input = input;
    this.#approval = input.carried?.approved ? 'approved' : 'running';
  }

  get paused(): boolean {
    return this.#paused;
  }

  get approved(): boolean {
    return this.#approval === 'approved';
  }

  /** It waits for a person, whatever for. */
  get held(): boolean {
    return this.#paused || this.#approval === 'waiting';
  }

  /** Says whether the run was not paused before; the first cause stands. */
  pause(cause: RunCause | null): boolean {
    this.#cause ??= cause;
    if (this.#paused) return false;
    this.#paused = true;
    this.#publish();
    return true;
  }

  /** Ends the pause, which approves nothing. */
  resume(): void {
    this.#cause = null;
    this.#paused = false;
    this.#publish();
  }

  /** What there is to do decides whether anybody is asked. */
  found(found: Discovery): void {
    const { plan } = this.#input;
    const shards = shardsOfCanary(found, plan);
    if (plan.canary && shards !== null) this.#asked = { canary: plan.canary, found, shards };
  }

  /** Whether a shard may not begin before a person has approved. */
  bars(shard: number): boolean {
    return this.#asked !== null && !this.approved && shard >= this.#asked.shards;
  }

  /** Whether somebody is to be asked now, before this shard; that is done once. */
  mustAsk(shard: number): boolean {
    return this.#approval === 'running' && this.bars(shard);
  }

  /** false: nobody approved in time. A pause meanwhile takes nothing off that time. */
  async untilApproved(): Promise<boolean> {
    if (!this.#asked) return true;
    const { assets, timeoutMs } = this.#asked.canary;
    this.#approval = 'waiting';
    this.#until = new Date(Date.now() + timeoutMs).toISOString();
    this.#publish();
    const summary = `approval after the first ${assets} ${assets === 1 ? 'asset' : 'assets'}`;
    return condition(() => this.approved, timeoutMs, { summary });
  }

  /** Takes no approval that nobody asked for. */
  approve(): void {
    if (this.#approval !== 'waiting') return;
    this.#approval = 'approved';
    this.#publish();
  }

  /** Whoever cancels does not approve. */
  refuse(): void {
    if (this.#approval === 'waiting') this.#approval = 'refused';
    this.#publish();
  }

  /** Nobody approved, so that a pause has nothing left to hold; says why the run ends. */
  expire(): RunCause | null {
    this.refuse();
    this.resume();
    return this.#asked && expiredCause(this.#told(this.#asked));
  }

  /** Why it waits for a person. A pause comes first; by hand it has no cause. */
  cause(totals: Totals): RunCause | null {
    return this.#paused ? this.#cause : this.question(totals);
  }

  /** null while it waits for no approval. */
  question(totals: Totals): RunCause | null {
    if (this.#approval !== 'waiting' || !this.#asked) return null;
    return waitingCause(this.#told(this.#asked), totals);
  }

  /** null when nobody is asked. */
  canary(): CanaryProgress | null {
    if (!this.#asked) return null;
    const { assets } = this.#asked.canary;
    const state = this.#approval;
    if (state !== 'waiting') return { assets, state, until: null };
    return { assets, state, until: this.#until };
  }

  #told(asked: Asked) {
    const { run, plan } = this.#input;
    return { ...asked, run, destination: plan.destination, until: this.#until };
  }

  #publish(): void {
    if (this.held === this.#published) return;
    this.#published = this.held;
    if (this.#input.searchable) publishPause(this.held);
  }
}
