import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { RunningSandbox, SandboxOptions } from 'renderline/sandbox/interface';
import { errorResponse } from '../http/failure.ts';
import { findForbiddenSender } from '../http/same-machine.ts';
import { createSandboxApp } from './app.ts';

/** Serves a sandbox on this machine. Rejects if the port is taken or an option is invalid. */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const { app, apiKey, idle, deliverEvents, close } = createSandboxApp(options);
  const host = options.host ?? '127.0.0.1';
  const allowedHosts = [host, ...(options.allowHosts ?? [])];
  const listener = getRequestListener(guard(app.fetch, allowedHosts), {
    overrideGlobalObjects: false,
  });
  // The listener handles its own failures, so its promise is ignored.
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  // An hour, the default lifetime of a signed upload link. Clients also keep connections open between polls.
  server.requestTimeout = 3_600_000;
  server.keepAliveTimeout = 60_000;
  try {
    server.listen(options.port ?? 0, host);
    await once(server, 'listening');
  } catch (error) {
    await close();
    throw error;
  }
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const origin = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  return {
    url: `${origin}/api/v1`,
    origin,
    apiKey,
    idle,
    deliverEvents,
    stop: async () => {
      const closeEvent = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closeEvent;
      await close();
    },
  };
}

/** Refuses foreign web pages, for the API too, since a page can send requests even if it cannot read the responses. */
function guard<Env>(
  serve: (request: Request, env: Env) => Response | Promise<Response>,
  allowedHosts: readonly string[],
) {
  return async (request: Request, env: Env): Promise<Response> => {
    const { headers } = request;
    const sender = { host: headers.get('host'), origin: headers.get('origin') };
    const reason = findForbiddenSender(sender, allowedHosts);
    if (reason === null) return serve(request, env);
    return errorResponse(403, 'FORBIDDEN', reason);
  };
}
