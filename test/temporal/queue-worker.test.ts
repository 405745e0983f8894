// Tests a worker of one queue whose polling is switched on and off.
import type { Worker } from '@temporalio/worker';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { QueueWorker } from '../../src/app/worker/coordination/queue-worker.ts';
import { createWorkerIdentity, parseWorkerHost } from '../../src/temporal/worker-identity.ts';

afterEach(() => vi.useRealTimers());

/** A fake Temporal worker; `drained` finishes its attempts. */
class FakeWorker {
  state = 'INITIALIZED';
  drained: (error?: Error) => void = () => undefined;

  run(): Promise<void> {
    this.state = 'RUNNING';
    return new Promise((resolve, reject) => {
      this.drained = (error) => {
        this.state = 'STOPPED';
        if (error) reject(error);
        else resolve();
      };
    });
  }

  getState(): string {
    return this.state;
  }

  shutdown(): void {
    if (this.state !== 'RUNNING') throw new Error(`shut down while ${this.state}`);
    this.state = 'DRAINING';
  }
}

function workerOf() {
  const made: FakeWorker[] = [];
  let idle = 0;
  const worker = new QueueWorker(
    { name: 'looks', stopTimeoutMs: 15_000 },
    async () => {
      const one = new FakeWorker();
      made.push(one);
      return one as unknown as Worker;
    },
    () => {
      idle += 1;
    },
  );
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { worker, made, settle, states: () => made.map(({ state }) => state), idle: () => idle };
}

describe('a queue', () => {
  it('a queue is polled immediately, until its worker is shut down', async () => {
    const { worker, made, settle, states, idle } = workerOf();
    const done = worker.run();
    await settle();
    expect(states()).toEqual(['RUNNING']);
    worker.end();
    expect(states()).toEqual(['DRAINING']);
    made[0]?.drained();
    await done;
    expect(idle()).toBe(1);
  });

  it('a queue is polled again after a stop, but not before its attempts have ended', async () => {
    const { worker, made, settle, states } = workerOf();
    const done = worker.run();
    await settle();
    worker.setPolling(false);
    worker.setPolling(true);
    worker.setPolling(true);
    await settle();
    expect(states()).toEqual(['DRAINING']);
    made[0]?.drained();
    await settle();
    expect(states()).toEqual(['STOPPED', 'RUNNING']);
    worker.setPolling(false);
    made[1]?.drained();
    await settle();
    worker.end();
    await done;
    expect(states()).toEqual(['STOPPED', 'STOPPED']);
  });

  it('a queue is no longer polled if polling was switched off while the worker was created', async () => {
    const { worker, made, settle, states } = workerOf();
    const done = worker.run();
    worker.setPolling(false);
    await settle();
    expect(states()).toEqual(['DRAINING']);
    made[0]?.drained();
    worker.end();
    await done;
  });

  it('a queue can be ended while it is not polled', async () => {
    const { worker, made } = workerOf();
    worker.setPolling(false);
    const done = worker.run();
    worker.end();
    await done;
    expect(made).toEqual([]);
  });

  it('a queue waits without limit for its attempts if its polling is only switched off', async () => {
    vi.useFakeTimers();
    const { worker, made, settle, states } = workerOf();
    const done = worker.run();
    await settle();
    worker.setPolling(false);
    let isDone = false;
    void done.finally(() => (isDone = true)).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect([isDone, ...states()]).toEqual([false, 'DRAINING']);
    made[0]?.drained();
    worker.end();
    await done;
    expect(states()).toEqual(['STOPPED']);
  });

  it('a queue fails some time after its end if an attempt never ends', async () => {
    vi.useFakeTimers();
    const { worker, settle } = workerOf();
    const done = worker.run();
    await settle();
    worker.end();
    const given = expect(done).rejects.toThrow('attempts of looks did not finish within 15 s');
    await vi.advanceTimersByTimeAsync(15_000);
    await given;
  });

  it('a queue fails if its worker fails', async () => {
    const { worker, made, settle } = workerOf();
    const done = worker.run();
    await settle();
    made[0]?.drained(new Error('broken'));
    await expect(done).rejects.toThrow('broken');
  });
});

describe('the identity of a worker', () => {
  it.each(['studio-2', 'a@b', 'Büro 3', 'two\nlines'])(
    'the identity of a worker contains its host %j',
    (host) => {
      expect(parseWorkerHost(createWorkerIdentity(host))).toBe(host);
      expect(parseWorkerHost(createWorkerIdentity(host, host))).toBe(host);
    },
  );

  it('the identity is short if the host has the name of the system, and otherwise distinguishes containers', () => {
    expect(createWorkerIdentity('vm', 'vm')).toBe(`${process.pid}@vm`);
    expect(createWorkerIdentity('studio', 'c1')).not.toBe(createWorkerIdentity('studio', 'c2'));
  });

  it.each(['worker', 'x@y', '12@', ''])('the identity %j contains no host', (identity) => {
    expect(parseWorkerHost(identity)).toBeNull();
  });
});
