// The typed client: one method per row of the registry, all through the same few lines.
import { limitsOf } from './answer-limits.ts';
import { type BudgetOptions, type RateBudget, type Release } from './budget.ts';
import { PlatformClock } from './clock.ts';
import { RequestCounter } from './counter.ts';
import { decodeAnswer, outputOf } from './decode.ts';
import { RequestShapeError, ResponseShapeError, TransportError } from './errors.ts';
import { bodyText } from './idempotency.ts';
import { nearest } from './nearest-name.ts';
import { type Network, networkFor } from './network-guard.ts';
import { type AnswerOddity, tellOnce } from './oddities.ts';
import type { InputOf, OperationRow, OutputOf, Route } from './operation.ts';
import { type OperationId, type Operations, operations } from './operations/index.ts';
import { parseBaseUrl, requestUrl } from './request-url.ts';
import { header, readRateHeaders, serverDate } from './retry-after.ts';
import { UnknownOperationError } from './route-errors.ts';
import {
  createRouteFinder,
  type NamedRoutes,
  namedFirst,
  type RouteFinder,
} from './route-finder.ts';
import { sharedBudget } from './shared-budget.ts';
import { toldClocks, toldRequests } from './told.ts';
import {
  createTransport,
  type HttpAnswer,
  type Transport,
  type TransportTimeouts,
} from './transport.ts';
import { type Pace, urgentPace } from './urgent.ts';
import type { Priority } from './waiting-line.ts';

export interface ClientOptions {
  /** `{base_url}`, ending with /api/v1. */
  baseUrl: string;
  apiKey: string;
  /** `operations:` of the configuration, for operations whose path the reference does not show. */
  operations?: NamedRoutes;
  timeouts?: Partial<TransportTimeouts>;
  /** Options of the key's budget; those of the first client of a key in this process hold. */
  rate?: BudgetOptions;
  /** A budget of its own instead of the one shared by key. */
  budget?: RateBudget;
  userAgent?: string;
  /** Called once for each way in which answers differ from the contract. */
  onOddity?: (oddity: AnswerOddity) => void;
  /**
   * Consistency window: how long what was just made may not show on all of the platform's servers, ms.
   * @default 120_000
   */
  consistencyMs?: number;
  /** In place of the machine's clocks, epoch ms; for tests in which time is skipped. */
  now?: () => number;
}

export interface CallOptions {
  /** Sent only to operations that accept one (platform.md, section 8). */
  idempotencyKey?: string | undefined;
  /** The exact body, fixed before the first attempt; used instead of `body`. */
  bodyText?: string | undefined;
  signal?: AbortSignal | undefined;
  /** @default 'status' for reads, 'create' for writes */
  priority?: Priority | undefined;
  /** Counts this request as well as the client's own counter does. */
  scope?: RequestCounter | undefined;
  /** Called once when the request has to wait for the rate budget. */
  onWait?: ((expectedMs: number) => void) | undefined;
  maxWaitMs?: number | undefined;
}

interface ResponseMeta {
  status: number;
  /** The platform's clock (Date header), epoch ms; undefined when the answer had none. */
  date: number | undefined;
  requestId: string | undefined;
  rateLimit: number | undefined;
  rateRemaining: number | undefined;
}

export interface CallResult<Output> {
  output: Output;
  /** The body as it came. */
  raw: unknown;
  meta: ResponseMeta;
}

/** Input of a call whose operation is known only at run time. */
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
  /** What looks of this client go by. */
  readonly pace: Pace;
  /** All requests of this client. */
  readonly counter: RequestCounter;
  /** Addresses that signed URLs of this platform may lead to; for putFile and downloadTo. */
  readonly network: Network;
  /** Age after which an object that is not there is gone, ms. */
  readonly consistencyMs: number;
  /** By how much this machine's clock is ahead of the platform's, ms; 0 where both agree. */
  clockAheadMs(): number;
  /** The platform's time, epoch ms: this machine's clock does not change it. */
  now(): number;
  /** The same. Asks the platform where this machine's clock was set, or the machine slept, since the last answer. */
  certainNow(options: CallOptions): Promise<number>;
  /** Calls any operation by id, as `renderline api` does. Gives the body unchanged. */
  call(id: string, input?: DynamicInput, options?: CallOptions): Promise<unknown>;
  /** Like `callWithMeta`, for the input that an intent holds, whose type is unknown. */
  send<Id extends OperationId>(
    id: Id,
    input: DynamicInput,
    options: CallOptions,
  ): Promise<CallResult<OutputOf<Operations[Id]>>>;
  /** Like the method of that name, with the answer's status and the platform's clock. */
  callWithMeta<Id extends OperationId>(
    id: Id,
    ...args: CallArguments<Operations[Id]>
  ): Promise<CallResult<OutputOf<Operations[Id]>>>;
  /** Method and path of an operation; throws OperationUnresolvedError when there is none. */
  route(id: OperationId): Promise<Route>;
  /**
   * The same client, budget and counter, with paths of its own for operations whose path the reference does not show; it shares
   * all other routes. Closing either closes both.
   */
  withOperations(named: NamedRoutes): Client;
  /** The same client, whose requests go before those of others, and whose looks come as if the budget were less tight. */
  urgent(): Client;
  close(): Promise<void>;
}

