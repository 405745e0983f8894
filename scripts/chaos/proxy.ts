// Proxy between workers and platform: drops, delays, cuts and refuses requests, and hides new resources for a while.
// It keeps the Host header, so that signed links lead through it too.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, errorAnswer, jsonOf, send, sendPart, trickle } from './answers.ts';
import { diceOf } from './dice.ts';
import { type Fate, fateOf, kindOf, limitBursts } from './fates.ts';
import { isCall, type Stage } from './making-calls.ts';
import type { FaultKind, Press, RoundPlan } from './plan.ts';
import { isBatch, isJob, makes, Young } from './young.ts';

/** What the proxy has counted; part of the evidence of a round. */
export interface ProxyBook {
  requests: number;
  /** Number of faults by kind. */
  faults: Partial<Record<FaultKind, number>>;
  /** Number of 429 responses of the platform itself. */
  refusals: number;
  /** Number of storage requests that carried the API key. */
  keysOutside: number;
}

/** The call to hold, and at which stage. */
export type HoldWish = Pick<Press, 'during' | 'held' | 'nth'>;

export interface Proxy {
  /** API root for workers. */
  readonly url: string;
  readonly book: ProxyBook;
  /** Resolves at the first creating call. Times of the round are counted from there. */
  readonly begun: Promise<void>;
  /** Injects faults from now on, until `calm`. */
  storm(): void;
  calm(): void;
  /** Counts a fault that the proxy itself did not inject. */
  count(kind: FaultKind): void;
  /** Resolves when the call has come; the call continues after `release`. Rejects when the signal aborts the wait. */
  hold(wish: HoldWish, signal: AbortSignal): Promise<{ release: () => void }>;
  close(): Promise<void>;
}

const api = '/api/v1/';

