// A network link between two processes that a test can block: bytes wait in it until it flows again.
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface SlowLink {
  port: number;
  /** Forwards this many more bytes of the client, then holds everything the client sends. */
  holdAfter(bytes: number): void;
  /** Resolves when the link holds bytes back. */
  holding(): Promise<void>;
  flow(): void;
  close(): Promise<void>;
}

/** Opens a link to a server on this machine. */
export async function openLink(target: URL): Promise<SlowLink> {
  let allowance = Number.POSITIVE_INFINITY;
  const held = new Map<Socket, Socket>();
  const watchers: (() => void)[] = [];
  const sockets = new Set<Socket>();

  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        held.delete(client);
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      const passed = chunk.subarray(0, Math.max(0, Math.min(chunk.length, allowance)));
      allowance -= passed.length;
      if (passed.length > 0) upstream.write(passed);
      if (passed.length === chunk.length) return;
      client.pause();
      client.unshift(chunk.subarray(passed.length));
      held.set(client, upstream);
      for (const watcher of watchers.splice(0)) watcher();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    holdAfter(bytes) {
      allowance = bytes;
    },
    holding: () =>
      held.size > 0 ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve)),
    flow() {
      allowance = Number.POSITIVE_INFINITY;
      for (const client of held.keys()) client.resume();
      held.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