export type Client = ClientMethods & ClientCore;

const rows: Readonly<Record<string, OperationRow>> = operations;

function rowOf(id: string): OperationRow {
  const row = Object.hasOwn(rows, id) ? rows[id] : undefined;
  if (row) return row;
  throw new UnknownOperationError(id, nearest(id, Object.keys(rows)));
}

function checkInput(row: OperationRow, input: DynamicInput, options: CallOptions): void {
  const checks = [
    ['query', row.query, input.query ?? {}],
    ['body', options.bodyText === undefined ? row.body : undefined, input.body],
  ] as const;
  for (const [part, schema, value] of checks) {
    const issue = schema?.safeParse(value).error?.issues[0];
    if (!issue) continue;
    throw new RequestShapeError(row.id, [part, ...issue.path].map(String).join('.'), issue.message);
  }
}

/** Validates the key. Errors never contain it. */
function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]*$/.test(apiKey)) return apiKey;
  throw new TypeError('the API key holds spaces or characters that a header cannot carry');
}

/** Sends single calls of one key: its budget, its connections, its counts. */
class Caller {
  readonly base: URL;
  readonly budget: RateBudget;
  readonly counter = new RequestCounter();
  readonly consistencyMs: number;
  readonly #apiKey: string;
  readonly clock: PlatformClock;
  readonly #transport: Transport;
  readonly #tell: ReturnType<typeof tellOnce>;

