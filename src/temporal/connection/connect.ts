// Connects commands and workers to Temporal, or quickly reports why the connection fails.

import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { type Proxy, ProxyError } from '../../api/network/proxy.ts';
import { findGrpcStatus, grpcCode, hasGrpcCode } from '../../failures/grpc-status.ts';
import type { Environment } from '../../settings/environment.ts';
import { callWithTimeout } from '../call-with-timeout.ts';
import { createDataConverter } from '../codec/data-converter.ts';
import { probeAddress, probeCertificates } from './address-probe.ts';
import { apiKeyFileVariable } from './api-key-file.ts';
import { readClientCertificate } from './client-certificate.ts';
import { type ActingProgram, createClientIdentity } from './client-identity.ts';
import {
  NamespaceNotFoundError,
  TemporalCertificateError,
  TemporalClientCertificateError,
  TemporalDeniedError,
  TemporalUnreachableError,
} from './connect-errors.ts';
import { readTemporalSettings, type TemporalSettings } from './read-temporal-settings.ts';
import { findTemporalProxy, toClientProxyOptions, toWorkerProxyOptions } from './temporal-proxy.ts';

export interface ConnectOptions {
  env: Environment;
  /** Timeout of each response, 5 s by default. A slow server is asked once more, with five times this timeout. */
  timeoutMs?: number;
  /** The program that acts for a person. Defaults to the command line. */
  via?: ActingProgram | undefined;
}

export interface TemporalConnection {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
  readonly address: string;
  close(): Promise<void>;
}

