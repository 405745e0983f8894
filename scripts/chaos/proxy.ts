// A proxy between workers and platform. It drops, delays, cuts and refuses requests, and hides new resources for a
// while. It keeps the Host header, so that signed links also go through the proxy.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ConsistencyLag,
  createsResources,
  isBatchPath,
  isRenderJobPath,
} from './consistency-lag.ts';
import { type CallStage, matchesCall } from './creating-calls.ts';
import {
  chooseFault,
  faultKindOf,
  type NetworkFault,
  planRateLimitBursts,
} from './network-faults.ts';
import type { FaultKind, Intervention, RoundPlan } from './plan.ts';
import {
  errorResponse,
  type ProxyResponse,
  parseBody,
  send,
  sendTruncated,
  shiftTimes,
  trickle,
  webPage,
} from './responses.ts';
import { createSeededRandom } from './seeded-random.ts';
import { StaleReads } from './stale-reads.ts';

/** Counts by the proxy, which are part of the evidence of a round. */
export interface ProxyCounts {
  requests: number;
  faults: Partial<Record<FaultKind, number>>;
  /** Number of 429 responses from the platform itself. */
  refusals: number;
  /** Number of storage requests that contained the API key. */
  keysSentToStorage: number;
}

/** The call to hold, and the stage at which it is held. */
export type HoldRequest = Pick<Intervention, 'heldCall' | 'heldAt' | 'nth'>;

export interface Proxy {
  /** API root for the workers. */
  readonly url: string;
  readonly counts: ProxyCounts;
  /** Resolves at the first creating call, from which times of the round are counted. */
  readonly firstCreation: Promise<void>;
  /** Injects faults until `stopFaults`. */
  startFaults(): void;
  stopFaults(): void;
  /** Counts a fault that was not injected by the proxy itself. */
  countFault(kind: FaultKind): void;
  /** Resolves when the call has arrived. The call continues after `release`. Rejects if the signal aborts the wait. */
  hold(holdRequest: HoldRequest, signal: AbortSignal): Promise<{ release: () => void }>;
  close(): Promise<void>;
}

const api = '/api/v1/';
const pass = { do: 'pass' } as const;

/** Page size of lists while they are short. */
const shortPage = 3;
const clockOffsetsMs = [-3_600_000, 3_600_000, 26 * 3_600_000] as const;

