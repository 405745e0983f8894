// Creates spans of runs, shards, steps and requests. Loaded only for tracing, as it alone imports OpenTelemetry.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type RequestEvent, requestEvents } from '../api/events.ts';
import { createNodeAgents } from '../api/network/http-agents.ts';
import {
  classifyNetworkError,
  findNetworkErrorFix,
  formatNetworkError,
} from '../api/network/network-errors.ts';
import { toSafeMessage } from '../api/responses/scrub.ts';
import type { RunEvent } from '../plan/contract/run-events.ts';
import { runEvents } from './events.ts';

export interface TracingOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  service: string;
  version: string;
  /** Share of runs that are traced, 0 to 1. */
  share: number;
  /** Called once per reason when the collector does not accept spans. */
  onTrouble: (message: string) => void;
}

export interface AttemptSpan {
  run: string;
  /** Index of the shard. Absent for activities of the run itself. */
  shard?: number;
  name: string;
  attributes: Attributes;
  /** Error code of a failed attempt. Null if the attempt is only retried, such as an unfinished wait. */
  problemOf: (error: unknown) => string | null;
}

export interface Tracing {
  /** Runs an attempt in its own span. Requests of the attempt become child spans. */
  attempt<T>(span: AttemptSpan, task: () => Promise<T>): Promise<T>;
  command(run: string, name: string, startedAtMs: number): void;
  /** Sends the remaining spans, within a few seconds. */
  stop(): Promise<void>;
}

const stopWithinMs = 5_000;

/** Attribute that an attempt passes on to the spans of its requests. */
const attemptAttribute = 'renderline.attempt';

/** Uses the given ids for the next span, and random ones for all others. */
class PresetIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #trace: string | undefined;
  #span: string | undefined;

  next(traceId: string, spanId: string): void {
    this.#trace = traceId;
    this.#span = spanId;
  }

  generateTraceId(): string {
    const id = this.#trace;
    this.#trace = undefined;
    return id ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    const id = this.#span;
    this.#span = undefined;
    return id ?? this.#random.generateSpanId();
  }
}

type Export = Parameters<OTLPTraceExporter['export']>;

/** Reports spans that cannot be sent, because the exporter itself drops them silently. */
class WarningExporter extends OTLPTraceExporter {
  readonly #host: string;
  readonly #onTrouble: (message: string) => void;
  readonly #reasons = new Set<string>();

  constructor(
    url: string,
    headers: Readonly<Record<string, string>>,
    onTrouble: (message: string) => void,
  ) {
    const agents = createNodeAgents();
    const httpAgentOptions = (protocol: string) =>
      protocol === 'http:' ? agents.http : agents.https;
    super({ url, headers: { ...headers }, httpAgentOptions });
    this.#host = new URL(url).host;
    this.#onTrouble = onTrouble;
  }

  override export(spans: Export[0], callback: Export[1]): void {
    super.export(spans, (result) => {
      if (result.error !== undefined) this.#warn(result.error);
      callback(result);
    });
  }

