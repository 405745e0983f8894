// MCP over standard input and output: one connection. Only the protocol may be written to stdout.
import type { Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

export interface StdioOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stop: AbortSignal;
  readonly onError: (error: Error) => void;
}

/** Serves until the client closes stdin or `stop` aborts. */
export async function serveOverStdio(
  factory: () => McpServer,
  { stdin, stdout, stop, onError }: StdioOptions,
): Promise<void> {
  const whenEnded = new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve);
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  const connection = serveStdio(factory, {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: onError,
  });
  if (!stop.aborted) await whenEnded;
  await connection.close();
}
