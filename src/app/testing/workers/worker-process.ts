// The program of a worker process that a test kills. It gets the server's time from its parent process.
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { CleanupStack } from '../../cleanup-stack.ts';
import { installQuietRuntime } from '../quiet-runtime.ts';
import type {
  ClockResponse,
  KillableWorkerConfig,
  KillRule,
  WorkerMessage,
} from './killable-worker.ts';
import { startTestWorker } from './test-worker.ts';

// Exits if the parent process has ended, because nothing else would stop this process.
process.once('disconnect', () => process.exit());
// Ctrl-C reaches the whole process group. It is ignored here, because the parent process stops this one in order.
process.on('SIGINT', () => undefined);
process.once('message', (config: KillableWorkerConfig) => {
  runWorker(config).catch(() => process.exit(1));
});

async function runWorker(config: KillableWorkerConfig): Promise<void> {
  const { address, killRules, ...workerConfig } = config;
  installQuietRuntime(() => undefined);
  const connection = await Connection.connect({ address });
  const nativeConnection = await NativeConnection.connect({ address });
  const clock = createRemoteClock();
  const [killRule] = killRules;
  const killHooks = killRule === undefined ? {} : createKillHooks(killRule);
  const resources = new CleanupStack(() => undefined);
  const { done } = await startTestWorker(resources, workerConfig, {
    connection,
    nativeConnection,
    clock,
    ...killHooks,
    isKillable: true,
    onAttempt: (phase) => send({ what: phase }),
  });
  send({ what: 'ready' });
  await done;
}

/** Creates hooks that kill this process at the nth start of the declared node, or the nth response of the operation. */
function createKillHooks({ after, at, nth = 1 }: KillRule) {
  let seenCount = 0;
  const count = (target: string | undefined) => (name: string) => {
    if (name !== target) return;
    seenCount += 1;
    if (seenCount === nth) process.kill(process.pid, 'SIGKILL');
  };
  return { onResponse: count(after), onNodeStart: count(at) };
}

function createRemoteClock() {
  let aheadMs = 0;
  let lastRequestId = 0;
  const resolversById = new Map<number, () => void>();
  process.on('message', ({ id, nowMs }: ClockResponse) => {
    aheadMs = Math.max(aheadMs, nowMs - Date.now());
    resolversById.get(id)?.();
    resolversById.delete(id);
  });
  const sendRequest = (command: { what: 'read' } | { what: 'sleep'; ms: number }) =>
    new Promise<void>((resolve) => {
      lastRequestId += 1;
      resolversById.set(lastRequestId, resolve);
      send({ id: lastRequestId, ...command });
    });
  return {
    now: () => Date.now() + aheadMs,
    read: () => sendRequest({ what: 'read' }),
    sleep: (ms: number) => sendRequest({ what: 'sleep', ms }),
  };
}

function send(message: WorkerMessage): void {
  process.send?.(message, () => undefined);
}
