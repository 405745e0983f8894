// A proxy in front of a sandbox that adds the missing operation: adding variants to projects.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface AddRequest {
  path: string;
  key: string | undefined;
  body: Record<string, unknown>;
}

/** What the proxy does with a request to add variants. `lose` does the work and never responds. */
type AddFault = 'lose' | 'empty' | { status: number; code: string };

export interface AddVariantsProxy {
  /** API root, like that of the sandbox. */
  url: string;
  /** All requests to add variants, including those with an altered response. */
  addRequests: AddRequest[];
  /** Effects on the next requests, one each; later requests succeed. */
  faults: AddFault[];
  close(): Promise<void>;
}

const adding = /^POST \/api\/v1\/(?:projects\/([^/]+)\/variants|project-variants)$/;

/** @param origin of the sandbox */
export async function openAddVariantsProxy(origin: string): Promise<AddVariantsProxy> {
  const added: AddRequest[] = [];
  const fates: AddFault[] = [];

  async function add(
    projectId: string | undefined,
    incoming: IncomingMessage,
    out: ServerResponse,
  ) {
    const body = JSON.parse(await text(incoming)) as Record<string, unknown>;
    // The sandbox behind the proxy has its own clock.
    out.sendDate = false;
    const key = incoming.headers['idempotency-key']?.toString();
    added.push({ path: incoming.url ?? '', key, body });
    const fate = fates.shift();
    if (typeof fate === 'object') {
      const { status, code } = fate;
      out.writeHead(status, { 'content-type': 'application/json' });
      out.end(JSON.stringify({ error: { code, message: 'as the test wants it' } }));
      return;
    }
    const { ids } = (body['add'] ?? {}) as { ids?: unknown };
    const project = projectId ?? String(body['project']);
    const answer = await fetch(`${origin}/_sandbox/projects/${project}/variants`, {
      method: 'POST',
      body: JSON.stringify({ variantIds: body['variantIds'] ?? ids }),
    });
    if (fate === 'lose') {
      out.destroy();
      return;
    }
    out.writeHead(fate === 'empty' ? 204 : answer.status, { 'content-type': 'application/json' });
    out.end(fate === 'empty' ? undefined : await answer.text());
  }

  function pass(incoming: IncomingMessage, out: ServerResponse): void {
    const { host: _host, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    const onward = request(new URL(url, origin), { method, headers }, (answer) => {
      out.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(out);
    });
    onward.on('error', () => out.destroy());
    incoming.pipe(onward);
  }

  const server = createServer((incoming, out) => {
    const found = adding.exec(`${incoming.method} ${incoming.url}`);
    if (found === null) pass(incoming, out);
    else add(found[1], incoming, out).catch(() => out.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    addRequests: added,
    faults: fates,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
