// The typed API client, with one method per operation. All methods share the same code.

import { PlatformClock } from './clock.ts';
import type { InputOf, OperationRow, OutputOf, Route } from './contract/operation.ts';
import { assertNoError, decodeResponse, readOutput } from './decode.ts';
import { RequestShapeError, ResponseShapeError, TransportError } from './errors/errors.ts';
import { getHeader, parseServerDate, readRateHeaders } from './errors/retry-after.ts';
import { UnknownOperationError } from './errors/route-errors.ts';
import { clockSkewEvents, requestEvents } from './events.ts';
import { formatIssue } from './format-issue.ts';
import { allowedNetworkOf, type Network } from './network/network-guard.ts';
import {
  createTransport,
  type HttpResponse,
  type Transport,
  type TransportTimeouts,
} from './network/transport.ts';
import { type OperationId, type Operations, operations } from './operations/index.ts';
import {
  type BudgetOptions,
  getSharedBudget,
  type PollBudget,
  type RateBudget,
  type Release,
  toUrgentPollBudget,
} from './rate-limit/budget.ts';
import type { Priority } from './rate-limit/request-queue.ts';
import { RequestCounter } from './request-counter.ts';
import { toRequestBodyText } from './requests/idempotency-key.ts';
import { findNearestName } from './requests/nearest-name.ts';
import { buildRequest, parseBaseUrl } from './requests/request-url.ts';
import {
  createRouteFinder,
  type NamedRoutes,
  type RouteFinder,
  withNamedRoutes,
} from './requests/route-finder.ts';
import { type ResponseAnomaly, reportAnomaliesOnce } from './responses/anomalies.ts';
import { limitsOf } from './responses/response-limits.ts';

export interface ClientOptions {
  /** Base URL, ending with /api/v1. */
  baseUrl: string;
  apiKey: string;
  /** `operations:` of the configuration: routes for operations whose path the reference does not show. */
  operations?: NamedRoutes;
  timeouts?: Partial<TransportTimeouts>;
  /** Options of the rate budget. If clients share a URL and an API key, the options of the first client apply. */
  rate?: BudgetOptions;
  budget?: RateBudget;
  userAgent?: string;
  /** Called once for each kind of anomaly, that is, for each way in which responses differ from the contract. */
  onAnomaly?: (anomaly: ResponseAnomaly) => void;
  /** How long a new resource may be missing on some of the platform's servers, in ms. @default 120_000 */
  consistencyWindowMs?: number;
  /** Replaces the machine's clocks; returns epoch ms. Used by tests that skip time. */
  now?: () => number;
}

export interface CallOptions {
  /** Sent only to operations that accept an Idempotency-Key. */
  idempotencyKey?: string | undefined;
  /** The exact body, fixed before the first attempt. Replaces `body`. */
  bodyText?: string | undefined;
  signal?: AbortSignal | undefined;
  /** @default 'status' for reads, 'create' for writes */
  priority?: Priority | undefined;
  /** Counts this request as well, in addition to the client's own counter. */
  requestCounter?: RequestCounter | undefined;
  maxWaitMs?: number | undefined;
  /** Called after the wait for the rate budget. If it rejects, nothing is sent. */
  beforeSend?: (() => Promise<void>) | undefined;
}

interface ResponseMeta {
  status: number;
  /** The platform's time (Date header), epoch ms. Undefined if the response had none. */
  platformAtMs: number | undefined;
  requestId: string | undefined;
}

export interface CallResult<Output> {
  output: Output;
  /** The parsed body without secrets, or `{ location }` for a redirect. */
  raw: unknown;
  meta: ResponseMeta;
}

