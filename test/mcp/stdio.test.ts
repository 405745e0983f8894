// A connection over stdio ends when its client has closed stdin and has its answers, or can no longer be answered.
import { PassThrough, Writable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { createServerFactory } from '../../src/mcp/server.ts';
import { serveOverStdio } from '../../src/mcp/stdio.ts';
import { clientOf, startServer } from '../api/_server.ts';
import { contextOf } from './_connect.ts';

const call = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const clientInfo = { name: 'test', version: '1' };
const hello = call(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo,
});
let stdin: PassThrough;

beforeEach(() => {
  stdin = new PassThrough();
});

async function serve(stdout: Writable): Promise<void> {
  const context = contextOf(clientOf(await startServer()));
  const factory = createServerFactory({
    ...context,
    workspace: async () => 'w',
    version: '0',
    tools: [],
  });
  const stop = new AbortController().signal;
  await serveOverStdio(factory, { stdin, stdout, stop, onError: () => {} });
}

test('each of several requests gets one response after stdin has ended', async () => {
  const stdout = new PassThrough();
  const served = serve(stdout);
  const requests = Array.from({ length: 20 }, (_, index) => call(index + 2, 'ping'));
  stdin.end(hello + requests.join(''));
  await served;
  const lines = String(stdout.read()).trimEnd().split('\n');
  const ids = lines.map((line) => JSON.parse(line).id as number).sort((a, b) => a - b);
  expect(ids).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
});

test('a connection ends if a response cannot be written', async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, done) => done(new Error('EPIPE')),
  });
  const served = serve(broken);
  stdin.end(hello + call(2, 'ping'));
  await expect(served).resolves.toBeUndefined();
});

test('a connection ends if its client exits without closing stdin', async () => {
  const served = serve(new PassThrough());
  stdin.write(hello);
  stdin.destroy();
  await expect(served).resolves.toBeUndefined();
});
