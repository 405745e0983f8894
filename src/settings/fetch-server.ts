// HTTP servers with Fetch API requests. Access is checked before the body is read, and bodies have a maximum size.
import { getRequestListener } from '@hono/node-server';
import { isLoopback } from '../api/network/private-addresses.ts';
import { readBoundedBody } from '../api/network/read-bounded-body.ts';
import { type HttpServerOptions, type RunningServer, startServer } from './http-server.ts';

/** Maximum body size in bytes, by kind of server. */
export const bodyBounds = {
  /** The parameters of a pipeline, from a page of `renderline ui`. */
  form: 1024 * 1024,
  /** A tool call contains ids, names and small tables. */
  mcp: 1024 * 1024,
  /** The largest response of a Temporal server is 4 MB, which is 5.4 MB in base64. */
  codec: 8 * 1024 * 1024,
};

/** `Caller`: what `gate` has found out about the sender of a request. */
export interface FetchHandler<Caller = null> {
  /**
   * Called before the body is read. Returns a response that refuses the request, or the accepted caller.
   * @param sender address of the client, or of the proxy in front of it. Empty if the connection is gone
   */
  gate: (request: Request, sender: string) => Response | Caller;
  serve: (request: Request, caller: Caller) => Response | Promise<Response>;
  maxBodyBytes: number;
}

/** Starts a server. Rejects if the port is in use. */
export async function startFetchServer<Caller = null>(
  handler: FetchHandler<Caller>,
  options: HttpServerOptions,
): Promise<RunningServer> {
  const listener = getRequestListener(
    (request, { incoming }) => handleRequest(request, incoming.socket.remoteAddress ?? '', handler),
    { overrideGlobalObjects: false },
  );
  // The listener responds to its own failures, so its promise can be ignored.
  return startServer((incoming, outgoing) => void listener(incoming, outgoing), options);
}

async function handleRequest<Caller>(
  request: Request,
  sender: string,
  { gate, serve, maxBodyBytes }: FetchHandler<Caller>,
): Promise<Response> {
  const caller = gate(request, sender);
  if (caller instanceof Response) return closeUnread(request, caller);
  const bufferedRequest = await bufferRequest(request, maxBodyBytes);
  if (bufferedRequest !== null) return serve(bufferedRequest, caller);
  return closeUnread(
    request,
    createErrorResponse(413, 'TOO_LARGE', `The body may have at most ${maxBodyBytes} bytes.`),
  );
}

/** Closes the connection, because the rest of the body is not read. */
function closeUnread(request: Request, response: Response): Response {
  if (request.body !== null) response.headers.set('connection', 'close');
  return response;
}

/** Returns the request with its body in memory, or null if the body is too large or incomplete. */
async function bufferRequest(request: Request, maxBytes: number): Promise<Request | null> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return null;
  if (request.body === null) return request;
  const body = await readBoundedBody(request.body, maxBytes).catch(() => null);
  const { method, headers, signal, url } = request;
  return body && new Request(url, { method, headers, signal, body });
}

/**
 * True if a Host header names this machine. A foreign page can point its own host name to this machine (DNS rebinding),
 * but then the header contains that foreign name.
 */
export function isLoopbackHost(host: string | null): boolean {
  return URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname);
}

/** Creates an error response in the format of our servers. */
export function createErrorResponse(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}