  #warn(error: Error): void {
    const networkError = classifyNetworkError(error, this.#host);
    const problem =
      networkError === null
        ? `${this.#host}: ${error.message}`
        : formatNetworkError(networkError, this.#host);
    const fix = networkError && findNetworkErrorFix(networkError);
    const reason = toSafeMessage(fix ? `${problem}; ${fix}` : problem);
    if (this.#reasons.has(reason)) return;
    this.#reasons.add(reason);
    this.#onTrouble(`traces cannot be sent: ${reason}`);
  }
}

export function startTracing(options: TracingOptions): Tracing {
  const { url, headers, service, version, share, onTrouble } = options;
  const ids = new PresetIds();
  const exporter = new WarningExporter(url, headers, onTrouble);
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('renderline', version);
  const active = new AsyncLocalStorage<ActiveAttempt>();

  const isRunTraced = (run: string) => isTraceSampled(traceIdOf(run), share);

  function recordSpan(run: string, span: RunSpan): void {
    const { part, parent, name, startTime, endTime, attributes, failed = null } = span;
    if (!isRunTraced(run)) return;
    ids.next(traceIdOf(run), spanIdOf(run, part));
    const context = parent === null ? ROOT_CONTEXT : contextOf(run, parent);
    const newSpan = tracer.startSpan(name, { startTime, attributes }, context);
    if (failed !== null) newSpan.setStatus({ code: SpanStatusCode.ERROR, message: failed });
    newSpan.end(endTime);
  }

  const stops = [
    runEvents.subscribe((event) => {
      for (const span of spansOf(event)) recordSpan(event.run, span);
    }),
    requestEvents.subscribe((event) => {
      const activeAttempt = active.getStore();
      // Requests outside an attempt, such as those at the start of a worker, have no trace.
      if (activeAttempt !== undefined) recordRequest(tracer, event, activeAttempt);
    }),
  ];

  return {
    async attempt({ run, shard, name, attributes, problemOf }, task) {
      if (!isRunTraced(run)) return task();
      const context = contextOf(run, shard === undefined ? 'run' : `shard ${shard}`);
      const span = tracer.startSpan(name, { attributes }, context);
      try {
        const { [attemptAttribute]: attempt } = attributes;
        const attemptContext = {
          context: trace.setSpan(context, span),
          attributes: { [attemptAttribute]: attempt },
        };
        return await active.run(attemptContext, task);
      } catch (error) {
        const problem = problemOf(error);
        if (problem === null) span.setAttribute('renderline.retry', true);
        else span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
        throw error;
      } finally {
        span.end();
      }
    },
    command(run, name, startedAtMs) {
      const attributes = { 'renderline.run': run };
      const times = { startTime: startedAtMs, endTime: Date.now() };
      recordSpan(run, { part: 'start', parent: null, name, ...times, attributes });
    },
    async stop() {
      for (const stop of stops) stop();
      const tooLate = new Promise<void>((resolve) => {
        setTimeout(resolve, stopWithinMs).unref();
      });
      // The shutdown is raced against a timeout, because an unreachable collector must not delay it.
      await Promise.race([provider.shutdown().catch(() => undefined), tooLate]);
    },
  };
}

/** An attempt, for the spans of its requests. */
interface ActiveAttempt {
  context: Context;
  attributes: Attributes;
}

interface RunSpan {
  part: SpanPart;
  parent: SpanPart | null;
  name: string;
  startTime: number;
  endTime: number;
  attributes: Attributes;
  failed?: string | null;
}

/** Returns the context of a part's span, marked as remote because another process often records that span. */
function contextOf(run: string, part: SpanPart): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceIdOf(run),
    spanId: spanIdOf(run, part),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

function spansOf(event: RunEvent): RunSpan[] {
  const { run, pipeline } = event;
  const attributes = { 'renderline.run': run, 'renderline.pipeline': pipeline };
  const endTime = Date.now();
  switch (event.kind) {
    case 'run-started': {
      if (event.lagMs === null) return [];
      const startTime = endTime - event.lagMs;
      return [{ part: 'start', parent: null, name: 'schedule', startTime, endTime, attributes }];
    }
    case 'shard-finished': {
      const shard = { 'renderline.shard': event.shard + 1 };
      return [
        {
          part: `shard ${event.shard}`,
          parent: 'run',
          name: 'shard',
          startTime: event.end.startedAtMs,
          endTime,
          attributes: { ...attributes, ...shard, ...countsOf(event.end.totals) },
        },
      ];
    }
    case 'run-finished': {
      const { outcome, seconds, totals, cause, hasStart } = event.end;
      return [
        {
          part: 'run',
          parent: hasStart ? 'start' : null,
          name: 'run',
          startTime: endTime - seconds * 1_000,
          endTime,
          attributes: { ...attributes, 'renderline.outcome': outcome, ...countsOf(totals) },
          failed: outcome === 'failed' ? (cause ?? outcome) : null,
        },
      ];
    }
    default:
      return [];
  }
}

function countsOf(totals: Readonly<Record<'total' | 'complete' | 'failed' | 'skipped', number>>) {
  return {
    'renderline.assets.total': totals.total,
    'renderline.assets.complete': totals.complete,
    'renderline.assets.failed': totals.failed,
    'renderline.assets.skipped': totals.skipped,
  };
}

/** Records the span of a request, without its URL, because URLs may contain ids and signatures. */
function recordRequest(
  tracer: Tracer,
  { operation, status, startedAtMs, waitMs, durationMs }: RequestEvent,
  { context, attributes: attemptAttributes }: ActiveAttempt,
): void {
  const attributes = {
    ...attemptAttributes,
    'renderline.operation': operation,
    'renderline.allowance.wait_seconds': waitMs / 1_000,
    ...(status === undefined ? {} : { 'http.response.status_code': status }),
  };
  const options = { kind: SpanKind.CLIENT, startTime: startedAtMs, attributes };
  const span = tracer.startSpan(operation, options, context);
  if (status === undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: 'no response' });
  else if (status >= 400) span.setStatus({ code: SpanStatusCode.ERROR, message: String(status) });
  span.end(startedAtMs + waitMs + durationMs);
}

/** A part of a run that has a span with a derived id. */
type SpanPart = 'start' | 'run' | `shard ${number}`;

/**
 * Returns the trace id of a run: 32 hex digits. Ids are derived from run ids, so that workflows need not carry a trace
 * context and any worker can add spans (docs/decisions/057-traces-and-logs.md).
 */
export function traceIdOf(run: string): string {
  return hashText(`trace\n${run}`).slice(0, 32);
}

/** Returns the span id of a part of a run: 16 hex digits. */
export function spanIdOf(run: string, part: SpanPart): string {
  return hashText(`span\n${run}\n${part}`).slice(0, 16);
}

/** True for the given share of all traces. Every process makes the same decision about a trace. */
export function isTraceSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(0, 8), 16) < share * 2 ** 32;
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
