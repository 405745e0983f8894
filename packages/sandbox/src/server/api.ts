// The steps of an API request: key, rate limit, fault, idempotency, validation, handler, response.
import type { Context } from 'hono';
import { Hono } from 'hono';
import { splitRoute } from 'renderline/api/contract/operation';
import { operations } from 'renderline/api/operations/index';
import type { Sandbox } from '../context/sandbox.ts';
import { readBody } from '../http/body.ts';
import { decodeBody, queryDecoder } from '../http/decode.ts';
import type { Env } from '../http/env.ts';
import { ApiFailure, errorResponse, formatErrorBody, jsonHeaders } from '../http/failure.ts';
import type { Idempotency, StoredResponse } from '../http/idempotency.ts';
import type { RateLimit, RateRefusal } from '../http/rate-limit.ts';
import { routeOf, type ServedId, servedIds } from '../http/routes.ts';
import { handlers } from '../operations/handlers.ts';
import { finishDueExports } from '../production/exports.ts';
import { applyRequestFault, holdResponse, sendWithFault } from './fault-effects.ts';

/** The API's paths are relative to this root. */
export const apiRoot = '/api/v1';

interface ApiParts {
  readonly sandbox: Sandbox;
  readonly rateLimit: RateLimit;
  readonly idempotency: Idempotency;
}

/** A handler without its operation's types. The schemas have validated the request. */
type LooseHandler = (
  request: { params: unknown; query: unknown; body: unknown; origin: string; nowMs: number },
  sandbox: Sandbox,
) => unknown;

/** Creates the routes of all operations, to mount at /api/v1. */
export function createApiRoutes(parts: ApiParts): Hono<Env> {
  const app = new Hono<Env>();
  const { sandbox, rateLimit } = parts;
  for (const id of servedIds) {
    const { method, path } = splitRoute(routeOf(id));
    app.on(method, path.replace(/\{(\w+)\}/g, ':$1'), createRoute(parts, id));
  }
  app.all('*', (c) => {
    const nowMs = sandbox.options.clock();
    sandbox.access.check(c.req.header('x-api-key'), nowMs);
    const refusal = rateLimit.take(nowMs);
    if (refusal) return respondRateLimited(c, sandbox, refusal);
    const { method, path } = c.req;
    return errorResponse(404, 'NOT_FOUND', `The operation ${method} ${path} does not exist.`);
  });
  return app;
}

function createRoute(parts: ApiParts, id: ServedId) {
  const { sandbox, rateLimit } = parts;
  const row = operations[id];
  const isPublic = 'auth' in row && row.auth === false;
  const run = createRunner(sandbox, id);
  return async (c: Context<Env>): Promise<Response> => {
    const { clock } = sandbox.options;
    if (!isPublic) {
      sandbox.access.check(c.req.header('x-api-key'), clock());
      sandbox.stats.request(id);
      const refusal = rateLimit.take(clock());
      if (refusal) return respondRateLimited(c, sandbox, refusal);
    }
    const path = c.req.path.slice(apiRoot.length);
    const fault = sandbox.faults.requestFault(id, c.req.method, path);
    const faultResponse = fault && (await applyRequestFault(c, fault));
    if (faultResponse === 'rate-limited')
      return respondRateLimited(c, sandbox, rateLimit.refuse(clock()));
    if (faultResponse) return faultResponse;
    const body = c.req.method === 'GET' ? new Uint8Array() : await readBody(c);
    const createResponse = () => holdResponse(fault, () => run(c, body));
    const key = c.req.method === 'POST' ? c.req.header('idempotency-key') : undefined;
    if (key === undefined) {
      const reply = await createResponse();
      sandbox.store.flush();
      return sendWithFault(c, reply, fault, clock());
    }
    const endpoint = `POST ${path}`;
    // The response and the changes share one journal line, so that a kill leaves either both of them stored or neither.
    const reply = await parts.idempotency.respond(
      { key, endpoint, body, nowMs: clock() },
      createResponse,
    );
    sandbox.store.flush();
    if (reply.replayed) sandbox.stats.count('replayed');
    return sendWithFault(c, reply, fault, clock());
  };
}

/** Decodes the request, calls the handler and creates the response. A refusal is a response too. */
function createRunner(sandbox: Sandbox, id: ServedId) {
  const row = operations[id];
  const handler = handlers[id] as unknown as LooseHandler;
  const readQuery = queryDecoder(row);
  return async (c: Context<Env>, bytes: Uint8Array): Promise<StoredResponse> => {
    try {
      const url = new URL(c.req.url);
      const request = {
        params: c.req.param(),
        query: readQuery(url.searchParams),
        body: decodeBody(row, c.req.header('content-type'), bytes),
        origin: url.origin,
        nowMs: sandbox.options.clock(),
      };
      sandbox.renders.finishDueJobs(request.nowMs);
      finishDueExports(sandbox, request.nowMs);
      sandbox.events.sendDue(request.nowMs);
      return toResponse(row.status, row.response === 'redirect', await handler(request, sandbox));
    } catch (error) {
      return toFailureResponse(error);
    }
  };
}

function toResponse(
  status: number | readonly number[],
  redirect: boolean,
  reply: unknown,
): StoredResponse {
  if (redirect)
    return { status: 302, body: '', location: (reply as { location: string }).location };
  if (typeof status === 'number') return { status, body: JSON.stringify(reply) };
  const replyWithStatus = reply as { status: number; body: unknown };
  return { status: replyWithStatus.status, body: JSON.stringify(replyWithStatus.body) };
}

/** Creates the response for a thrown error. Anything but an ApiFailure is a bug and is logged to stderr. */
export function toFailureResponse(error: unknown): StoredResponse {
  if (error instanceof ApiFailure) {
    return { status: error.status, body: formatErrorBody(error.code, error.message) };
  }
  console.error('The sandbox failed to handle a request:', error);
  const body = formatErrorBody('INTERNAL_ERROR', 'The sandbox failed to handle the request.');
  return { status: 500, body };
}

function respondRateLimited(c: Context<Env>, { stats }: Sandbox, refusal: RateRefusal) {
  stats.count('rateLimited');
  const { retryAfterSeconds, headers } = refusal;
  const message = `Too many requests; retry in ${retryAfterSeconds} s.`;
  return c.body(formatErrorBody('RATE_LIMITED', message), 429, { ...jsonHeaders, ...headers });
}