/** Input of a call to an operation that is known only at run time. */
export interface DynamicInput {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

type CallArguments<Row extends OperationRow> =
  {} extends InputOf<Row>
    ? [input?: InputOf<Row>, options?: CallOptions]
    : [input: InputOf<Row>, options?: CallOptions];

type ClientMethods = {
  readonly [Id in OperationId]: (
    ...args: CallArguments<Operations[Id]>
  ) => Promise<OutputOf<Operations[Id]>>;
};

interface ClientCore {
  readonly baseUrl: string;
  readonly budget: RateBudget;
  /** The rate budget as the polls of this client see it. */
  readonly pollBudget: PollBudget;
  readonly counter: RequestCounter;
  /** Addresses that the platform's signed URLs may lead to, for putFile and downloadTo. */
  readonly network: Network;
  /** Age in ms after which a resource that is not visible counts as missing. */
  readonly consistencyWindowMs: number;
  /** How far this machine's clock is ahead of the platform's, in ms. 0 if both agree or the difference is unknown. */
  clockAheadMs(): number;
  /** The platform's time in epoch ms. Before the first response, this machine's time. */
  now(): number;
  /** Like `now`, but first sends a request if the machine slept or its clock was set since the last response. */
  certainNow(options: CallOptions): Promise<number>;
  /** Calls any operation by id, as `renderline api` does. Returns the parsed body instead of the typed output. */
  call(id: string, input?: DynamicInput, options?: CallOptions): Promise<unknown>;
  /** Like `callWithMeta`, for the untyped input of an intent. */
  send<Id extends OperationId>(
    id: Id,
    input: DynamicInput,
    options: CallOptions,
  ): Promise<CallResult<OutputOf<Operations[Id]>>>;
  /** Calls the operation `id`. Returns its output, the parsed body (`raw`) and facts about the response (`meta`). */
  callWithMeta<Id extends OperationId>(
    id: Id,
    ...args: CallArguments<Operations[Id]>
  ): Promise<CallResult<OutputOf<Operations[Id]>>>;
  /** Returns the method and path of an operation. @throws OperationUnresolvedError if it has none */
  route(id: OperationId): Promise<Route>;
  /**
   * Returns a second client with routes for more operations whose path the reference does not show. The two clients
   * share connections, budget and counter. Closing either closes both.
   */
  withOperations(namedRoutes: NamedRoutes): Client;
  /** Returns a second client whose requests go first and whose polls see a pressure of at most `maxUrgentPressure`. */
  urgent(): Client;
  close(): Promise<void>;
}

export type Client = ClientMethods & ClientCore;

const rows: Readonly<Record<string, OperationRow>> = operations;

function rowOf(id: string): OperationRow {
  const row = Object.hasOwn(rows, id) ? rows[id] : undefined;
  if (row) return row;
  throw new UnknownOperationError(id, findNearestName(id, Object.keys(rows)));
}

function checkInput(row: OperationRow, input: DynamicInput, options: CallOptions): void {
  const checks = [
    ['query', row.query, input.query ?? {}],
    ['body', options.bodyText === undefined ? row.body : undefined, input.body],
  ] as const;
  for (const [part, schema, value] of checks) {
    const issue = schema?.safeParse(value).error?.issues[0];
    if (!issue) continue;
    throw new RequestShapeError(
      row.id,
      [part, ...issue.path].map(String).join('.'),
      formatIssue(issue),
    );
  }
}

/** Validates the API key. Errors never contain the key. */
function checkApiKey(apiKey: string): string {
  if (/^[\x21-\x7e]*$/.test(apiKey)) return apiKey;
  throw new TypeError('the API key contains spaces or characters that are not allowed in a header');
}

/** Sends single requests with one API key. Holds the rate budget, the connections and the counter. */
class Caller {
  readonly base: URL;
  readonly budget: RateBudget;
  readonly counter = new RequestCounter();
  readonly consistencyWindowMs: number;
  readonly #apiKey: string;
  readonly clock: PlatformClock;
  readonly #transport: Transport;
  readonly #reportAnomalies: ReturnType<typeof reportAnomaliesOnce>;

