// The program of a worker process that a test kills. It asks its parent process for the server's time.
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { Resources } from '../resources.ts';
import type { Answered, Asked, Death, MortalPlace, Said } from './mortal-worker.ts';
import { installQuietRuntime } from './quiet-runtime.ts';
import { startTestWorker } from './test-worker.ts';

// Exit if the parent process has ended, because nobody else would stop this process.
process.once('disconnect', () => process.exit());
// Ctrl-C reaches the whole process group. Ignore it here, because the parent process stops this one in order.
process.on('SIGINT', () => undefined);
process.once('message', (place: MortalPlace) => {
  work(place).catch(() => process.exit(1));
});

async function work({ address, deaths, ...place }: MortalPlace): Promise<void> {
  installQuietRuntime(() => undefined);
  const connection = await Connection.connect({ address });
  const nativeConnection = await NativeConnection.connect({ address });
  const clock = askedClock();
  const [death] = deaths;
  const watch = death === undefined ? {} : watchFor(death);
  const resources = new Resources(() => undefined);
  const { done } = await startTestWorker(resources, place, {
    connection,
    nativeConnection,
    clock,
    ...watch,
    mayDie: true,
    onAttempt: (what) => say({ what }),
  });
  say({ what: 'ready' });
  await done;
}

/** Hooks that kill this process when the declared activity or response occurs. */
function watchFor({ after, at, nth = 1 }: Death) {
  let seen = 0;
  const count = (wanted: string | undefined) => (name: string) => {
    if (name !== wanted) return;
    seen += 1;
    if (seen === nth) process.kill(process.pid, 'SIGKILL');
  };
  return { onAnswer: count(after), onBegin: count(at) };
}

function askedClock() {
  let aheadMs = 0;
  let asked = 0;
  const waiting = new Map<number, () => void>();
  process.on('message', ({ id, nowMs }: Answered) => {
    aheadMs = Math.max(aheadMs, nowMs - Date.now());
    waiting.get(id)?.();
    waiting.delete(id);
  });
  const ask = (what: { what: 'read' } | { what: 'sleep'; ms: number }) =>
    new Promise<void>((resolve) => {
      asked += 1;
      waiting.set(asked, resolve);
      const message: Asked = { id: asked, ...what };
      say(message);
    });
  return {
    now: () => Date.now() + aheadMs,
    read: () => ask({ what: 'read' }),
    sleep: (ms: number) => ask({ what: 'sleep', ms }),
  };
}

function say(message: Said): void {
  process.send?.(message, () => undefined);
}
