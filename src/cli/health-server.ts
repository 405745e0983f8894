// Answers the probes of containers and clusters: whether the process lives, and whether it does its work.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { listen } from '../settings/listen.ts';

export interface HealthServer {
  port: number;
  /** Address of /readyz. */
  url: string;
  close(): Promise<void>;
}

/** Answers GET /healthz (the process lives) and GET /readyz: 200, or 503 with the problem. `problem` gives null where there is none. */
export async function startHealthServer(
  { host, port }: { host: string; port: number },
  whatIsWrong: () => string | null,
): Promise<HealthServer> {
  const server = createServer({ requestTimeout: 5_000 }, (request, response) => {
    const [status, text] = answerOf(request.url, whatIsWrong);
    response.writeHead(status, { 'content-type': 'text/plain' });
    response.end(`${text}\n`);
  });
  const bound = await listen(server, { host, port });
  return {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/readyz`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function answerOf(path: string | undefined, whatIsWrong: () => string | null): [number, string] {
  if (path === '/healthz') return [200, 'ok'];
  if (path !== '/readyz') return [404, 'not found'];
  const wrong = whatIsWrong();
  return wrong === null ? [200, 'ok'] : [503, `not ready: ${wrong}`];
}
