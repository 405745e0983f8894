// Starts Temporal's development server, and makes sure that the server stops when this process ends.

import { chmod } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { createFolder } from '../../disk/create-folder.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';
import {
  ensureSearchAttributes,
  type SearchAttribute,
  searchAttributes,
} from '../search-attributes.ts';
import { acquireFileLock, LockTimeoutError } from './file-lock.ts';
import { findFreePorts } from './free-ports.ts';
import { type ProcessEnd, type SupervisedProcess, startSupervised } from './supervised-process.ts';

export interface DevServerOptions {
  /** The `temporal` executable, from `findTemporalServer`. */
  binary: string;
  /** SQLite file. Its folder is created. Without a file, all data is lost when the server stops. */
  dbFilename?: string;
  /** Namespace to create. @default 'default' */
  namespace?: string;
  /** True to start the Temporal UI. @default true */
  ui?: boolean;
  /** Fixed ports. By default, free ports are chosen, so that two servers on one machine do not conflict. */
  ports?: { grpc: number; ui: number };
  /** Search attributes to register. @default those of Renderline */
  searchAttributes?: readonly SearchAttribute[];
  /** Server settings by name, as JSON values. */
  dynamicConfig?: Readonly<Record<string, unknown>>;
  /** Port where the server serves /metrics. If absent, it serves no metrics. */
  metricsPort?: number;
  /** The output of the server is appended to this file. */
  logFile?: string;
  /** Time within which the server must be ready. @default 60 s */
  startTimeoutMs?: number;
  signal?: AbortSignal;
}

export interface DevServer {
  /** Address for gRPC as host:port. */
  readonly address: string;
  /** Address of the UI as http://host:port. Empty without `ui`. */
  readonly uiAddress: string;
  readonly namespace: string;
  readonly pid: number;
  /** Settles when the server has exited, after `stop` or by itself. */
  readonly exited: Promise<ProcessEnd>;
  /** Returns the last lines that the server printed. */
  output(): string;
  stop(): Promise<void>;
}

/** Thrown if the server ended, was not ready, or its file is in use. The message ends with the server's last output. */
export class DevServerError extends Error {
  override name = 'DevServerError';
  readonly failure: KnownFailure;
  readonly output: string;

  constructor(
    message: string,
    output: string,
    failure: KnownFailure = commandFailures.TEMPORAL_NOT_STARTED,
  ) {
    super(output ? `${message}\n${output}` : message);
    this.failure = failure;
    this.output = output;
  }
}

const loopbackHost = '127.0.0.1';
const defaultStartTimeoutMs = 60_000;
const maxStartAttempts = 5;
// The wait is long enough for a previous server to stop.
const maxDatabaseWaitMs = 3_000;

