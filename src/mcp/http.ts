// MCP over HTTP on this machine, without sessions: every request stands for itself.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { carriesToken } from '../settings/bearer-token.ts';
import { listen } from '../settings/listen.ts';

/** Arguments of commands are names and bodies of requests. */
export const requestBytes = 1024 * 1024;

/** The one path that answers. */
export const mcpPath = '/mcp';

export interface McpHttpOptions {
  /** A loopback address: whoever reaches the server acts with its key, so it never listens beyond this machine. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Token that clients send as `Authorization: Bearer`. */
  readonly token: string;
  readonly onError: (error: Error) => void;
}

export interface RunningMcp {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts the server. Rejects when the port is taken. */
export async function serveOverHttp(
  factory: () => McpServer,
  { host, port, token, onError }: McpHttpOptions,
): Promise<RunningMcp> {
  const handler = createMcpHandler(factory, {
    onerror: onError,
    maxRequestBodySize: requestBytes,
  });
  const listener = getRequestListener(guarded(handler.fetch, host, token), {
    overrideGlobalObjects: false,
  });
  // The listener answers its own failures; its promise tells nothing more.
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  const taken = await listen(server, { host, port });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}${mcpPath}`,
    stop: async () => {
      await handler.close();
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * A page in a browser can make its own name point at 127.0.0.1 (DNS rebinding), or post from anywhere: only
 * requests to a name of this machine, and from none or a page of this machine, get through. Of other users of this
 * machine the token keeps it.
 */
function guarded(serve: (request: Request) => Promise<Response>, host: string, token: string) {
  const hosts = [...localhostAllowedHostnames(), host];
  const origins = [...localhostAllowedOrigins(), host];
  return async (request: Request): Promise<Response> => {
    const refusal =
      hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins);
    if (refusal !== undefined) return refusal;
    if (!carriesToken(request.headers.get('authorization'), token)) return noToken();
    if (new URL(request.url).pathname === mcpPath) return serve(request);
    return Response.json(
      { error: { code: 'NOT_FOUND', message: `MCP is served at ${mcpPath}.` } },
      { status: 404 },
    );
  };
}

function noToken(): Response {
  const message = 'Show the token that the server told at its start: Authorization: Bearer TOKEN';
  return Response.json(
    { error: { code: 'UNAUTHORIZED', message } },
    { status: 401, headers: { 'www-authenticate': 'Bearer' } },
  );
}
