// Carries notifications to receivers: a few at once, tried a few times, forgotten with the process.
import { Agent, request } from 'undici';
import { parsePublicUrl, resolveByDns } from '../downloads/private-network.ts';
import { pinnedAgent, safeAddress } from '../downloads/safe-download.ts';
import type { ResolvedOptions } from '../options.ts';

/** Stated in docs/assumptions.md: the document shows neither timeout nor retries. */
export const delivery = {
  timeoutMs: 5_000,
  /** Waits before the second and third attempt at speed 1. */
  retryMs: [1_000, 5_000],
  atOnce: 8,
  /** Notifications that wait or are put off; further ones are dropped. */
  mostWaiting: 1_000,
} as const;

export interface Notification {
  readonly event: string;
  readonly url: string;
  readonly body: Buffer;
  /** Lowercase hex; a per-job notification has none. */
  readonly signature?: string | undefined;
  /** Called after each attempt, and with `over` when there will be no other. */
  readonly tried?: ((delivered: boolean, over: boolean) => void) | undefined;
}

export class Sender {
  readonly #options: ResolvedOptions;
  /** By address, since a name is looked up anew for every attempt. */
  readonly #agents = new Map<string, Agent>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #waiting: { notification: Notification; attempt: number }[] = [];
  #running = 0;
  #closed = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  /** Takes a notification; false when too many wait already. */
  send(notification: Notification, attempt = 1): boolean {
    if (this.#isFull) return false;
    this.#waiting.push({ notification, attempt });
    // In a turn of its own: the request that caused it may still fail.
    setImmediate(() => this.#next());
    return true;
  }

  /** Does something a while later, in real time; false when too much is put off already. */
  later(delayMs: number, work: () => void): boolean {
    if (this.#isFull) return false;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
      this.#tellIdle();
    }, delayMs);
    timer.unref();
    this.#timers.add(timer);
    return true;
  }

  /** Resolves when nothing waits, runs or is put off. */
  idle(): Promise<void> {
    return new Promise((done) => {
      this.#whenIdle.push(done);
      this.#tellIdle();
    });
  }

  /** Drops the notifications that wait. */
  clear(): void {
    this.#waiting = [];
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#tellIdle();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.clear();
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }

  get #isFull(): boolean {
    return this.#closed || this.#waiting.length + this.#timers.size >= delivery.mostWaiting;
  }

  #next(): void {
    while (this.#running < delivery.atOnce) {
      const next = this.#waiting.shift();
      if (!next) return this.#tellIdle();
      this.#running += 1;
      // Its own failures are outcomes, never rejections.
      void this.#attempt(next.notification, next.attempt).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  async #attempt(notification: Notification, attempt: number): Promise<void> {
    const delivered = await this.#post(notification).catch(() => false);
    if (this.#closed) return;
    const waitMs = delivered ? undefined : delivery.retryMs[attempt - 1];
    notification.tried?.(delivered, waitMs === undefined);
    if (waitMs === undefined) return;
    const again = () => {
      if (!this.send(notification, attempt + 1)) notification.tried?.(false, true);
    };
    if (!this.later(waitMs / this.#options.speed, again)) notification.tried?.(false, true);
  }

  /** True for a 2xx. A redirect is an answer like any other, and not followed. */
  async #post({ url: text, body, signature }: Notification): Promise<boolean> {
    const url = parsePublicUrl(text, this.#options.allowPrivateUrls);
    const answer = await request(url, {
      method: 'POST',
      dispatcher: await this.#agentFor(url),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'renderline-sandbox',
        ...(signature === undefined ? {} : { 'x-service-signature': signature }),
      },
      body,
      signal: AbortSignal.timeout(delivery.timeoutMs),
    });
    await answer.body.dump({ limit: 64 * 1024 });
    return answer.statusCode >= 200 && answer.statusCode < 300;
  }

  async #agentFor(url: URL): Promise<Agent> {
    const { allowPrivateUrls, resolveHost = resolveByDns } = this.#options;
    if (allowPrivateUrls) return this.#agent('any', () => new Agent());
    const signal = AbortSignal.timeout(delivery.timeoutMs);
    const address = await safeAddress(url, { allowPrivate: false, resolve: resolveHost, signal });
    return this.#agent(address, () => pinnedAgent(address));
  }

  #agent(key: string, make: () => Agent): Agent {
    const known = this.#agents.get(key);
    if (known) return known;
    // Receivers are few; one who changes addresses all the time must not fill the memory.
    if (this.#agents.size >= 32) {
      for (const agent of this.#agents.values()) void agent.close();
      this.#agents.clear();
    }
    const made = make();
    this.#agents.set(key, made);
    return made;
  }

  #tellIdle(): void {
    if (this.#running + this.#waiting.length + this.#timers.size > 0) return;
    for (const done of this.#whenIdle.splice(0)) done();
  }
}