/** Opens a proxy to the platform at the given origin. */
export async function openProxy(origin: string, plan: RoundPlan): Promise<Proxy> {
  const faultProxy = new FaultProxy(origin, plan);
  const server = createServer((incoming, out) => {
    faultProxy.pass(incoming, out).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    counts: faultProxy.counts,
    firstCreation: faultProxy.firstCreation,
    startFaults: () => faultProxy.startFaults(),
    stopFaults: () => faultProxy.stopFaults(),
    countFault: (kind) => faultProxy.countFault(kind),
    hold: (holdRequest, signal) => faultProxy.hold(holdRequest, signal),
    async close() {
      faultProxy.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A hold that is still waiting for its call. */
interface PendingHold extends HoldRequest {
  /** @returns a promise that resolves when the call may continue */
  holdCall: () => Promise<void>;
}

class FaultProxy {
  readonly counts: ProxyCounts = { requests: 0, faults: {}, refusals: 0, keysSentToStorage: 0 };
  readonly firstCreation: Promise<void>;
  readonly #resolveFirstCreation: () => void;
  readonly #origin: string;
  readonly #plan: RoundPlan;
  readonly #rng;
  readonly #lag;
  readonly #bursts;
  readonly #staleReads = new StaleReads();
  /** How far the platform's clock is ahead. */
  readonly #aheadMs: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #pendingHolds = new Set<PendingHold>();
  #hasFaults = false;
  #firstCreationMs: number | null = null;

  constructor(origin: string, plan: RoundPlan) {
    let begin = () => undefined as void;
    this.firstCreation = new Promise((resolve) => {
      begin = resolve;
    });
    this.#resolveFirstCreation = begin;
    this.#origin = origin;
    this.#plan = plan;
    this.#rng = createSeededRandom(plan.seed);
    this.#lag = new ConsistencyLag(this.#rng);
    this.#aheadMs = plan.faults.includes('clock') ? this.#rng.pick(clockOffsetsMs, 'clock') : 0;
    this.#bursts = planRateLimitBursts(this.#rng, plan.faults, plan.faultsEndAtMs);
  }

  startFaults(): void {
    this.#hasFaults = true;
  }

  stopFaults(): void {
    this.#hasFaults = false;
  }

  close(): void {
    this.#agent.destroy();
  }

  hold(holdRequest: HoldRequest, signal: AbortSignal): Promise<{ release: () => void }> {
    return new Promise((resolve, reject) => {
      const meet = () => new Promise<void>((release) => resolve({ release }));
      const wait: PendingHold = { ...holdRequest, holdCall: meet };
      this.#pendingHolds.add(wait);
      const leave = () => {
        this.#pendingHolds.delete(wait);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /**
   * Holds the call if a hold is waiting for it. Each hold takes one call, and a call is held at most once at each
   * stage.
   */
  async #holdIfRequested(
    { method = 'GET' }: IncomingMessage,
    path: string,
    stage: CallStage,
  ): Promise<void> {
    const holds = [...this.#pendingHolds].filter(
      ({ heldAt: holdStage, heldCall }) =>
        holdStage === stage && matchesCall(heldCall, method, path),
    );
    for (const hold of holds) hold.nth -= 1;
    const dueHold = holds.find(({ nth }) => nth <= 0);
    if (!dueHold) return;
    this.#pendingHolds.delete(dueHold);
    await dueHold.holdCall();
  }

  async pass(incoming: IncomingMessage, out: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '/').replace(/\?.*/s, '');
    const isApi = path.startsWith(api);
    this.counts.requests += 1;
    if (!isApi && incoming.headers['x-api-key'] !== undefined) this.counts.keysSentToStorage += 1;
    const body = await buffer(incoming);
    if (this.#firstCreationMs === null && incoming.method === 'POST' && createsResources(path)) {
      this.#firstCreationMs = Date.now();
      this.#resolveFirstCreation();
    }
    const refusal = isApi ? this.#injectedResponse(incoming.method ?? 'GET', path, body) : null;
    if (refusal) return send(out, refusal);
    const chosenFault = this.#chooseFault();
    const fault = chosenFault.do === 'gateway' && !isApi ? pass : chosenFault;
    if (fault.do !== 'pass') this.countFault(faultKindOf[fault.do]);
    await this.#forward({ incoming, out, path, body, fault });
  }

  #chooseFault(): NetworkFault {
    if (!this.#hasFaults) return pass;
    const { faults, faultShare } = this.#plan;
    return chooseFault(this.counts.requests, { rng: this.#rng, kinds: faults, faultShare });
  }

  countFault(kind: FaultKind): void {
    this.counts.faults[kind] = (this.counts.faults[kind] ?? 0) + 1;
  }

  /**
   * Returns a refusal to send instead of the platform's response: rate limited, or a resource that is not visible yet.
   */
  #injectedResponse(method: string, path: string, body: Buffer): ProxyResponse | null {
    const nowMs = Date.now();
    const { faults } = this.#plan;
    const sinceStartMs =
      this.#hasFaults && this.#firstCreationMs !== null ? nowMs - this.#firstCreationMs : -1;
    if (this.#bursts.some(({ fromMs, toMs }) => fromMs <= sinceStartMs && sinceStartMs < toMs)) {
      this.countFault('limits');
      return errorResponse(429, 'RATE_LIMITED', { 'retry-after': '1' });
    }
    const isRead = method === 'GET';
    if (!faults.includes(isRead ? 'lag' : 'lag-writes')) return null;
    // A bulk status request succeeds even if some ids are not visible yet.
    const isStatusRequest = path.endsWith('/status');
    const isHiddenInBody =
      !isRead && !isStatusRequest && this.#lag.isHiddenInBody(parseBody(body), nowMs);
    if (!isHiddenInBody && !this.#lag.isHiddenInPath(path, nowMs)) return null;
    this.countFault(isRead ? 'lag' : 'lag-writes');
    return errorResponse(404, 'NOT_FOUND');
  }

  async #forward(on: {
    incoming: IncomingMessage;
    out: ServerResponse;
    path: string;
    body: Buffer;
    fault: NetworkFault;
  }): Promise<void> {
    const { incoming, out, path, body, fault } = on;
    if (fault.do === 'drop-before') return void incoming.socket.resetAndDestroy();
    if (fault.do === 'respond-before')
      return send(out, errorResponse(fault.status, 'INTERNAL_ERROR'));
    if (fault.do === 'gateway') return send(out, webPage(fault.status));
    const isRead = incoming.method === 'GET' || path.endsWith('/status');
    const request = `${incoming.method} ${incoming.url} ${body.toString()}`;
    const staleResponse = isRead ? this.#findStale(path, request) : null;
    if (staleResponse) return send(out, staleResponse);
    if (fault.do === 'delay') await delay(fault.ms);
    await this.#holdIfRequested(incoming, path, 'before');
    const isUpload = incoming.method === 'PUT' && body.length > 0;
    const cutsUpload = fault.do === 'cut' && isUpload;
    const sentBody = cutsUpload ? body.subarray(0, Math.floor(body.length * fault.share)) : body;
    const response = await this.#sendToPlatform(incoming, sentBody, cutsUpload).catch(() => null);
    await this.#holdIfRequested(incoming, path, 'after');
    // If the platform is down or the upload was cut, the client sees a broken connection.
    if (response === null || cutsUpload) return void incoming.socket.destroy();
    if (response.status === 429) this.counts.refusals += 1;
    // The sandbox responds with 500 only because of the `forgets` fault rule.
    if (response.status === 500) this.countFault('forgets');
    // The resource exists even if the client never receives the response.
    if (!isRead && this.#hasFaults)
      this.#lag.recordCreated(path, parseBody(response.body), Date.now());
    if (fault.do === 'drop-after') return void incoming.socket.resetAndDestroy();
    if (fault.do === 'respond-after')
      return send(out, errorResponse(fault.status, 'INTERNAL_ERROR'));
    if (fault.do === 'page')
      return send(out, fault.isEmpty ? { ...webPage(200), body: Buffer.alloc(0) } : webPage(200));
    const shownResponse = isRead ? this.#applyLag(path, response) : response;
    const visibleResponse = path.startsWith(api) ? this.#applyClock(shownResponse) : shownResponse;
    if (isRead && response.status < 300)
      this.#staleReads.record(request, visibleResponse, Date.now());
    if (fault.do === 'cut') return sendTruncated(out, visibleResponse, fault.share);
    if (fault.do === 'trickle') return trickle(out, visibleResponse, fault.pieces);
    return send(out, visibleResponse);
  }

  /** Returns an earlier response to the same read, for about half of the reads that have one. */
  #findStale(path: string, request: string): ProxyResponse | null {
    const isDue = this.#hasFaults && path.startsWith(api) && this.#plan.faults.includes('stale');
    if (!isDue || !this.#rng.chance(0.5, 'stale', this.counts.requests)) return null;
    const response = this.#staleReads.find(request, Date.now());
    if (response) this.countFault('stale');
    return response;
  }

  #applyClock(response: ProxyResponse): ProxyResponse {
    if (this.#aheadMs === 0) return response;
    this.countFault('clock');
    return shiftTimes(response, this.#aheadMs);
  }

  /** Returns the URL for the platform, with a small page size while lists are short. */
  #urlFor({ method, url: path = '/' }: IncomingMessage): URL {
    const url = new URL(path, this.#origin);
    const isShort = this.#hasFaults && this.#plan.faults.includes('short-pages');
    const limit = Number(url.searchParams.get('limit') ?? 0);
    if (!isShort || method !== 'GET' || limit <= shortPage) return url;
    url.searchParams.set('limit', String(shortPage));
    this.countFault('short-pages');
    return url;
  }

  /** Returns the response of a read without the resources that are not visible yet. */
  #applyLag(path: string, response: ProxyResponse): ProxyResponse {
    const kind = isBatchPath(path) ? 'batches' : 'lists';
    const isLate =
      path.startsWith(api) && !isRenderJobPath(path) && this.#plan.faults.includes(kind);
    if (!isLate || response.status >= 300) return response;
    const parsedBody = parseBody(response.body);
    // Lag applies only to resources that are created while faults are injected.
    if (this.#hasFaults) this.#lag.recordListed(path, parsedBody, Date.now());
    const visibleBody = this.#lag.removeHidden(parsedBody, Date.now());
    if (visibleBody === parsedBody) return response;
    this.countFault(kind);
    return { ...response, body: Buffer.from(JSON.stringify(visibleBody)) };
  }

  /** @param cut true to end the body early: `body` is sent, then the connection is closed */
  #sendToPlatform(incoming: IncomingMessage, body: Buffer, cut: boolean): Promise<ProxyResponse> {
    const { method = 'GET', headers } = incoming;
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: this.#agent };
      const onward = request(this.#urlFor(incoming), options, (response) => {
        buffer(response).then(
          (responseBody) =>
            resolve({
              status: response.statusCode ?? 502,
              headers: response.headers,
              body: responseBody,
            }),
          reject,
        );
      });
      onward.on('error', reject);
      if (cut) onward.write(body, () => onward.destroy());
      else onward.end(body);
    });
  }
}
