// Workers with one API key and a platform with a fixed rate window, on a manual clock: real budgets, leases and
// rate-limit rules, without Temporal.
import { RateLimit, type RateRefusal } from '../../packages/sandbox/src/http/rate-limit.ts';
import { readRateHeaders } from '../../src/api/errors/retry-after.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import {
  SharedAllowance,
  type SharingState,
} from '../../src/app/worker/coordination/shared-allowance.ts';
import type {
  Lease,
  LeaseRequest,
  LeaveRequest,
} from '../../src/plan/allowance/allowance-contract.ts';
import { AllowanceState } from '../../src/plan/allowance/allowance-state.ts';

const responseMs = 120;
const queryMs = 40;
const hourMs = 3_600_000;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The manual clock. */
const clock = {
  now: () => Date.now(),
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Times at which the platform accepted and refused requests. */
export interface RequestArrivals {
  takenMs: number[];
  refusedMs: number[];
}

export class SharedPlatform {
  readonly #limit: RateLimit;
  #state = new AllowanceState(Date.now());
  #workers = 0;
  /** While true, no query gets a response. */
  isTemporalGone = false;
  questions = 0;
  readonly ours: RequestArrivals = { takenMs: [], refusedMs: [] };

  constructor(limit: number) {
    this.#limit = new RateLimit(limit, 60);
  }

  /** Handles a request that arrives now. */
  take({ takenMs, refusedMs }: RequestArrivals): RateRefusal | undefined {
    const refusal = this.#limit.take(Date.now());
    (refusal ? refusedMs : takenMs).push(Date.now());
    return refusal;
  }

  /** Terminates the workflow, which loses its state. */
  endWorkflow(): void {
    this.#state = new AllowanceState(Date.now());
  }

  async ask(request: LeaseRequest): Promise<Lease> {
    await this.#travel();
    this.questions += 1;
    // Copied through JSON, as in a history.
    return JSON.parse(JSON.stringify(this.#state.lease(request, Date.now()))) as Lease;
  }

  async leave(request: LeaveRequest): Promise<void> {
    await this.#travel();
    this.#state.leave(request, Date.now());
  }

  async #travel(): Promise<void> {
    await wait(queryMs);
    if (!this.isTemporalGone) return;
    await wait(6_000);
    throw new Error('Temporal does not answer');
  }

  /** @param configured rate limit from `renderline.yaml` */
  worker(configured?: number): WorkerUnderTest {
    this.#workers += 1;
    return new WorkerUnderTest(this, `worker-${this.#workers}`, configured);
  }
}

export class WorkerUnderTest {
  readonly sharing: SharingState[] = [];
  readonly sentMs: number[] = [];
  readonly #platform: SharedPlatform;
  readonly #budget: RateBudget;
  readonly #shared: SharedAllowance;
  #isDead = false;
  #atOnce = 0;

  constructor(platform: SharedPlatform, identity: string, configured: number | undefined) {
    this.#platform = platform;
    this.#budget = new RateBudget({ clock, limit: configured });
    this.#shared = new SharedAllowance({
      clockAheadMs: () => 0,
      workflow: {
        lease: async (request) => {
          if (this.#isDead) throw new Error('it is dead');
          return platform.ask(request);
        },
        leave: (request) => platform.leave(request),
      },
      budget: this.#budget,
      identity,
      onSharing: (state) => this.sharing.push(state),
    });
    this.#shared.start();
  }

  /** Keeps this many requests in flight. */
  work(atOnce = 5): this {
    for (; this.#atOnce < atOnce; this.#atOnce += 1) void this.#line();
    return this;
  }

  async #line(): Promise<void> {
    while (!this.#isDead) await this.#send('create');
  }

  /** Sends an urgent request. @returns how long it waited, ms */
  urgent(): Promise<number> {
    return this.#send('interactive');
  }

  /** Dies as with SIGKILL. */
  kill(): void {
    this.#isDead = true;
  }

  /** Stops as with SIGTERM, together with its work. */
  async stop(): Promise<void> {
    this.#isDead = true;
    await this.#shared.stop();
  }

  async #send(priority: 'create' | 'interactive'): Promise<number> {
    const askedMs = Date.now();
    const release = await this.#budget.acquire({ priority, maxWaitMs: hourMs });
    const waitedMs = Date.now() - askedMs;
    if (this.#isDead) return waitedMs;
    this.sentMs.push(Date.now());
    const refusal = this.#platform.take(this.#platform.ours);
    await wait(responseMs);
    if (refusal)
      this.#budget.onRateLimited(readRateHeaders(lowerCase(refusal.headers), Date.now()));
    release();
    return waitedMs;
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(named) as Record<string, string>;
}
