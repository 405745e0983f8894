// HTTP server of the receiver: accepts platform notifications, serves wake-ups to workers, and reports its health.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConnectionCaps } from '../settings/connections.ts';
import { type ServerTimeouts, startServer } from '../settings/http-server.ts';
import { hasBearerToken } from '../settings/secrets/bearer-token.ts';
import { wakeUpEvents } from '../telemetry/events.ts';
import type { ReceiverProblem } from './readiness.ts';
import { maxBodyBytes, readBody } from './request-body.ts';
import { isRunPath, type RunRequestHandler } from './runs/run-request-handler.ts';
import { closing, sendJson } from './send-json.ts';
import { isSignature, signatureHeader } from './signature.ts';
import { WakeUpStream } from './wake-up-stream.ts';
import { wakeUpToken } from './wake-up-token.ts';
import {
  type NotificationOutcome,
  WebhookHandler,
  type WebhookHandlerOptions,
} from './webhook-handler.ts';

const wakeUpsPath = '/wake-ups';
const healthPath = '/health';

export interface ReceiverOptions extends Omit<WebhookHandlerOptions, 'wakeUpStream'> {
  host: string;
  /** Port to listen on. With 0, a free port is chosen. */
  port: number;
  /** Path for the platform's notifications. */
  path: string;
  /** Key of the workspace. Only workers that have it may read wake-ups. */
  apiKey: string;
  /** Why notifications are not accepted, for `/health`. @default no fault */
  findProblem?: () => ReceiverProblem | null;
  /** Starts runs for other programs. @default none are started */
  runs?: RunReceiver | undefined;
  /** @default `defaultServerTimeouts` */
  timeouts?: ServerTimeouts;
  /** @default `receiverCaps` */
  caps?: ConnectionCaps;
}

export interface RunReceiver {
  handler: Pick<RunRequestHandler, 'handle' | 'counts'>;
  /** Number of pipelines that may be started now. Null if this is unknown. */
  pipelines: () => number | null;
}

export interface RunningReceiver {
  /** URL for the platform's notifications. */
  url: string;
  wakeUpsUrl: string;
  healthUrl: string;
  handler: WebhookHandler;
  wakeUpStream: WakeUpStream;
  /** Stops accepting requests. Settles when open requests are answered, after at most `drainMs`. */
  stop(): Promise<void>;
}

/** Maximum numbers of connections. They are far higher than the platform, workers and people together need. */
export const receiverCaps: ConnectionCaps = { maxConnections: 1_000, maxOfNetwork: 200 };
const drainMs = 5_000;
/** Time limit of a long poll. It is shorter than the usual timeouts of proxies. */
const longPollMs = 20_000;

const statusOf: Readonly<Record<NotificationOutcome, number>> = {
  accepted: 200,
  repeated: 200,
  stale: 400,
  unknown: 200,
  refused: 401,
  misdirected: 404,
  unreadable: 400,
  failed: 503,
};

/** Starts the server. Rejects if the port is in use. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const stopping = new AbortController();
  const { path, apiKey, caps = receiverCaps } = options;
  const wakeUpStream = new WakeUpStream();
  const handler = new WebhookHandler({ ...options, wakeUpStream });
  const parts = { ...options, handler, wakeUpStream, token: wakeUpToken(apiKey) };
  const server = await startServer(
    (request, response) => {
      handleRequest(request, response, parts, stopping.signal).catch(() => response.destroy());
    },
    { ...options, caps },
  );
  return {
    url: `${server.origin}${path}`,
    wakeUpsUrl: `${server.origin}${wakeUpsPath}`,
    healthUrl: `${server.origin}${healthPath}`,
    handler,
    wakeUpStream,
    stop: async () => {
      const serverStop = server.stop(drainMs);
      stopping.abort();
      wakeUpStream.close();
      await serverStop;
    },
  };
}

interface ReceiverParts extends Pick<ReceiverOptions, 'path' | 'findProblem' | 'runs'> {
  handler: WebhookHandler;
  wakeUpStream: WakeUpStream;
  token: string;
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiverParts,
  stop: AbortSignal,
): Promise<void> {
  const url = targetOf(request.url ?? '/');
  if (stop.aborted) response.setHeader('connection', 'close');
  const { handler, path } = options;
  // The slashes are ignored, because proxies may add a trailing slash. It is not part of the signed bytes.
  if (removeSlash(url.pathname) === removeSlash(path))
    return handleNotification(request, response, handler);
  const { runs } = options;
  if (runs && isRunPath(request.url ?? '')) return runs.handler.handle(request, response);
  switch (url.pathname) {
    case wakeUpsPath:
      return serveWakeUps(request, response, url, options, stop);
    case healthPath:
      return sendJson(response, 200, healthOf(options));
    default:
      if (isSignature(request.headers[signatureHeader]))
        handler.countMisdirected(url.pathname, path);
      return sendJson(response, 404, {});
  }
}

/** Returns the URL of a request target: a path, possibly with several leading slashes, or a whole URL. */
function targetOf(target: string): URL {
  const text = target.startsWith('/') ? `http://receiver${target}` : target;
  return new URL(URL.canParse(text) ? text : 'http://receiver/');
}

function removeSlash(path: string): string {
  return path.replace(/\/+$/, '');
}

/** Returns the response of `GET /health`. */
function healthOf({ handler, runs, findProblem }: ReceiverParts) {
  const { counts, acceptedAtMs, troubles } = handler;
  /** Why notifications that start runs are answered with status 503, and the fix. */
  const problem = findProblem?.() ?? null;
  return {
    status: problem === null ? 'ok' : 'failing',
    fault: problem,
    notifications: counts,
    takenAt: acceptedAtMs === null ? null : new Date(acceptedAtMs).toISOString(),
    troubles: troubles.seen,
    /** Null if no runs are started over HTTP. */
    runs: runs ? { pipelines: runs.pipelines(), ...runs.handler.counts } : null,
  };
}

async function handleNotification(
  request: IncomingMessage,
  response: ServerResponse,
  handler: WebhookHandler,
): Promise<void> {
  const { method, headers } = request;
  if (method !== 'POST') return sendJson(response, 405, {}, { allow: 'POST' });
  // The signature covers the uncompressed bytes, and the platform does not compress.
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return sendJson(response, 415, {}, closing);
  const signature = headers[signatureHeader];
  if (!isSignature(signature)) {
    handler.countRefused();
    return sendJson(response, 401, {}, closing);
  }
  const body = await readBody(request);
  if (body === null)
    return sendJson(
      response,
      413,
      { error: `the body may have at most ${maxBodyBytes} bytes` },
      closing,
    );
  const status = statusOf[await handler.handle(body, signature)];
  return sendJson(response, status, {});
}

async function serveWakeUps(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { wakeUpStream, token }: ReceiverParts,
  stop: AbortSignal,
): Promise<void> {
  if (request.method !== 'GET') return sendJson(response, 405, {}, { allow: 'GET' });
  if (!hasBearerToken(request.headers.authorization, token)) return sendJson(response, 401, {});
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const abortSignal = AbortSignal.any([stop, disconnected.signal]);
  const page = await wakeUpStream.read(url.searchParams.get('cursor'), longPollMs, abortSignal);
  wakeUpEvents.emit({ wakeUps: page.wakeUps.length });
  if (stop.aborted) response.setHeader('connection', 'close');
  return sendJson(response, 200, page);
}
