// Applies a fault rule to a request: before the work, while the response is held, and when it is sent.

import { setTimeout as delay } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { errorCodes } from 'renderline/api/contract/error-codes';
import type { RequestFault } from '../faults/faults.ts';
import type { Env } from '../http/env.ts';
import { errorResponse, formatErrorBody, jsonHeaders } from '../http/failure.ts';
import type { StoredResponse } from '../http/idempotency.ts';

/** Ends or delays the request before any work. Returns undefined to let the request pass. */
export async function applyRequestFault(
  c: Context<Env>,
  fault: RequestFault,
): Promise<Response | 'rate-limited' | undefined> {
  if ('rateLimited' in fault) return 'rate-limited';
  if ('reset' in fault && fault.reset === 'before') return breakConnection(c);
  if ('delayMs' in fault && fault.before) await delay(fault.delayMs);
  if (!('status' in fault)) return undefined;
  const { status, message = 'Injected by a fault rule.' } = fault;
  return errorResponse(status, fault.code ?? usualCodeOf(status), message);
}

function usualCodeOf(status: number): string {
  const [code] =
    Object.entries(errorCodes).find(([, errorCode]) => errorCode.status === status) ?? [];
  return code ?? 'INTERNAL_ERROR';
}

/** Calls `createResponse`, then delays or changes the response while the request still counts as in flight. */
export async function holdResponse(
  fault: RequestFault | undefined,
  createResponse: () => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const reply = await createResponse();
  if (!fault) return reply;
  if ('delayMs' in fault && !fault.before) await delay(fault.delayMs);
  if ('commitThenStatus' in fault) {
    const body = formatErrorBody(
      'INTERNAL_ERROR',
      'Injected by a fault rule after the work was done.',
    );
    return { status: fault.commitThenStatus, body, remembered: fault.kept === true ? reply : null };
  }
  if ('leaveOut' in fault) return { ...reply, body: cutItems(reply.body, fault.leaveOut) };
  if ('kept' in fault && fault.kept === false) return { ...reply, remembered: null };
  return reply;
}

/** Returns the body without the last items of its first list. */
function cutItems(body: string, items: number): string {
  const fields = Object.entries(JSON.parse(body) as Record<string, unknown>);
  const list = fields.find(([, value]) => Array.isArray(value));
  if (list !== undefined) list[1] = (list[1] as unknown[]).slice(0, -items);
  return JSON.stringify(Object.fromEntries(fields));
}

/** Sends a response, changed by the fault if any. The Date header, except of redirects, uses the sandbox's clock. */
export function sendWithFault(
  c: Context<Env>,
  reply: StoredResponse,
  fault: RequestFault | undefined,
  nowMs: number,
): Response {
  if (fault && 'reset' in fault && fault.reset === 'after') return breakConnection(c);
  const { status, body, location } = reply;
  const headers = { ...jsonHeaders, date: new Date(nowMs).toUTCString() };
  if (location !== undefined) return new Response(null, { status, headers: { location } });
  if (fault && 'body' in fault) {
    const type = fault.contentType === undefined ? {} : { 'content-type': fault.contentType };
    return new Response(fault.body, { status, headers: { ...headers, ...type } });
  }
  if (fault && 'truncate' in fault) {
    return new Response(body.slice(0, body.length / 2), { status, headers });
  }
  if (fault && 'trickleBytesPerSecond' in fault) {
    return new Response(trickleBody(body, fault.trickleBytesPerSecond), { status, headers });
  }
  return new Response(body, { status, headers });
}

function breakConnection(c: Context<Env>): Response {
  const socket = c.env?.incoming?.socket;
  // In-process requests have no socket to close.
  if (!socket) return new Response(null, { status: 500 });
  socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

function trickleBody(body: string, bytesPerSecond: number): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(body);
  let index = 0;
  return new ReadableStream({
    async pull(controller) {
      if (index >= bytes.length) return controller.close();
      if (index > 0) await delay(1000 / bytesPerSecond);
      controller.enqueue(new Uint8Array(bytes.subarray(index, index + 1)));
      index += 1;
    },
  });
}
