// MCP over HTTP on this machine, without sessions: every request stands for itself.
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { carriesToken } from '../settings/bearer-token.ts';
import { bodyBounds, failed, startFetchServer } from '../settings/fetch-server.ts';

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
    maxRequestBodySize: bodyBounds.mcp,
  });
  const guarded = {
    gate: gateOf(host, token),
    serve: (request: Request) => handler.fetch(request),
    maxBodyBytes: bodyBounds.mcp,
  };
  const server = await startFetchServer(guarded, { host, port });
  return {
    url: `${server.origin}${mcpPath}`,
    stop: async () => {
      await handler.close();
      await server.stop();
    },
  };
}

/**
 * A page in a browser can make its own name point at 127.0.0.1 (DNS rebinding), or post from anywhere: only
 * requests to a name of this machine, and from none or a page of this machine, get through. Of other users of this
 * machine the token keeps it.
 */
function gateOf(host: string, token: string): (request: Request) => Response | null {
  const hosts = [...localhostAllowedHostnames(), host];
  const origins = [...localhostAllowedOrigins(), host];
  return (request) => {
    const refusal =
      hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins);
    if (refusal !== undefined) return refusal;
    if (!carriesToken(request.headers.get('authorization'), token)) return noToken();
    if (new URL(request.url).pathname === mcpPath) return null;
    return failed(404, 'NOT_FOUND', `MCP is served at ${mcpPath}.`);
  };
}

function noToken(): Response {
  const message = 'Show the token that the server told at its start: Authorization: Bearer TOKEN';
  const missing = failed(401, 'UNAUTHORIZED', message);
  missing.headers.set('www-authenticate', 'Bearer');
  return missing;
}
