// Decrypts payloads for the Temporal UI, in the browser of whoever looks, and for Temporal's command line. Temporal itself
// never asks it: the server keeps what it cannot read.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import { type JsonBounds, parseJson } from '../../api/bounded-json.ts';
import { isLoopback } from '../../api/private-addresses.ts';
import { failureOf } from '../../failures/of-error.ts';
import { carriesToken } from '../../settings/bearer-token.ts';
import type { CodecKeys } from '../../settings/codec-keys.ts';
import { listen } from '../../settings/listen.ts';
import { decryptedPayload } from './payload-codec.ts';

export const decodePath = '/decode';
/** The largest answer of a Temporal server is 4 MB; base64 makes it 5.4. */
const bodyBytes = 8 * 1024 * 1024;
const bodyBounds: JsonBounds = { values: 250_000, depth: 8 };

export interface CodecGate {
  /** Pages that may ask, as `https://host:port`; whoever is no page in a browser names none. */
  readonly origins: readonly string[];
  /** Token that is to be shown as `Authorization: Bearer`; null: none, and then only names of this machine are answered. */
  readonly token: string | null;
}

export interface CodecServerOptions extends CodecGate {
  readonly keys: CodecKeys;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface RunningCodec {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts the server. Rejects when the port is taken. */
export async function startCodecServer(options: CodecServerOptions): Promise<RunningCodec> {
  const { keys, host, port } = options;
  const listener = getRequestListener((request) => answer(request, keys, options), {
    overrideGlobalObjects: false,
  });
  // The listener answers its own failures; its promise tells nothing more.
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  server.requestTimeout = 30_000;
  const taken = await listen(server, { host, port });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    stop: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: Request, keys: CodecKeys, gate: CodecGate): Promise<Response> {
  const origin = request.headers.get('origin');
  const refused = refusalOf(request, gate);
  if (refused !== null) return refused;
  const response =
    request.method === 'OPTIONS'
      ? new Response(null, { status: 204 })
      : await decode(request, keys);
  if (origin !== null) for (const [name, value] of cors(origin)) response.headers.set(name, value);
  return response;
}

/** Pages of others, names of others that point here (DNS rebinding), and who does not show the token. */
function refusalOf(request: Request, { origins, token }: CodecGate): Response | null {
  const origin = request.headers.get('origin');
  if (origin !== null && !origins.includes(origin)) {
    return failed(403, 'ORIGIN', `Pages of ${origin} may not ask; --allow-origin lets them.`);
  }
  if (token === null) {
    const host = request.headers.get('host');
    const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
    if (isLoopback(name)) return null;
    return failed(403, 'HOST', 'This server answers by the names of this machine only.');
  }
  // A browser asks first, without credentials, whether it may ask.
  if (request.method === 'OPTIONS') return null;
  if (carriesToken(request.headers.get('authorization'), token)) return null;
  const missing = failed(401, 'UNAUTHORIZED', 'Show the token: Authorization: Bearer TOKEN');
  missing.headers.set('www-authenticate', 'Bearer');
  return missing;
}

function cors(origin: string): [name: string, value: string][] {
  return [
    ['access-control-allow-origin', origin],
    ['access-control-allow-methods', 'POST, OPTIONS'],
    ['access-control-allow-headers', 'authorization, content-type, x-namespace'],
    ['access-control-allow-credentials', 'true'],
    // A page of the outside may ask a server of this machine only where that says so.
    ['access-control-allow-private-network', 'true'],
    ['vary', 'origin'],
  ];
}

const Body = z.object({
  payloads: z.array(
    z.object({
      metadata: z.record(z.string(), z.base64()).optional(),
      data: z.base64().optional(),
    }),
  ),
});

async function decode(request: Request, keys: CodecKeys): Promise<Response> {
  if (new URL(request.url).pathname !== decodePath) {
    return failed(404, 'NOT_FOUND', `Payloads are decoded at ${decodePath}.`);
  }
  if (request.method !== 'POST') return failed(405, 'METHOD', 'Payloads are posted.');
  const text = await boundedText(request);
  if (text === null) return failed(413, 'TOO_LARGE', `More than ${bodyBytes} bytes.`);
  const body = Body.safeParse(parsed(text));
  if (!body.success) return failed(400, 'BAD_BODY', 'No {"payloads": […]} as Temporal sends them.');
  try {
    const payloads = body.data.payloads.map((one) => written(decryptedPayload(read(one), keys)));
    return Response.json({ payloads }, { headers: { 'cache-control': 'no-store' } });
  } catch (error) {
    const told = error instanceof Error ? failureOf(error) : null;
    if (told === null) throw error;
    return failed(422, told.failure.code, `${told.message} ${told.fix.split('\n', 1)[0]}`);
  }
}

async function boundedText(request: Request): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > bodyBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, bodyBounds);
  } catch {
    return undefined;
  }
}

type Written = z.infer<typeof Body>['payloads'][number];

function read({ metadata = {}, data = '' }: Written): Payload {
  const fields = Object.entries(metadata).map(([name, value]) => [
    name,
    Buffer.from(value, 'base64'),
  ]);
  return { metadata: Object.fromEntries(fields), data: Buffer.from(data, 'base64') };
}

function written({ metadata, data }: Payload): Written {
  const fields = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]);
  return { metadata: Object.fromEntries(fields), data: base64(data ?? new Uint8Array()) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function failed(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}
