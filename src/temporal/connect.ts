// Connects commands and workers to Temporal, or says within seconds why that fails.
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
  /** How long each answer may take; default 5 s. */
  timeoutMs?: number;
  /** What asks for a person; absent: the command line. */
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
 * A client for the server that the environment names, its namespace checked. Starts no server.
 * Throws TemporalUnreachableError, NamespaceNotFoundError, TemporalDeniedError or ConfigError.
 */
export async function connectTemporal(options: ConnectOptions): Promise<TemporalConnection> {
  const { env, timeoutMs = TIMEOUT_MS } = options;
  const settings = temporalSettings(env);
  const dataConverter = dataConverterOf(env);
  const pair = pairOf(settings);
  // Said before the connection is made, which would not tell why it fails.
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
        // Connected but late: the next answer, which has time of its own, tells.
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

/** The same for a worker: checks as `connectTemporal` does, then connects the worker's own way. */
export async function connectWorker(options: ConnectOptions): Promise<WorkerConnection> {
  const { env, timeoutMs = TIMEOUT_MS } = options;
  const settings = temporalSettings(env);
  const checked = await connectTemporal(options);
  await checked.close();
  // Loaded late: only workers need the native part of the SDK.
  const { NativeConnection } = await import('@temporalio/worker');
  const connecting = NativeConnection.connect({
    ...settings.connectionOptions,
    ...workerWay(proxyOf(settings, env)),
  });
  const connection = await within(timeoutMs, connecting).catch((error: unknown) => {
    throw explain(error, settings);
  });
  if (!connection) {
    // It may still come: nobody would close it then.
    connecting.then((late) => late.close()).catch(() => undefined);
    throw unreachable(settings, `no answer in ${timeoutMs / 1_000} s`);
  }
  const { namespace, address, apiKeyFile } = settings;
  const unfollow = apiKeyFile?.follow((key) => {
    // A connection that is closing takes none any more.
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
 * A request that is refused is sent again until its time is up, and of the last try, which had a moment left, gRPC says
 * only that: the error of every request says what the server said before.
 */
function tellingRetries(): ReturnType<typeof makeGrpcRetryInterceptor> {
  const retries = defaultGrpcRetryOptions();
  let refusal: string | undefined;
  return makeGrpcRetryInterceptor({
    ...retries,
    retryableDecider: (attempt, status) => {
      if (status.code === TIME_IS_UP) status.details = refusal ?? 'no answer in time';
      const isAgain = retries.retryableDecider(attempt, status);
      if (isAgain) refusal = status.details;
      else if (status.code === FINE) refusal = undefined;
      return isAgain;
    },
  });
}

/** @throws TemporalUnreachableError for a variable that names no proxy */
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

// gRPC status numbers.
const FINE = 0;
const TIME_IS_UP = 4;
const NOT_FOUND = 5;
const DENIED = new Set([7, 16]);

/** gRPC hides why a secure connection does not come about, and tries until its time is up. */
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

/** The work, unless trouble is known before it ends: then that is thrown. */
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

// The probe got through, so somebody listens: the usual reason is TLS on one side only.
function silent({ connectionOptions }: TemporalSettings): string {
  const tls = connectionOptions.tls ? 'TLS is on' : 'TLS is off (TEMPORAL_TLS)';
  return `something listens there but did not answer like Temporal in time; ${tls} on this side`;
}

// The client wraps the transport's error: the status stands on the error or on its cause.
function grpcStatus(error: unknown): { code: number; details: string } {
  for (const candidate of [error, looseFields(error)['cause']]) {
    const { code, details } = looseFields(candidate);
    if (typeof code === 'number') {
      return { code, details: typeof details === 'string' ? details : '' };
    }
  }
  return { code: -1, details: '' };
}
