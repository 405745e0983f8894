// Sends notifications, a few at a time and with a few retries. They are not kept across restarts.
import { type Agent, request } from 'undici';
import { parsePublicUrl, resolveByDns } from '../downloads/private-network.ts';
import { createPinnedAgent, resolveSafeAddresses } from '../downloads/safe-download.ts';
import type { ResolvedOptions } from '../options.ts';

/** These values are assumptions (docs/assumptions.md), because the platform documents neither a timeout nor retries. */
export const delivery = {
  timeoutMs: 5_000,
  /** Delays before the second and third attempts, at speed 1. */
  retryMs: [1_000, 5_000],
  atOnce: 8,
  /** Maximum number of waiting and delayed notifications. Further ones are dropped. */
  maxWaiting: 1_000,
} as const;

export interface Notification {
  readonly url: string;
  readonly body: Buffer;
  /** In lower-case hex. Absent for per-job notifications. */
  readonly signature?: string | undefined;
  /** Called after each attempt. `isLast` is true if no other attempt follows. */
  readonly onAttempt?: ((isDelivered: boolean, isLast: boolean) => void) | undefined;
}

export class Sender {
  readonly #options: ResolvedOptions;
  /** One connection pool per list of addresses, since a name is resolved again for every attempt. */
  readonly #agents = new Map<string, Agent>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #queue: { notification: Notification; attempt: number }[] = [];
  #runningCount = 0;
  #isClosed = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  /** Queues a notification. @returns false if too many are waiting or delayed, or after `close` */
  send(notification: Notification, attempt = 1): boolean {
    if (this.#isFull) return false;
    this.#queue.push({ notification, attempt });
    // Sending is deferred, because the request that caused the notification may still fail.
    setImmediate(() => this.#next());
    return true;
  }

  /** Calls a function after a delay in real time. @returns false if too many are waiting or delayed, or if closed */
  later(delayMs: number, task: () => void): boolean {
    if (this.#isFull) return false;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
      this.#notifyIdle();
    }, delayMs);
    timer.unref();
    this.#timers.add(timer);
    return true;
  }

  /** Resolves when nothing is waiting, running or delayed. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
      this.#notifyIdle();
    });
  }

  /** Drops the waiting notifications and the delayed calls. */
  clear(): void {
    this.#queue = [];
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#notifyIdle();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.clear();
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }

  get #isFull(): boolean {
    return this.#isClosed || this.#queue.length + this.#timers.size >= delivery.maxWaiting;
  }

  #next(): void {
    while (this.#runningCount < delivery.atOnce) {
      const next = this.#queue.shift();
      if (!next) return this.#notifyIdle();
      this.#runningCount += 1;
      // The promise never rejects, because failures are outcomes.
      void this.#attempt(next.notification, next.attempt).finally(() => {
        this.#runningCount -= 1;
        this.#next();
      });
    }
  }

  async #attempt(notification: Notification, attempt: number): Promise<void> {
    const isDelivered = await this.#post(notification).catch(() => false);
    if (this.#isClosed) return;
    const waitMs = isDelivered ? undefined : delivery.retryMs[attempt - 1];
    notification.onAttempt?.(isDelivered, waitMs === undefined);
    if (waitMs === undefined) return;
    const retry = () => {
      if (!this.send(notification, attempt + 1)) notification.onAttempt?.(false, true);
    };
    if (!this.later(waitMs / this.#options.speed, retry)) notification.onAttempt?.(false, true);
  }

  /** True for a 2xx response. Redirects are not followed. */
  async #post({ url: text, body, signature }: Notification): Promise<boolean> {
    const url = parsePublicUrl(text, this.#options.allowPrivateUrls);
    const response = await request(url, {
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
    await response.body.dump({ limit: 64 * 1024 });
    return response.statusCode >= 200 && response.statusCode < 300;
  }

  async #agentFor(url: URL): Promise<Agent> {
    const { allowPrivateUrls: allowPrivate, resolveHost: resolve = resolveByDns } = this.#options;
    const addresses = await resolveSafeAddresses(url, { allowPrivate, resolve });
    const key = addresses.join();
    const cachedAgent = this.#agents.get(key);
    if (cachedAgent) return cachedAgent;
    // All pools are closed at a limit, since a receiver may change its address all the time.
    if (this.#agents.size >= 32) {
      for (const agent of this.#agents.values()) void agent.close();
      this.#agents.clear();
    }
    const agent = createPinnedAgent(addresses);
    this.#agents.set(key, agent);
    return agent;
  }

  #notifyIdle(): void {
    if (this.#runningCount + this.#queue.length + this.#timers.size > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