  constructor(options: ClientOptions) {
    this.base = parseBaseUrl(options.baseUrl);
    this.consistencyWindowMs = options.consistencyWindowMs ?? 120_000;
    this.#apiKey = checkApiKey(options.apiKey);
    const { now } = options;
    this.clock = new PlatformClock(
      (aheadMs) => clockSkewEvents.emit({ aheadMs }),
      now && { wall: now, monotonic: now },
    );
    this.budget = options.budget ?? getSharedBudget(this.base.href, this.#apiKey, options.rate);
    this.#transport = createTransport({
      origin: this.base.origin,
      apiKey: this.#apiKey,
      ...(options.timeouts && { timeouts: options.timeouts }),
      ...(options.userAgent !== undefined && { userAgent: options.userAgent }),
    });
    this.#reportAnomalies = reportAnomaliesOnce(options.onAnomaly ?? (() => {}));
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Sends the request once. Returns the parsed body and `meta`, but not the output. */
  async execute(
    routes: RouteFinder,
    row: OperationRow,
    input: DynamicInput,
    call: CallOptions,
  ): Promise<Omit<CallResult<unknown>, 'output'>> {
    checkInput(row, input, call);
    const route = await routes.find(row);
    const { method, url } = buildRequest(row.id, this.base, route, input.params, input.query);
    const body =
      call.bodyText ?? (input.body === undefined ? undefined : toRequestBodyText(input.body));
    // This machine's clock is used, because trace spans use the time of this machine.
    const startedAtMs = Date.now();
    const wantedAtMs = performance.now();
    const release = await this.#acquireBudget(row, call);
    await call.beforeSend?.().catch((error: unknown) => {
      release(false);
      throw error;
    });
    const sentMs = performance.now();
    const sentAtMs = this.clock.sendingAtMs();
    let isReached = true;
    let status: number | undefined;
    try {
      const response = await this.#transport.send({
        operation: row.id,
        method,
        url,
        body,
        idempotencyKey: row.hasIdempotencyKey ? call.idempotencyKey : undefined,
        sendsKey: row.auth !== false,
        maxBytes: limitsOf(row).bytes,
        // A POST that writes is not aborted, because it may already have created something whose id would be lost.
        signal: method === 'POST' && row.retrySafety !== 'read' ? undefined : call.signal,
      });
      status = response.status;
      const date = parseServerDate(response.headers);
      // The date of an error response is ignored, because the error may come from a gateway with another clock.
      if (date !== undefined && status < 300) this.clock.recordResponse(date, sentAtMs);
      return this.#decoded(row, url, response);
    } catch (error) {
      if (error instanceof TransportError && error.phase === 'connect') isReached = false;
      throw error;
    } finally {
      if (isReached) {
        this.counter.add(row.id, status);
        call.requestCounter?.add(row.id, status);
      }
      release(isReached);
      requestEvents.emit({
        operation: row.id,
        ...(status === undefined ? {} : { status }),
        startedAtMs,
        waitMs: sentMs - wantedAtMs,
        durationMs: performance.now() - sentMs,
      });
    }
  }

  /** Reads the output of a successful response. @throws ResponseShapeError */
  read(row: OperationRow, status: number, raw: unknown): unknown {
    try {
      const { output, anomalies } = readOutput(row, status, raw);
      this.#reportAnomalies(row.id, anomalies);
      return output;
    } catch (error) {
      // The anomaly is reported here, because the caller may ignore this response.
      if (error instanceof ResponseShapeError)
        this.#reportAnomalies(row.id, [{ path: error.path, what: error.problem }]);
      throw error;
    }
  }

  #acquireBudget(row: OperationRow, call: CallOptions): Promise<Release> {
    // The API description needs no key, so the request does not count against the key's allowance.
    if (row.auth === false) return Promise.resolve(() => {});
    return this.budget.acquire({
      priority: call.priority ?? (row.retrySafety === 'read' ? 'status' : 'create'),
      signal: call.signal,
      maxWaitMs: call.maxWaitMs,
    });
  }

  #decoded(
    row: OperationRow,
    url: URL,
    response: HttpResponse,
  ): { raw: unknown; meta: ResponseMeta } {
    const { status, headers } = response;
    const rate = readRateHeaders(headers, this.clock.now());
    if (status === 429) this.budget.onRateLimited(rate);
    else if (row.auth !== false) this.budget.onRateHeaders(rate);
    const raw = decodeResponse(row, response, { url, rateHeaders: rate, secrets: [this.#apiKey] });
    const meta = {
      status,
      platformAtMs: parseServerDate(headers),
      requestId: getHeader(headers, 'x-request-id'),
    };
    return { raw, meta };
  }
}

/**
 * Creates a client that makes exactly one HTTP attempt per call. Callers are responsible for retries and long waits
 * (see `classify`). The client itself waits only for the rate budget of the API key.
 */
export function createClient(options: ClientOptions): Client {
  const caller = new Caller(options);
  const finder: RouteFinder = createRouteFinder({
    claimedRoutes: Object.values(rows).flatMap(({ route }) => route ?? []),
    loadDocument: async () => (await caller.execute(finder, operations.getOpenapi, {}, {})).raw,
  });
  return createClientFor(caller, withNamedRoutes(options.operations ?? {}, finder), false);
}

function createClientFor(caller: Caller, routes: RouteFinder, isUrgent: boolean): Client {
  const first = isUrgent ? ({ priority: 'interactive' } as const) : {};
  const send = async (row: OperationRow, input: DynamicInput = {}, call: CallOptions = {}) => {
    const { raw, meta } = await caller.execute(routes, row, input, { ...call, ...first });
    return { output: caller.read(row, meta.status, raw), raw, meta };
  };
  const calls = Object.entries(rows).map(([id, row]) => [
    id,
    async (input?: DynamicInput, call?: CallOptions) => (await send(row, input, call)).output,
  ]);
  const core = {
    baseUrl: caller.base.href,
    budget: caller.budget,
    pollBudget: isUrgent ? toUrgentPollBudget(caller.budget) : caller.budget,
    counter: caller.counter,
    network: allowedNetworkOf(caller.base),
    consistencyWindowMs: caller.consistencyWindowMs,
    clockAheadMs: () => caller.clock.aheadMs,
    now: () => caller.clock.now(),
    certainNow: async (call: CallOptions) => {
      const { clock } = caller;
      if (clock.isCertain) return clock.now();
      await caller.execute(routes, operations.getMe, {}, call).catch(() => undefined);
      return clock.now();
    },
    call: async (id: string, input: DynamicInput = {}, call: CallOptions = {}) => {
      const row = rowOf(id);
      const { raw, meta } = await caller.execute(routes, row, input, { ...call, ...first });
      assertNoError(row, meta.status, raw);
      return raw;
    },
    send: (id: OperationId, input: DynamicInput, call: CallOptions) =>
      send(operations[id], input, call),
    callWithMeta: (id: OperationId, input?: DynamicInput, call?: CallOptions) =>
      send(operations[id], input, call),
    route: (id: OperationId) => routes.find(operations[id]),
    withOperations: (namedRoutes: NamedRoutes) =>
      createClientFor(caller, withNamedRoutes(namedRoutes, routes), isUrgent),
    urgent: () => createClientFor(caller, routes, true),
    close: () => caller.close(),
  };
  // The type assertion is safe, because each method has the types of its operation.
  const client: unknown = Object.assign(Object.fromEntries(calls), core);
  return client as Client;
}
