// A file server on loopback for imports; /redirect/X redirects to /X.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function startFileServer(files: Readonly<Record<string, Uint8Array>>) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const bytes = files[path];
    if (path.startsWith('/redirect/')) {
      response.writeHead(302, { location: path.replace('/redirect', '') }).end();
    } else if (bytes) {
      response.writeHead(200, { 'content-length': bytes.byteLength }).end(bytes);
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // The address of a server that listens on a port always has this form.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((stopped) => {
        server.closeAllConnections();
        server.close(() => stopped());
      }),
  };
}
