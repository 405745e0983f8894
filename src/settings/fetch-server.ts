// Servers that answer requests of the Fetch API: who may ask is decided before a body is read, and bodies have a bound.
import { getRequestListener } from '@hono/node-server';
import { isLoopback } from '../api/private-addresses.ts';
import { type RunningServer, type ServerPlace, startServer } from './http-server.ts';

/** The most bytes of a body, by what it is for. */
export const bodyBounds = {
  /** The parameters of a pipeline, from a page of `renderline ui`. */
  form: 1024 * 1024,
  /** A call of a tool: ids, names and small tables. */
  mcp: 1024 * 1024,
  /** The largest answer of a Temporal server is 4 MB; base64 makes it 5.4. */
  codec: 8 * 1024 * 1024,
};

export interface Guarded {
  /** Answers a request that may not come in, before its body is read; null lets it in. */
  gate: (request: Request) => Response | null;
  serve: (request: Request) => Response | Promise<Response>;
  maxBodyBytes: number;
}

/** Starts a server. Rejects when the port is taken. */
export async function startFetchServer(
  guarded: Guarded,
  place: ServerPlace,
): Promise<RunningServer> {
  const listener = getRequestListener((request) => answer(request, guarded), {
    overrideGlobalObjects: false,
  });
  // The listener answers its own failures; its promise tells nothing more.
  return startServer((incoming, outgoing) => void listener(incoming, outgoing), place);
}

async function answer(request: Request, { gate, serve, maxBodyBytes }: Guarded): Promise<Response> {
  const early = gate(request);
  if (early !== null) return unread(request, early);
  const whole = await wholeRequest(request, maxBodyBytes);
  if (whole !== null) return serve(whole);
  return unread(request, failed(413, 'TOO_LARGE', `A body has at most ${maxBodyBytes} bytes.`));
}

/** Nobody reads the rest of the body, so the connection cannot be used again. */
function unread(request: Request, response: Response): Response {
  if (request.body !== null) response.headers.set('connection', 'close');
  return response;
}

/** The request with its body in memory; null where that is larger, or was cut off. */
async function wholeRequest(request: Request, maxBytes: number): Promise<Request | null> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return null;
  if (request.body === null) return request;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body) {
      bytes += chunk.length;
      if (bytes > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  const { method, headers, signal, url } = request;
  return new Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}

/**
 * True where a Host header names this machine. A page elsewhere can make its own name point here (DNS rebinding), and names
 * itself in the header all the same.
 */
export function namesThisMachine(host: string | null): boolean {
  return URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname);
}

/** A refusal as our servers write it. */
export function failed(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}
