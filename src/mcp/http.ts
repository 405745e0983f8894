// MCP over HTTP on this machine, without sessions.
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { bodyBounds, createErrorResponse, startFetchServer } from '../settings/fetch-server.ts';
import { hasBearerToken } from '../settings/secrets/bearer-token.ts';

/** The only path that is served. */
const mcpPath = '/mcp';

export interface McpHttpOptions {
  /** A loopback address: clients act with the server's API key, so other machines must not reach the server. */
  readonly host: string;
  /** Port to listen on. With 0, a free port is chosen. */
  readonly port: number;
  /** Token that clients send as `Authorization: Bearer`. */
  readonly token: string;
  readonly onError: (error: Error) => void;
}

/** Starts the server. Rejects if the port is taken. */
export async function serveOverHttp(
  factory: () => McpServer,
  { host, port, token, onError }: McpHttpOptions,
) {
  const handler = createMcpHandler(factory, {
    onerror: onError,
    maxRequestBodySize: bodyBounds.mcp,
  });
  const serverOptions = {
    gate: createGate(host, token),
    serve: (request: Request) => handler.fetch(request),
    maxBodyBytes: bodyBounds.mcp,
  };
  const server = await startFetchServer(serverOptions, { host, port });
  return {
    url: `${server.origin}${mcpPath}`,
    stop: async () => {
      await handler.close();
      await server.stop();
    },
  };
}

/**
 * Checks requests against attacks by web pages (DNS rebinding, cross-origin posts). The host must be a name of this
 * machine, and the origin must be absent or a page of this machine. The token keeps out other users of this machine.
 */
function createGate(host: string, token: string): (request: Request) => Response | null {
  const hosts = [...localhostAllowedHostnames(), host];
  const origins = [...localhostAllowedOrigins(), host];
  return (request) => {
    const refusal =
      hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins);
    if (refusal !== undefined) return refusal;
    if (!hasBearerToken(request.headers.get('authorization'), token)) return createTokenRefusal();
    if (new URL(request.url).pathname === mcpPath) return null;
    return createErrorResponse(404, 'NOT_FOUND', `MCP is served at ${mcpPath}.`);
  };
}

function createTokenRefusal(): Response {
  const message =
    'Send the token that the server printed when it started: Authorization: Bearer TOKEN';
  const response = createErrorResponse(401, 'UNAUTHORIZED', message);
  response.headers.set('www-authenticate', 'Bearer');
  return response;
}
