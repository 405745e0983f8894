// Decrypts payloads for the Temporal UI, which calls this server from the browser, and for Temporal's command line. The
// Temporal server itself never calls it and stores only encrypted payloads.
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import { type JsonBounds, tryParseJson } from '../../api/responses/bounded-json.ts';
import { decodePercent } from '../../api/unknown-values.ts';
import { findKnownFailure } from '../../failures/classify-error.ts';
import {
  bodyBounds,
  createErrorResponse,
  isLoopbackHost,
  startFetchServer,
} from '../../settings/fetch-server.ts';
import { hasBearerToken, isSameToken } from '../../settings/secrets/bearer-token.ts';
import type { CodecKeys } from '../../settings/secrets/codec-keys.ts';
import { decryptPayload } from './payload-codec.ts';

const decodePath = '/decode';
const codecBounds = {
  /** Payloads of a request. A page of a history has at most 1,000 events with a few payloads each. */
  payloads: 10_000,
  /** Metadata fields of a payload. Temporal and its codecs write three or four. */
  metadata: 32,
};
const jsonBounds: JsonBounds = { values: 250_000, depth: 8 };

interface CodecGate {
  /** Origins of web pages that may call this server, as `https://host:port`. Only browsers send an origin. */
  readonly origins: readonly string[];
  /**
   * Required token, as `Authorization: Bearer` or as the first part of the path: the Temporal UI sends an authorization
   * header only if its users log in.
   */
  readonly token: string;
  /** True to accept only Host headers for this machine. False behind a proxy that forwards another host. */
  readonly ownNamesOnly: boolean;
}

export interface CodecServerOptions extends CodecGate {
  readonly keys: CodecKeys;
  readonly host: string;
  /** Port to listen on. 0 means any free port. */
  readonly port: number;
}

export interface RunningCodec {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts the server. Rejects if the port is taken. */
export async function startCodecServer(options: CodecServerOptions): Promise<RunningCodec> {
  const { keys } = options;
  const handler = {
    gate: (request: Request) => withCors(request, findRequestRefusal(request, options)),
    serve: async (request: Request) => withCors(request, await decode(request, keys)),
    maxBodyBytes: bodyBounds.codec,
  };
  const server = await startFetchServer(handler, options);
  return { url: server.origin, stop: () => server.stop() };
}

/** Returns the response to a preflight request, or to a wrong origin, host, token, path or method. Otherwise null. */
function findRequestRefusal(
  request: Request,
  { origins, token, ownNamesOnly }: CodecGate,
): Response | null {
  const { headers, method } = request;
  const origin = headers.get('origin');
  if (origin !== null && !origins.includes(origin)) {
    const problem = 'Pages of this origin are not allowed; allow it with --allow-origin.';
    return createErrorResponse(403, 'ORIGIN', problem);
  }
  if (ownNamesOnly && !isLoopbackHost(headers.get('host'))) {
    return createErrorResponse(403, 'HOST', 'The Host header must name this machine.');
  }
  // The preflight request of a browser carries no credentials.
  if (method === 'OPTIONS') return new Response(null, { status: 204 });
  const [, first = '', ...rest] = new URL(request.url).pathname.split('/');
  const isInPath = isSameToken(decodePercent(first), token);
  if (!isInPath && !hasBearerToken(headers.get('authorization'), token)) {
    const hint = 'Send the token: Authorization: Bearer TOKEN, or use the path /TOKEN/decode.';
    const response = createErrorResponse(401, 'UNAUTHORIZED', hint);
    response.headers.set('www-authenticate', 'Bearer');
    return response;
  }
  const path = isInPath ? `/${rest.join('/')}` : `/${[first, ...rest].join('/')}`;
  if (path !== decodePath)
    return createErrorResponse(404, 'NOT_FOUND', `Payloads are decoded at ${decodePath}.`);
  return method === 'POST' ? null : createErrorResponse(405, 'METHOD', 'Use POST.');
}

/** Adds CORS headers, except to a 403, so that the page of the Temporal UI may read the response. */
function withCors<Result extends Response | null>(request: Request, response: Result): Result {
  const origin = request.headers.get('origin');
  if (response === null || origin === null || response.status === 403) return response;
  for (const [name, value] of createCorsHeaders(origin)) response.headers.set(name, value);
  return response;
}

function createCorsHeaders(origin: string): [name: string, value: string][] {
  return [
    ['access-control-allow-origin', origin],
    ['access-control-allow-methods', 'POST, OPTIONS'],
    ['access-control-allow-headers', 'authorization, content-type, x-namespace'],
    ['access-control-allow-credentials', 'true'],
    // Browsers require this header before a public page may call a server in a private network.
    ['access-control-allow-private-network', 'true'],
    ['vary', 'origin'],
  ];
}

const EncodedPayload = z.object({
  metadata: z
    .record(z.string(), z.base64())
    .refine((fields) => Object.keys(fields).length <= codecBounds.metadata)
    .optional(),
  data: z.base64().optional(),
});

const Body = z.object({
  // The number of payloads is checked before any payload is parsed.
  payloads: z.array(z.unknown()).max(codecBounds.payloads).pipe(z.array(EncodedPayload)),
});

async function decode(request: Request, keys: CodecKeys): Promise<Response> {
  const body = Body.safeParse(tryParseJson(await request.text(), jsonBounds));
  if (!body.success) {
    const message = `The body must be {"payloads": […]} as Temporal sends it, with at most ${codecBounds.payloads} payloads.`;
    return createErrorResponse(400, 'BAD_BODY', message);
  }
  try {
    const payloads = body.data.payloads.map((payload) =>
      toJson(decryptPayload(toPayload(payload), keys)),
    );
    return Response.json({ payloads }, { headers: { 'cache-control': 'no-store' } });
  } catch (error) {
    const explanation = error instanceof Error ? findKnownFailure(error) : null;
    if (explanation === null) throw error;
    const { failure, message, fix } = explanation;
    return createErrorResponse(422, failure.code, `${message} ${fix.split('\n', 1)[0]}`);
  }
}

type JsonPayload = z.infer<typeof EncodedPayload>;

function toPayload({ metadata = {}, data = '' }: JsonPayload): Payload {
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const fields = Object.entries(metadata).map(([name, value]) => [name, bytes(value)]);
  return { metadata: Object.fromEntries(fields), data: bytes(data) };
}

function toJson({ metadata, data }: Payload): JsonPayload {
  const fields = Object.entries(metadata ?? {}).map(([name, value]) => [name, encodeBase64(value)]);
  return { metadata: Object.fromEntries(fields), data: encodeBase64(data ?? new Uint8Array()) };
}

function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
