// Tests failures to connect. Successful connections are tested in test/extended/temporal-server.test.ts.

import { createServer, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findKnownFailure } from '../../src/failures/classify-error.ts';
import { findGrpcStatus } from '../../src/failures/grpc-status.ts';
import { callWithTimeout } from '../../src/temporal/call-with-timeout.ts';
import { connectTemporal, connectWorker } from '../../src/temporal/connection/connect.ts';
import {
  NamespaceNotFoundError,
  TemporalDeniedError,
  TemporalUnreachableError,
} from '../../src/temporal/connection/connect-errors.ts';
import { findFreePorts } from '../../src/temporal/server/free-ports.ts';
import { startProxy } from '../api/_proxy.ts';
import { type GrpcResponse, grpcServer } from './_grpc-server.ts';
import { onLoopback } from './_loopback.ts';

describe('without a server', () => {
  test.each([
    ['connectTemporal', connectTemporal],
    ['connectWorker', connectWorker],
  ])(
    '%s without a server fails immediately, with the commands to type',
    async (_name, connectIt) => {
      const [port] = await findFreePorts(1);
      const env = { TEMPORAL_ADDRESS: `127.0.0.1:${port}` };
      const error = await connectIt({ env }).catch((thrown: unknown) => thrown);
      if (!(error instanceof TemporalUnreachableError)) throw error;
      expect(error.message).toBe(
        `No Temporal server responds at 127.0.0.1:${port} (from TEMPORAL_ADDRESS): connection refused`,
      );
      expect(error.fix.split('\n').map((line) => line.replace(/ +#.*/, ''))).toEqual([
        'Start that server, or correct the network between it and this machine.',
        'unset TEMPORAL_ADDRESS; renderline dev',
        'export TEMPORAL_ADDRESS=HOST:7233',
      ]);
    },
  );

  test.each([
    ['no-such-host.invalid:7233', /unknown host/],
    ['127.0.0.1:99999', /not a host:port address/],
    [':7233', /not a host:port address/],
  ])('the connection to %s fails with the reason', async (address, reason) => {
    const connecting = connectTemporal({ env: { TEMPORAL_ADDRESS: address } });
    await expect(connecting).rejects.toThrow(reason);
    await expect(connecting).rejects.toBeInstanceOf(TemporalUnreachableError);
  });
});

describe('with another server', () => {
  test.each([
    ['sends no response', () => undefined],
    [
      'closes connections',
      (server: Server) => server.on('connection', (socket) => socket.destroy()),
    ],
    [
      'speaks HTTP/1',
      (server: Server) =>
        server.on('connection', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    ],
  ])('a connection to another server that %s fails within the timeout', async (_what, behave) => {
    const address = await listen(behave);
    const startedAt = performance.now();
    const env = { TEMPORAL_ADDRESS: address };
    const error = await connectTemporal({ env, timeoutMs: 300 }).catch((thrown: unknown) => thrown);
    if (!(error instanceof TemporalUnreachableError)) throw error;
    expect(error.message).toContain('does not respond like Temporal. TLS is off here');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('behind a proxy', () => {
  const secret = 'pr0xyCanary';
  async function proxied() {
    const proxy = await startProxy();
    onTestFinished(() => proxy.close());
    return { proxy, grpc_proxy: proxy.url.replace('//', `//user:${secret}@`) };
  }
  const connect = (env: Record<string, string>) =>
    connectTemporal({ env, timeoutMs: 2_000 }).catch((thrown: unknown) => thrown);

  test.each([
    ['connectTemporal', connectTemporal],
    ['connectWorker', connectWorker],
  ])('%s connects through the proxy, with user and password', async (_name, connectIt) => {
    const port = (await grpcServer(() => ({ status: 0 }))).split(':').at(-1);
    const { proxy, grpc_proxy } = await proxied();
    const address = `temporal.invalid:${port}`;
    const temporal = await connectIt({ env: { TEMPORAL_ADDRESS: address, grpc_proxy } });
    await temporal.close();
    expect(new Set(proxy.tunnels)).toEqual(new Set([address]));
    expect(new Set(proxy.users)).toEqual(new Set([`user:${secret}`]));
  });

  test.each([
    ['the proxy for HTTPS is used for TLS', { TEMPORAL_TLS: 'true' }, true],
    ['no proxy is used without TLS, since the server is in the same network', {}, false],
    [
      'no proxy is used for a host on NO_PROXY',
      { TEMPORAL_TLS: 'true', NO_PROXY: 'invalid' },
      false,
    ],
  ])('%s', async (_name, more, isProxied) => {
    const { proxy } = await proxied();
    const env = { TEMPORAL_ADDRESS: 'temporal.invalid:7233', HTTPS_PROXY: proxy.url, ...more };
    const error = await connect(env);
    expect(error).toBeInstanceOf(TemporalUnreachableError);
    expect(proxy.tunnels.includes('temporal.invalid:7233')).toBe(isProxied);
  });

  test.each([
    [407, /the proxy 127\.0\.0\.1:\d+ \(grpc_proxy\) asks for a user and a password/],
    [403, /the proxy .* refuses connections to temporal\.invalid:7233/],
  ])('the error about a proxy that responds with %d contains the reason', async (status, words) => {
    const { proxy, grpc_proxy } = await proxied();
    proxy.status = status;
    const error = await connect({ TEMPORAL_ADDRESS: 'temporal.invalid:7233', grpc_proxy });
    if (!(error instanceof TemporalUnreachableError)) throw error;
    expect(error.message).toMatch(words);
    expect(`${error.message} ${error.stack}`).not.toContain(secret);
  });
});

describe('a server that has just started', () => {
  const starting: GrpcResponse = { status: 14, details: 'Frontend is not healthy yet' };
  const fine: GrpcResponse = { status: 0 };

  test('a new server may use the whole timeout for each response', async () => {
    const address = await grpcServer(() => ({ ...fine, afterMs: 900 }));
    const env = { TEMPORAL_ADDRESS: address };
    const temporal = await connectTemporal({ env, timeoutMs: 1_500 });
    await temporal.close();
  });

  test('a new server may take longer than the timeout', async () => {
    const address = await grpcServer(() => ({ ...fine, afterMs: 900 }));
    const env = { TEMPORAL_ADDRESS: address };
    const temporal = await connectTemporal({ env, timeoutMs: 300 });
    await temporal.close();
  });

  test('a new server receives the requests that it could not serve again', async () => {
    let asked = 0;
    const address = await grpcServer((method) =>
      method === 'DescribeNamespace' && ++asked < 3 ? starting : fine,
    );
    const temporal = await connectTemporal({ env: { TEMPORAL_ADDRESS: address } });
    await temporal.close();
    expect(asked).toBe(3);
  });

  test.each([
    ['that is not ready at first contact', starting, null, /: Frontend is not healthy yet$/],
    ['that sends no response', null, null, /: no response in time$/],
    ['that stops responding', fine, null, /: no response in time$/],
    ['whose namespace does not become ready', fine, starting, /: Frontend is not healthy yet$/],
  ])('a new server %s causes an error with its message', async (_what, about, namespace, words) => {
    const address = await grpcServer((method) => (method === 'GetSystemInfo' ? about : namespace));
    const startedAt = performance.now();
    const env = { TEMPORAL_ADDRESS: address };
    const error = await connectTemporal({ env, timeoutMs: 300 }).catch((thrown: unknown) => thrown);
    if (!(error instanceof TemporalUnreachableError)) throw error;
    expect(error.message).toMatch(words);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

const denied = new TemporalDeniedError(
  { address: 'a:1', namespace: 'team' },
  'Request unauthorized.',
  {
    keyFrom: null,
    cause: undefined,
  },
);

describe('the messages of the errors', () => {
  test.each([
    [
      new TemporalUnreachableError('localhost:7233', 'default', 'connection refused'),
      'No Temporal server responds at localhost:7233 (the default address): connection refused',
    ],
    [
      new NamespaceNotFoundError('tema', 'TEMPORAL_NAMESPACE', 'a:1'),
      'The namespace "tema" (from TEMPORAL_NAMESPACE) does not exist on the Temporal server at a:1.',
    ],
    [denied, 'Temporal at a:1 refuses access to namespace "team": Request unauthorized.'],
  ])('the error $name states its reason, and its fix refers to a setting', (error, message) => {
    expect(error.message).toBe(message);
    expect(findKnownFailure(error)?.fix).toMatch(/TEMPORAL_/);
  });
});

async function listen(behave: (server: Server) => unknown): Promise<string> {
  const server = createServer();
  // The client closes the connection, as expected.
  server.on('connection', (socket) => socket.on('error', () => undefined));
  behave(server);
  return onLoopback(server);
}

test('a call that waits for its next attempt ends when its connection is closed', async () => {
  let attempts = 0;
  const address = await grpcServer((method) => {
    if (method !== 'DescribeTaskQueue') return { status: 0 };
    attempts += 1;
    return { status: 14, details: 'busy' };
  });
  const temporal = await connectTemporal({ env: { TEMPORAL_ADDRESS: address } });
  const calling = temporal.connection.workflowService.describeTaskQueue({});
  const failing = calling.catch((error: unknown) => error);
  await expect.poll(() => attempts).toBeGreaterThan(1);
  await temporal.close();
  expect(await failing).toMatchObject({ code: 1, details: expect.stringContaining('shut down') });
});

describe('a server that runs out of its own time', () => {
  const outOfTime: GrpcResponse = { status: 4, details: 'context deadline exceeded' };

  /** Sends a request to a server that times out at first. Returns the outcome and the number of attempts. */
  async function ask(
    timeouts: number,
    timeoutMs: number,
    method: 'describeSchedule' | 'signalWorkflowExecution' | 'setWorkerDeploymentCurrentVersion',
  ) {
    let attempts = 0;
    const address = await grpcServer((called) => {
      if (called.toLowerCase() !== method.toLowerCase()) return { status: 0 };
      attempts += 1;
      return attempts > timeouts ? { status: 0 } : outOfTime;
    });
    const temporal = await connectTemporal({ env: { TEMPORAL_ADDRESS: address } });
    onTestFinished(() => temporal.close());
    const { connection } = temporal;
    const { workflowService } = connection;
    // The methods have no common type of requests, and an empty request is valid for each of them.
    const request = workflowService[method].bind(workflowService) as (
      empty: object,
    ) => Promise<unknown>;
    const error = await callWithTimeout(connection, timeoutMs, () => request({})).then(
      () => null,
      (thrown: unknown) => findGrpcStatus(thrown),
    );
    return { error, attempts };
  }

  const unanswered = { code: 4, details: 'no response in time' };
  test.each([
    ['describeSchedule', 1, 10_000, { error: null, attempts: 2 }],
    ['signalWorkflowExecution', 2, 10_000, { error: null, attempts: 3 }],
    ['describeSchedule', Infinity, 300, { error: unanswered, attempts: expect.any(Number) }],
    ['setWorkerDeploymentCurrentVersion', 1, 10_000, { error: unanswered, attempts: 1 }],
  ] as const)(
    'receives %s again after %d timeouts, within %d ms',
    async (method, timeouts, timeoutMs, expected) => {
      expect(await ask(timeouts, timeoutMs, method)).toEqual(expected);
    },
  );
});
