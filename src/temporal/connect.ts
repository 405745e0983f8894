// Connects commands and workers to Temporal, or reports within seconds why the connection fails.
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { looseFields } from '../api/loose-fields.ts';
import { type Proxy, ProxyError } from '../api/proxy.ts';
import type { Environment } from '../settings/cache-dir.ts';
import { probeAddress, probeCertificates } from './address-probe.ts';
import { apiKeyFileVariable } from './api-key-file.ts';
import { readPair } from './client-certificate.ts';
import { dataConverterOf } from './codec/data-converter.ts';
import {
  NamespaceNotFoundError,
  TemporalCertificateError,
  TemporalClientCertificateError,
  TemporalDeniedError,
  TemporalUnreachableError,
} from './connect-errors.ts';
import { identityHere, type Program } from './person.ts';
import { clientWay, temporalProxy, workerWay } from './temporal-proxy.ts';
import { type TemporalSettings, temporalSettings } from './temporal-settings.ts';

export interface ConnectOptions {
  env: Environment;
  /** Timeout of each response; default 5 s. */
  timeoutMs?: number;
  /** The program that acts for a person; absent: the command line. */
  via?: Program | undefined;
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
  /** Only after all its workers have shut down. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;

/**
 * Connects to the server of the environment and checks its namespace. Starts no server.
 * @throws TemporalUnreachableError, NamespaceNotFoundError, TemporalDeniedError or ConfigError
 */
export async function connectTemporal(options: ConnectOptions): Promise<TemporalConnection> {
  const { env, timeoutMs = TIMEOUT_MS } = options;
  const settings = temporalSettings(env);
  const dataConverter = dataConverterOf(env);
  const pair = pairOf(settings);
  // Checked first, because an error of the connection would not say that the certificate is wrong.
  if (pair) readPair(pair, Date.now());
  const { address, namespace, apiKeyFile } = settings;
  const proxy = proxyOf(settings, env);
  const failure = await probeAddress(address, timeoutMs, proxy);
  if (failure) throw unreachable(settings, failure);
  const connection = Connection.lazy({
    ...settings.connectionOptions,
    ...clientWay(proxy, address),
    ...(apiKeyFile ? { apiKey: () => apiKeyFile.current() } : {}),
    connectTimeout: timeoutMs,
    interceptors: [tellingRetries()],
  });
  const trouble = tlsError(settings, timeoutMs, proxy);
  try {
    await sooner(trouble, async () => {
      await connection.ensureConnected().catch((error: unknown) => {
        // The connection may only be slow. The next request has its own timeout and reports the cause.
        if (grpcStatus(error).code !== TIME_IS_UP) throw error;
      });
      await connection.withDeadline(Date.now() + timeoutMs, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
    });
  } catch (error) {
    await connection.close();
    throw (await trouble) ?? explain(error, settings);
  }
  return {
    client: new Client({
      connection,
      namespace,
      identity: identityHere(env, options.via),
      dataConverter,
    }),
    connection,
    namespace,
    address,
    close: () => connection.close(),
  };
}

/** Connects a worker: makes the checks of `connectTemporal`, then opens the SDK's native connection. */
export async function connectWorker(options: ConnectOptions): Promise<WorkerConnection> {
  const { env, timeoutMs = TIMEOUT_MS } = options;
  const settings = temporalSettings(env);
  const checked = await connectTemporal(options);
  await checked.close();
  // Imported lazily, because only workers need the native part of the SDK.
  const { NativeConnection } = await import('@temporalio/worker');
  const connecting = NativeConnection.connect({
    ...settings.connectionOptions,
    ...workerWay(proxyOf(settings, env)),
  });
  const connection = await within(timeoutMs, connecting).catch((error: unknown) => {
    throw explain(error, settings);
  });
  if (!connection) {
    // The connection may still succeed later; close it then.
    connecting.then((late) => late.close()).catch(() => undefined);
    throw unreachable(settings, `no response within ${timeoutMs / 1_000} s`);
  }
  const { namespace, address, apiKeyFile } = settings;
  const unfollow = apiKeyFile?.follow((key) => {
    // A connection that is closing rejects a new key, which does not matter.
    connection.setApiKey(key).catch(() => undefined);
  });
  const close = () => {
    unfollow?.();
    return connection.close();
  };
  return { connection, namespace, address, close };
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * gRPC retries a rejected request until its deadline, and then reports only the exceeded deadline. This interceptor puts the
 * server's last rejection into that error.
 */
function tellingRetries(): ReturnType<typeof makeGrpcRetryInterceptor> {
  const retries = defaultGrpcRetryOptions();
  let refusal: string | undefined;
  return makeGrpcRetryInterceptor({
    ...retries,
    retryableDecider: (attempt, status) => {
      if (status.code === TIME_IS_UP) status.details = refusal ?? 'no response in time';
      const isAgain = retries.retryableDecider(attempt, status);
      if (isAgain) refusal = status.details;
      else if (status.code === FINE) refusal = undefined;
      return isAgain;
    },
  });
}

/** @throws TemporalUnreachableError if a proxy variable has no valid address */
function proxyOf(settings: TemporalSettings, env: Environment): Proxy | null {
  try {
    return temporalProxy(settings, env);
  } catch (error) {
    throw error instanceof ProxyError ? unreachable(settings, error.message) : error;
  }
}

function unreachable(settings: TemporalSettings, reason: string): TemporalUnreachableError {
  return new TemporalUnreachableError(settings.address, settings.addressOrigin, reason);
}

// gRPC status codes.
const FINE = 0;
const TIME_IS_UP = 4;
const NOT_FOUND = 5;
const DENIED = new Set([7, 16]);

/** Finds the cause of a failed TLS handshake, because gRPC hides the cause and retries until its deadline. */
async function tlsError(
  settings: TemporalSettings,
  timeoutMs: number,
  proxy: Proxy | null,
): Promise<Error | null> {
  const { address, connectionOptions } = settings;
  const { tls } = connectionOptions;
  if (!tls) return null;
  const trouble = await probeCertificates(address, tls === true ? {} : tls, timeoutMs, proxy);
  if (trouble === undefined) return null;
  if (trouble !== 'client') return new TemporalCertificateError(address, trouble.server);
  const pair = pairOf(settings);
  return new TemporalClientCertificateError(address, pair ? readPair(pair, Date.now()) : null);
}

function pairOf({ connectionOptions: { tls } }: TemporalSettings) {
  return typeof tls === 'object' && tls !== null ? tls.clientCertPair : undefined;
}

/** Waits for the work, but throws as soon as the TLS probe reports an error. */
async function sooner(trouble: Promise<Error | null>, work: () => Promise<void>): Promise<void> {
  const known = trouble.then((error) => {
    if (error !== null) throw error;
    return new Promise<never>(() => {});
  });
  await Promise.race([work(), known]);
}

function explain(error: unknown, settings: TemporalSettings): Error {
  const { address, namespace, namespaceOrigin, apiKeyFile } = settings;
  const { code, details } = grpcStatus(error);
  if (code === NOT_FOUND) return new NamespaceNotFoundError(namespace, namespaceOrigin, address);
  if (DENIED.has(code)) {
    const keyFrom = apiKeyFile && `${apiKeyFileVariable} (${apiKeyFile.path})`;
    return new TemporalDeniedError(settings, details, { keyFrom, cause: error });
  }
  const message = details || (error instanceof Error ? error.message : String(error));
  return unreachable(settings, /before the deadline/.test(message) ? silent(settings) : message);
}

// The TCP probe succeeded, so a server listens. The usual cause is that only one side uses TLS.
function silent({ connectionOptions }: TemporalSettings): string {
  const tls = connectionOptions.tls ? 'TLS is on' : 'TLS is off (TEMPORAL_TLS)';
  return `a server listens there but did not respond like Temporal in time; ${tls} on this side`;
}

// The client wraps the gRPC error, so the status is on the error or on its cause.
function grpcStatus(error: unknown): { code: number; details: string } {
  for (const candidate of [error, looseFields(error)['cause']]) {
    const { code, details } = looseFields(candidate);
    if (typeof code === 'number') {
      return { code, details: typeof details === 'string' ? details : '' };
    }
  }
  return { code: -1, details: '' };
}