  constructor(options: ClientOptions) {
    this.base = parseBaseUrl(options.baseUrl);
    this.consistencyMs = options.consistencyMs ?? 120_000;
    this.#apiKey = checkedKey(options.apiKey);
    const { now } = options;
    this.clock = new PlatformClock(
      (aheadMs) => toldClocks.tell({ aheadMs }),
      now && { wall: now, monotonic: now },
    );
    this.budget = options.budget ?? sharedBudget(this.base.href, this.#apiKey, options.rate);
    this.#transport = createTransport({
      origin: this.base.origin,
      apiKey: this.#apiKey,
      ...(options.timeouts && { timeouts: options.timeouts }),
      ...(options.userAgent !== undefined && { userAgent: options.userAgent }),
    });
    this.#tell = tellOnce(options.onOddity ?? (() => {}));
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Makes one try. Gives the body as it came. */
  async execute(
    routes: RouteFinder,
    row: OperationRow,
    input: DynamicInput,
    call: CallOptions,
  ): Promise<Omit<CallResult<unknown>, 'output'>> {
    checkInput(row, input, call);
    const route = await routes.find(row);
    const { method, url } = requestUrl(row.id, this.base, route, input.params, input.query);
    const body = call.bodyText ?? (input.body === undefined ? undefined : bodyText(input.body));
    // For spans of traces, which show the time of this machine.
    const startedMs = Date.now();
    const wantedMs = performance.now();
    const release = await this.#place(row, call);
    const sentMs = performance.now();
    const sentAtMs = this.clock.sent();
    let reached = true;
    let status: number | undefined;
    try {
      const answer = await this.#transport.send({
        operation: row.id,
        method,
        url,
        body,
        idempotencyKey: row.keyed ? call.idempotencyKey : undefined,
        auth: row.auth !== false,
        bytesAtMost: limitsOf(row).bytes,
        // An interrupted POST may have created something that nobody knows of.
        signal: method === 'POST' && row.proof !== 'read' ? undefined : call.signal,
      });
      status = answer.status;
      const date = serverDate(answer.headers);
      // What another answers in the platform's place, such as a gateway, has its own date.
      if (date !== undefined && status < 300) this.clock.answered(date, sentAtMs);
      return this.#decoded(row, url, answer);
    } catch (error) {
      if (error instanceof TransportError && error.phase === 'connect') reached = false;
      throw error;
    } finally {
      if (reached) {
        this.counter.add(row.id, status);
        call.scope?.add(row.id, status);
      }
      release(reached);
      toldRequests.tell({
        operation: row.id,
        ...(status === undefined ? {} : { status }),
        startedMs,
        waitedMs: sentMs - wantedMs,
        tookMs: performance.now() - sentMs,
      });
    }
  }

  /** The output of a success. @throws ResponseShapeError */
  read(row: OperationRow, status: number, raw: unknown): unknown {
    try {
      const { output, oddities } = outputOf(row, status, raw);
      this.#tell(row.id, oddities);
      return output;
    } catch (error) {
      // A caller may do without this answer and never report it, so it is told here.
      if (error instanceof ResponseShapeError)
        this.#tell(row.id, [{ path: error.path, what: error.problem }]);
      throw error;
    }
  }

  #place(row: OperationRow, call: CallOptions): Promise<Release> {
    // The description needs no key, so it spends nothing of the key's allowance.
    if (row.auth === false) return Promise.resolve(() => {});
    return this.budget.acquire({
      priority: call.priority ?? (row.proof === 'read' ? 'status' : 'create'),
      signal: call.signal,
      onWait: call.onWait,
      maxWaitMs: call.maxWaitMs,
    });
  }

  #decoded(row: OperationRow, url: URL, answer: HttpAnswer): { raw: unknown; meta: ResponseMeta } {
    const { status, headers } = answer;
    const nowMs = this.clock.now();
    const rate = readRateHeaders(headers, nowMs);
    if (status === 429) this.budget.throttled(rate);
    else if (row.auth !== false) this.budget.observed(rate);
    const raw = decodeAnswer(row, answer, { url, rate, nowMs, secrets: [this.#apiKey] });
    const meta = {
      status,
      date: serverDate(headers),
      requestId: header(headers, 'x-request-id'),
      rateLimit: rate.limit,
      rateRemaining: rate.remaining,
    };
    return { raw, meta };
  }
}

/**
 * A client that makes exactly one HTTP try per call: repeats and long waits belong to the caller (see
 * `classify`). The only wait inside is for the rate budget of the key.
 */
export function createClient(options: ClientOptions): Client {
  const caller = new Caller(options);
  const found: RouteFinder = createRouteFinder({
    claimedRoutes: Object.values(rows).flatMap(({ route }) => route ?? []),
    loadDocument: async () => (await caller.execute(found, operations.getOpenapi, {}, {})).raw,
  });
  return clientWith(caller, namedFirst(options.operations ?? {}, found), false);
}

function clientWith(caller: Caller, routes: RouteFinder, isUrgent: boolean): Client {
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
    pace: isUrgent ? urgentPace(caller.budget) : caller.budget,
    counter: caller.counter,
    network: networkFor(caller.base),
    consistencyMs: caller.consistencyMs,
    clockAheadMs: () => caller.clock.aheadMs,
    now: () => caller.clock.now(),
    certainNow: async (call: CallOptions) => {
      const { clock } = caller;
      if (clock.isCertain) return clock.now();
      await caller.execute(routes, operations.getMe, {}, call).catch(() => undefined);
      return clock.now();
    },
    call: async (id: string, input: DynamicInput = {}, call: CallOptions = {}) =>
      (await caller.execute(routes, rowOf(id), input, { ...call, ...first })).raw,
    send: (id: OperationId, input: DynamicInput, call: CallOptions) =>
      send(operations[id], input, call),
    callWithMeta: (id: OperationId, input?: DynamicInput, call?: CallOptions) =>
      send(operations[id], input, call),
    route: (id: OperationId) => routes.find(operations[id]),
    withOperations: (named: NamedRoutes) => clientWith(caller, namedFirst(named, routes), isUrgent),
    urgent: () => clientWith(caller, routes, true),
    close: () => caller.close(),
  };
  // The one place where types are asserted: each method does what its own row says.
  const client: unknown = Object.assign(Object.fromEntries(calls), core);
  return client as Client;
}