/** Starts the server. Resolves when it responds, its namespace is ready and the search attributes exist. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const release = options.dbFilename ? await lockDatabase(options.dbFilename) : undefined;
  try {
    const server = await startOnFreePorts(options);
    if (!release) return server;
    server.exited.then(release, release).catch(() => undefined);
    return { ...server, stop: () => server.stop().then(release) };
  } catch (error) {
    await release?.();
    throw error;
  }
}

// Two servers with the same file would start without an error and then overwrite each other's state.
async function lockDatabase(dbFilename: string): Promise<() => Promise<void>> {
  const file = resolve(dbFilename);
  await restrictAccess(file);
  return acquireFileLock(`${file}.lock`, { waitLimitMs: maxDatabaseWaitMs }).catch(
    (error: unknown) => {
      if (!(error instanceof LockTimeoutError)) throw error;
      const reason = `a Temporal server started by ${error.holder} uses ${file}`;
      throw new DevServerError(`${reason}; stop that server or choose another file`, '');
    },
  );
}

/** Restricts access to this user, even for files that already exist. */
async function restrictAccess(file: string): Promise<void> {
  await createFolder(dirname(file), 0o700);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    await chmod(path, 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

async function startOnFreePorts(options: DevServerOptions): Promise<DevServer> {
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    const ports = options.ports ?? (await choosePorts());
    try {
      return await startOnce(options, ports);
    } catch (error) {
      // A taken port leads to another attempt, because another process may take a port between the choice and its use.
      if (!isPortTaken(error) || options.ports || attempt === maxStartAttempts) throw error;
    }
  }
}

/** True if the server did not start because its port is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof DevServerError && /address already in use/i.test(error.output);
}

async function choosePorts(): Promise<{ grpc: number; ui: number }> {
  const [grpc = 0, ui = 0] = await findFreePorts(2, loopbackHost);
  return { grpc, ui };
}

async function startOnce(
  options: DevServerOptions,
  ports: { grpc: number; ui: number },
): Promise<DevServer> {
  const { binary, namespace = 'default', ui = true } = options;
  const { startTimeoutMs = defaultStartTimeoutMs } = options;
  const address = `${loopbackHost}:${ports.grpc}`;
  const server = startSupervised(binary, createServerArgs(options, ports), {
    env: createServerEnv(),
    logFile: options.logFile,
  });
  const deadline = AbortSignal.timeout(startTimeoutMs);
  const signal = options.signal ? AbortSignal.any([deadline, options.signal]) : deadline;
  try {
    const attributes = options.searchAttributes ?? searchAttributes;
    const ready = waitUntilReady(server, address, namespace, attributes, signal);
    await Promise.race([ready, rejectOnExit(server, binary)]);
  } catch (error) {
    await server.stop(1_000);
    if (!deadline.aborted || options.signal?.aborted) throw error;
    const problem = `${binary} was not ready on ${address} within ${startTimeoutMs / 1_000} s`;
    throw new DevServerError(problem, server.output());
  }
  return {
    address,
    uiAddress: ui ? `http://${loopbackHost}:${ports.ui}` : '',
    namespace,
    pid: server.pid,
    exited: server.exited,
    output: () => server.output(),
    stop: () => server.stop(),
  };
}

function createServerArgs(
  options: DevServerOptions,
  ports: { grpc: number; ui: number },
): string[] {
  const { dbFilename, namespace = 'default', ui = true, dynamicConfig = {} } = options;
  const { metricsPort } = options;
  const attributes = options.searchAttributes ?? searchAttributes;
  const head = ['server', 'start-dev', '--ip', loopbackHost, '--port', String(ports.grpc)];
  return [
    ...head,
    ...(ui ? ['--ui-port', String(ports.ui)] : ['--headless']),
    '--namespace',
    namespace,
    '--log-level',
    'warn',
    ...(dbFilename ? ['--db-filename', resolve(dbFilename)] : []),
    ...(metricsPort === undefined ? [] : ['--metrics-port', String(metricsPort)]),
    ...attributes.flatMap(({ name, type }) => ['--search-attribute', `${name}=${type}`]),
    ...Object.entries(dynamicConfig).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}

// Our own environment is not passed on. It contains the API key, and TEMPORAL_* would change the server.
function createServerEnv(): Record<string, string> {
  return { PATH: '/usr/bin:/bin', HOME: homedir(), TMPDIR: tmpdir() };
}

async function rejectOnExit(server: SupervisedProcess, binary: string): Promise<never> {
  const { code, signal } = await server.exited;
  const problem = `${binary} exited immediately (${signal ?? `exit code ${code}`})`;
  throw new DevServerError(problem, server.output());
}

const pollIntervalMs = 50;

async function waitUntilReady(
  server: SupervisedProcess,
  address: string,
  namespace: string,
  attributes: readonly SearchAttribute[],
  signal: AbortSignal,
): Promise<void> {
  // Wait for the server's own output first. If another server took the port in the meantime, that server would respond.
  while (!/^(Temporal )?Server:\s/m.test(server.output())) {
    await delay(pollIntervalMs, undefined, { signal });
  }
  const connection = Connection.lazy({ address });
  try {
    await waitForNamespace(connection, namespace, signal);
    await ensureSearchAttributes(connection, namespace, attributes);
  } finally {
    await connection.close();
  }
}

async function waitForNamespace(
  connection: Connection,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await callWithTimeout(connection, responseTimeoutMs.short, () =>
        connection.withAbortSignal(signal, () =>
          connection.workflowService.describeNamespace({ namespace }),
        ),
      );
      return;
    } catch {
      signal.throwIfAborted();
      await delay(pollIntervalMs, undefined, { signal });
    }
  }
}