export interface WorkerConnection {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly address: string;
  /** Must be called only after all workers of this connection have shut down. */
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;
/** The second timeout is longer, because the server runs if it accepts the connection, but its machine may be busy. */
const slowFactor = 5;
const noResponse = 'no response in time';

/**
 * Connects to the server of the environment and checks its namespace. Starts no server.
 * @throws ConfigError and the errors of connect-errors.ts
 */
export async function connectTemporal(options: ConnectOptions): Promise<TemporalConnection> {
  const { env, timeoutMs = connectTimeoutMs } = options;
  const settings = readTemporalSettings(env);
  const dataConverter = createDataConverter(env);
  const pair = findClientPair(settings);
  // The certificate is checked first, because an error of the connection would not say that the certificate is wrong.
  if (pair) readClientCertificate(pair, Date.now());
  const { address, namespace, apiKeyFile } = settings;
  const proxy = resolveProxy(settings, env);
  const failure = await probeAddress(address, timeoutMs, proxy);
  if (failure) throw unreachableError(settings, failure);
  const connection = Connection.lazy({
    ...settings.connectionOptions,
    ...toClientProxyOptions(proxy, address),
    ...(apiKeyFile ? { apiKey: () => apiKeyFile.current() } : {}),
    connectTimeout: timeoutMs,
    interceptors: [createRetryInterceptor()],
  });
  const tlsFailure = probeTls(settings, timeoutMs, proxy);
  try {
    await raceWithTlsFailure(tlsFailure, async () => {
      await connection.ensureConnected().catch((error: unknown) => {
        // The connection may only be slow. The next request has its own timeout and reports the cause.
        if (!hasGrpcCode(error, grpcCode.deadlineExceeded)) throw error;
      });
      const checkNamespace = (ms: number) =>
        callWithTimeout(connection, ms, () =>
          connection.workflowService.describeNamespace({ namespace }),
        );
      await checkNamespace(timeoutMs).catch((error: unknown) => {
        if (findGrpcStatus(error)?.details !== noResponse) throw error;
        return checkNamespace(slowFactor * timeoutMs);
      });
    });
  } catch (error) {
    await connection.close();
    throw (await tlsFailure) ?? toConnectError(error, settings);
  }
  return {
    client: new Client({
      connection,
      namespace,
      identity: createClientIdentity(env, options.via),
      dataConverter,
    }),
    connection,
    namespace,
    address,
    close: () => connection.close(),
  };
}

/** Connects a worker. Makes the checks of `connectTemporal`, then opens the SDK's native connection. */
export async function connectWorker(options: ConnectOptions): Promise<WorkerConnection> {
  const { env, timeoutMs = connectTimeoutMs } = options;
  const settings = readTemporalSettings(env);
  const trialConnection = await connectTemporal(options);
  await trialConnection.close();
  // The package is imported lazily, because only workers need the native part of the SDK.
  const { NativeConnection } = await import('@temporalio/worker');
  const connecting = NativeConnection.connect({
    ...settings.connectionOptions,
    ...toWorkerProxyOptions(resolveProxy(settings, env)),
  });
  const connection = await withTimeout(timeoutMs, connecting).catch((error: unknown) => {
    throw toConnectError(error, settings);
  });
  if (!connection) {
    // The connection may still succeed later, in which case it is closed.
    connecting.then((lateConnection) => lateConnection.close()).catch(() => undefined);
    throw unreachableError(settings, `no response within ${timeoutMs / 1_000} s`);
  }
  const { namespace, address, apiKeyFile } = settings;
  const stopWatching = apiKeyFile?.watch((key) => {
    // A connection that is closing rejects a new key, which does not matter.
    connection.setApiKey(key).catch(() => undefined);
  });
  const close = () => {
    stopWatching?.();
    return connection.close();
  };
  return { connection, namespace, address, close };
}

async function withTimeout<T>(timeoutMs: number, operation: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  return Promise.race([operation, timeout]).finally(() => clearTimeout(timer));
}

type Interceptor = ReturnType<typeof makeGrpcRetryInterceptor>;

/** These requests may have taken effect although the server ran out of time, and then need a new conflict token. */
const routingChange = /\/SetWorkerDeployment/;

/**
 * gRPC retries a rejected request until its deadline, and then reports only the exceeded deadline. This interceptor
 * adds the server's last rejection to that error. It also retries a request for which the server ran out of its own
 * time, for example because an internal worker of the server did not respond to a query within 30 s.
 */
function createRetryInterceptor(): Interceptor {
  const retries = defaultGrpcRetryOptions();
  // Shared by all calls: a connection sends its first request anew, with a new deadline, until the server is ready.
  let refusal: string | undefined;
  return (options, nextCall) => {
    const retryInterceptor = makeGrpcRetryInterceptor({
      ...retries,
      retryableDecider: (attempt, status) => {
        const isTimeout = status.code === grpcCode.deadlineExceeded;
        if (isTimeout) status.details = refusal ?? noResponse;
        const isRetry = isTimeout
          ? !routingChange.test(options.method_definition.path) &&
            Number(options.deadline) > Date.now()
          : retries.retryableDecider(attempt, status);
        if (isRetry) refusal = status.details;
        else if (status.code === grpcCode.ok) refusal = undefined;
        return isRetry;
      },
    });
    let attempts = 0;
    return retryInterceptor(options, (callOptions) => {
      attempts += 1;
      if (attempts === 1) return nextCall(callOptions);
      try {
        return nextCall(callOptions);
      } catch (error) {
        return createCancelledCall(error);
      }
    });
  };
}

/** Creates a cancelled call. It replaces the error of a retry after the close, which would end the process. */
function createCancelledCall(cause: unknown): ReturnType<Parameters<Interceptor>[1]> {
  const details = cause instanceof Error ? cause.message : String(cause);
  const nothing = () => undefined;
  return {
    start: (metadata, listener) =>
      listener?.onReceiveStatus?.({ code: grpcCode.cancelled, details, metadata }),
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    halfClose: nothing,
    startRead: nothing,
    cancelWithStatus: nothing,
    getPeer: () => '',
    getAuthContext: () => null,
  };
}

/** Finds the proxy for Temporal. @throws TemporalUnreachableError if a variable does not specify an http proxy */
function resolveProxy(settings: TemporalSettings, env: Environment): Proxy | null {
  try {
    return findTemporalProxy(settings, env);
  } catch (error) {
    throw error instanceof ProxyError ? unreachableError(settings, error.message) : error;
  }
}

function unreachableError(settings: TemporalSettings, reason: string): TemporalUnreachableError {
  return new TemporalUnreachableError(settings.address, settings.addressOrigin, reason);
}

const deniedCodes: ReadonlySet<number> = new Set([
  grpcCode.permissionDenied,
  grpcCode.unauthenticated,
]);

/** Finds the cause of a failed TLS handshake, because gRPC hides the cause and retries until its deadline. */
async function probeTls(
  settings: TemporalSettings,
  timeoutMs: number,
  proxy: Proxy | null,
): Promise<Error | null> {
  const { address, connectionOptions } = settings;
  const { tls } = connectionOptions;
  if (!tls) return null;
  const tlsFailure = await probeCertificates(address, tls === true ? {} : tls, timeoutMs, proxy);
  if (tlsFailure === undefined) return null;
  if (tlsFailure !== 'client') return new TemporalCertificateError(address, tlsFailure.server);
  const pair = findClientPair(settings);
  return new TemporalClientCertificateError(
    address,
    pair ? readClientCertificate(pair, Date.now()) : null,
  );
}

function findClientPair({ connectionOptions: { tls } }: TemporalSettings) {
  return typeof tls === 'object' && tls !== null ? tls.clientCertPair : undefined;
}

/** Waits for the work, but throws as soon as the TLS probe reports an error. */
async function raceWithTlsFailure(
  tlsFailure: Promise<Error | null>,
  task: () => Promise<void>,
): Promise<void> {
  const rejection = tlsFailure.then((error) => {
    if (error !== null) throw error;
    return new Promise<never>(() => {});
  });
  await Promise.race([task(), rejection]);
}

function toConnectError(error: unknown, settings: TemporalSettings): Error {
  const { address, namespace, namespaceOrigin, apiKeyFile } = settings;
  const { code, details } = findGrpcStatus(error) ?? { code: grpcCode.ok, details: '' };
  if (code === grpcCode.notFound)
    return new NamespaceNotFoundError(namespace, namespaceOrigin, address);
  if (deniedCodes.has(code)) {
    const keyFrom = apiKeyFile && `${apiKeyFileVariable} (${apiKeyFile.path})`;
    return new TemporalDeniedError(settings, details, { keyFrom, cause: error });
  }
  const message = details || (error instanceof Error ? error.message : String(error));
  return unreachableError(
    settings,
    /before the deadline/.test(message) ? describeSilence(settings) : message,
  );
}

// The TCP probe succeeded, so a server listens. The usual cause is that only one side uses TLS.
function describeSilence({ connectionOptions }: TemporalSettings): string {
  const tls = connectionOptions.tls
    ? 'TLS is on here, but the server may not use TLS'
    : 'TLS is off here: set TEMPORAL_TLS=true if the server uses TLS';
  return `a server accepts connections but does not respond like Temporal. ${tls}`;
}
