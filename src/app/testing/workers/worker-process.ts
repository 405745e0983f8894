// The program of a worker process that a test kills. It asks its parent process for the server's time.
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { CleanupStack } from '../../cleanup-stack.ts';
import { installQuietRuntime } from '../quiet-runtime.ts';
import type {
  ClockRequest,
  ClockResponse,
  KillableWorkerConfig,
  KillRule,
  WorkerMessage,
} from './killable-worker.ts';
import { startTestWorker } from './test-worker.ts';

// Exit if the parent process has ended, because nobody else would stop this process.
process.once('disconnect', () => process.exit());
// Ctrl-C reaches the whole process group. Ignore it here, because the parent process stops this one in order.
process.on('SIGINT', () => undefined);
process.once('message', (place: KillableWorkerConfig) => {
  runWorker(place).catch(() => process.exit(1));
});

async function runWorker({ address, killRules, ...place }: KillableWorkerConfig): Promise<void> {
  installQuietRuntime(() => undefined);
  const connection = await Connection.connect({ address });
  const nativeConnection = await NativeConnection.connect({ address });
  const clock = createRemoteClock();
  const [killRule] = killRules;
  const killHooks = killRule === undefined ? {} : createKillHooks(killRule);
  const resources = new CleanupStack(() => undefined);
  const { done } = await startTestWorker(resources, place, {
    connection,
    nativeConnection,
    clock,
    ...killHooks,
    isKillable: true,
    onAttempt: (what) => send({ what }),
  });
  send({ what: 'ready' });
  await done;
}

/** Hooks that kill this process at the nth start of the declared node, or the nth response of the operation. */
function createKillHooks({ after, at, nth = 1 }: KillRule) {
  let seen = 0;
  const count = (wanted: string | undefined) => (name: string) => {
    if (name !== wanted) return;
    seen += 1;
    if (seen === nth) process.kill(process.pid, 'SIGKILL');
  };
  return { onResponse: count(after), onNodeStart: count(at) };
}

function createRemoteClock() {
  let aheadMs = 0;
  let lastRequestId = 0;
  const waiting = new Map<number, () => void>();
  process.on('message', ({ id, nowMs }: ClockResponse) => {
    aheadMs = Math.max(aheadMs, nowMs - Date.now());
    waiting.get(id)?.();
    waiting.delete(id);
  });
  const sendRequest = (what: { what: 'read' } | { what: 'sleep'; ms: number }) =>
    new Promise<void>((resolve) => {
      lastRequestId += 1;
      waiting.set(lastRequestId, resolve);
      const request: ClockRequest = { id: lastRequestId, ...what };
      send(request);
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