/** Opens a proxy to the platform at this origin. */
export async function openProxy(origin: string, plan: RoundPlan): Promise<Proxy> {
  const passage = new Passage(origin, plan);
  const server = createServer((incoming, out) => {
    passage.pass(incoming, out).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    book: passage.book,
    begun: passage.begun,
    storm: () => passage.storm(),
    calm: () => passage.calm(),
    count: (kind) => passage.count(kind),
    hold: (wish, signal) => passage.hold(wish, signal),
    async close() {
      passage.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A hold that still waits for its call. */
interface Wait extends HoldWish {
  /** @returns a promise that resolves when the call may continue */
  meet: () => Promise<void>;
}

class Passage {
  readonly book: ProxyBook = { requests: 0, faults: {}, refusals: 0, keysOutside: 0 };
  readonly begun: Promise<void>;
  readonly #begin: () => void;
  readonly #origin: string;
  readonly #plan: RoundPlan;
  readonly #dice;
  readonly #young;
  readonly #bursts;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #waits = new Set<Wait>();
  #isStormy = false;
  /** Time of the first creating call. */
  #begunMs: number | null = null;

  constructor(origin: string, plan: RoundPlan) {
    let begin = () => undefined as void;
    this.begun = new Promise((resolve) => {
      begin = resolve;
    });
    this.#begin = begin;
    this.#origin = origin;
    this.#plan = plan;
    this.#dice = diceOf(plan.seed);
    this.#young = new Young(this.#dice);
    this.#bursts = limitBursts(this.#dice, plan.faults, plan.fineAtMs);
  }

  storm(): void {
    this.#isStormy = true;
  }

  calm(): void {
    this.#isStormy = false;
  }

  close(): void {
    this.#agent.destroy();
  }

  hold(wish: HoldWish, signal: AbortSignal): Promise<{ release: () => void }> {
    return new Promise((resolve, reject) => {
      const meet = () => new Promise<void>((release) => resolve({ release }));
      const wait: Wait = { ...wish, meet };
      this.#waits.add(wait);
      const leave = () => {
        this.#waits.delete(wait);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Each hold takes one call, and each call is held once. */
  async #held({ method = 'GET' }: IncomingMessage, path: string, stage: Stage): Promise<void> {
    const waits = [...this.#waits].filter(
      ({ held, during }) => held === stage && isCall(during, method, path),
    );
    for (const wait of waits) wait.nth -= 1;
    const met = waits.find(({ nth }) => nth <= 0);
    if (!met) return;
    this.#waits.delete(met);
    await met.meet();
  }

  async pass(incoming: IncomingMessage, out: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '/').replace(/\?.*/s, '');
    const isApi = path.startsWith(api);
    this.book.requests += 1;
    if (!isApi && incoming.headers['x-api-key'] !== undefined) this.book.keysOutside += 1;
    const body = await buffer(incoming);
    if (this.#begunMs === null && incoming.method === 'POST' && makes(path)) {
      this.#begunMs = Date.now();
      this.#begin();
    }
    const refusal = isApi ? this.#refusal(incoming.method ?? 'GET', path, body) : null;
    if (refusal) return send(out, refusal);
    const fate = this.#fate();
    if (fate.do !== 'pass') this.count(kindOf[fate.do]);
    await this.#carry({ incoming, out, path, body, fate });
  }

  #fate(): Fate {
    if (!this.#isStormy) return { do: 'pass' };
    const { faults, badShare } = this.#plan;
    return fateOf(this.book.requests, { dice: this.#dice, kinds: faults, badShare });
  }

  count(kind: FaultKind): void {
    this.book.faults[kind] = (this.book.faults[kind] ?? 0) + 1;
  }

  /** A refusal instead of the platform's response: rate limited, or a resource that is not visible yet. */
  #refusal(method: string, path: string, body: Buffer): Answer | null {
    const nowMs = Date.now();
    const { faults } = this.#plan;
    const inStormMs = this.#isStormy && this.#begunMs !== null ? nowMs - this.#begunMs : -1;
    if (this.#bursts.some(({ fromMs, toMs }) => fromMs <= inStormMs && inStormMs < toMs)) {
      this.count('limits');
      return errorAnswer(429, 'RATE_LIMITED', { 'retry-after': '1' });
    }
    const reads = method === 'GET';
    if (!faults.includes(reads ? 'lag' : 'lag-writes')) return null;
    // A bulk status request succeeds even if some ids are not visible yet.
    const asks = path.endsWith('/status');
    const named = !reads && !asks && this.#young.inBody(jsonOf(body), nowMs);
    if (!named && !this.#young.inPath(path, nowMs)) return null;
    this.count(reads ? 'lag' : 'lag-writes');
    return errorAnswer(404, 'NOT_FOUND');
  }

  async #carry(on: {
    incoming: IncomingMessage;
    out: ServerResponse;
    path: string;
    body: Buffer;
    fate: Fate;
  }): Promise<void> {
    const { incoming, out, path, body, fate } = on;
    if (fate.do === 'drop-before') return void incoming.socket.resetAndDestroy();
    if (fate.do === 'answer-before') return send(out, errorAnswer(fate.status, 'INTERNAL_ERROR'));
    if (fate.do === 'delay') await delay(fate.ms);
    await this.#held(incoming, path, 'before');
    const isUpload = incoming.method === 'PUT' && body.length > 0;
    const cutsUpload = fate.do === 'cut' && isUpload;
    const sent = cutsUpload ? body.subarray(0, Math.floor(body.length * fate.share)) : body;
    const answer = await this.#ask(incoming, sent, cutsUpload).catch(() => null);
    await this.#held(incoming, path, 'after');
    // If the platform is down or the upload was cut, the client sees a broken connection.
    if (answer === null || cutsUpload) return void incoming.socket.destroy();
    if (answer.status === 429) this.book.refusals += 1;
    // The sandbox answers 500 only because of the `forgets` fault rule.
    if (answer.status === 500) this.count('forgets');
    const reads = incoming.method === 'GET' || path.endsWith('/status');
    // The resource exists, even if the client never receives the response.
    if (!reads && this.#isStormy) this.#young.made(path, jsonOf(answer.body), Date.now());
    if (fate.do === 'drop-after') return void incoming.socket.resetAndDestroy();
    if (fate.do === 'answer-after') return send(out, errorAnswer(fate.status, 'INTERNAL_ERROR'));
    const told = reads ? this.#told(path, answer) : answer;
    if (fate.do === 'cut') return sendPart(out, told, fate.share);
    if (fate.do === 'trickle') return trickle(out, told, fate.pieces);
    return send(out, told);
  }

  /** The response of a read without the resources that are not visible yet. */
  #told(path: string, answer: Answer): Answer {
    const kind = isBatch(path) ? 'batches' : 'lists';
    const isLate = path.startsWith(api) && !isJob(path) && this.#plan.faults.includes(kind);
    if (!isLate || answer.status >= 300) return answer;
    const whole = jsonOf(answer.body);
    // Lag applies only to resources that were created while faults are injected.
    if (this.#isStormy) this.#young.seen(path, whole, Date.now());
    const less = this.#young.without(whole, Date.now());
    if (less === whole) return answer;
    this.count(kind);
    return { ...answer, body: Buffer.from(JSON.stringify(less)) };
  }

  /** @param cut the body ends early: `body` is sent, then the connection is closed. */
  #ask(incoming: IncomingMessage, body: Buffer, cut: boolean): Promise<Answer> {
    const { method = 'GET', headers, url = '/' } = incoming;
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: this.#agent };
      const onward = request(new URL(url, this.#origin), options, (answer) => {
        buffer(answer).then(
          (whole) =>
            resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: whole }),
          reject,
        );
      });
      onward.on('error', reject);
      if (cut) onward.write(body, () => onward.destroy());
      else onward.end(body);
    });
  }
}
