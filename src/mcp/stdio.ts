// MCP over one connection on standard input and output. Only the protocol may be written to stdout.
import { type Readable, Transform, type Writable } from 'node:stream';
import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { asRecord } from '../api/unknown-values.ts';

export interface StdioOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stop: AbortSignal;
  readonly onError: (error: Error) => void;
}

/** Serves until the client has closed stdin and each of its requests has a response, or until `stop` aborts. */
export async function serveOverStdio(
  factory: () => McpServer,
  { stdin, stdout, stop, onError }: StdioOptions,
): Promise<void> {
  const requests = new OpenRequests();
  // The transport closes at the end of its input, and drops requests that are still open.
  const input = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => requests.whenSettled(done),
  });
  const transport = new StdioServerTransport(stdin.pipe(input), stdout);
  const connection = serveStdio(factory, { transport, onerror: onError });
  requests.follow(transport);
  const { onclose } = transport;
  const whenEnded = new Promise<void>((resolve) => {
    // The transport closes at the end of its input, or when it cannot write.
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    // Closing without an end means that the client has gone.
    const resolveIfGone = () => stdin.readableEnded || resolve();
    if (stdin.destroyed) resolveIfGone();
    else stdin.once('close', resolveIfGone);
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  if (!stop.aborted) await whenEnded;
  stdin.unpipe(input);
  await connection.close();
}

/** The requests of the client that have no response yet. */
class OpenRequests {
  readonly #ids = new Set<unknown>();
  #onSettled = () => {};

  follow(transport: StdioServerTransport): void {
    const { onmessage } = transport;
    const send = transport.send.bind(transport);
    transport.onmessage = (message) => {
      this.#addRequest(message);
      onmessage?.(message);
    };
    transport.send = async (message) => {
      try {
        await send(message);
      } finally {
        if (!('method' in message)) this.#remove(message.id);
      }
    };
  }

  /** Calls `done` once no request is open. */
  whenSettled(done: () => void): void {
    // Input that was just read must reach the transport first.
    setImmediate(() => {
      if (this.#ids.size === 0) done();
      else this.#onSettled = done;
    });
  }

  #addRequest(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    // Subscriptions and cancelled requests are not answered, so they do not count as open.
    if (message.method === 'notifications/cancelled')
      this.#remove(asRecord(message.params)['requestId']);
    else if ('id' in message && message.method !== 'subscriptions/listen')
      this.#ids.add(message.id);
  }

  #remove(id: unknown): void {
    this.#ids.delete(id);
    if (this.#ids.size > 0) return;
    const done = this.#onSettled;
    this.#onSettled = () => {};
    done();
  }
}
