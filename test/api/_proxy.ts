// A small company proxy: opens tunnels (CONNECT) to this machine for any host name, and records them.
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface TestProxy {
  /** URL without user and password. */
  url: string;
  host: string;
  /** Host and port of each requested tunnel. */
  tunnels: string[];
  /** User and password of these requests. */
  users: (string | undefined)[];
  /** Status of the response to each request. 200 opens the tunnel. */
  status: number;
  close(): Promise<void>;
}

export async function startProxy(): Promise<TestProxy> {
  const open = new Set<Duplex>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '', headers }, client: Duplex) => {
    open.add(client);
    client.on('error', () => undefined).on('close', () => open.delete(client));
    proxy.tunnels.push(url);
    const [, token = ''] = headers['proxy-authorization']?.split(' ') ?? [];
    proxy.users.push(token === '' ? undefined : Buffer.from(token, 'base64').toString());
    if (proxy.status !== 200) {
      client.end(`HTTP/1.1 ${proxy.status} No\r\nproxy-authenticate: Basic\r\n\r\n`);
      return;
    }
    const target = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: TestProxy = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    tunnels: [],
    users: [],
    status: 200,
    async close() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** All proxy variables, none of them set. */
export const noProxies: Readonly<Record<string, undefined>> = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'no_proxy', 'grpc_proxy'].flatMap((name) => [
    [name, undefined],
    [name.toUpperCase(), undefined],
  ]),
);
