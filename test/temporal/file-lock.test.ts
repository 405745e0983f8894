import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LockTimeoutError, withFileLock } from '../../src/temporal/server/file-lock.ts';
import { deadPid } from './_fake-machine.ts';

let folder: string;
let lock: string;
const options = { pollMs: 2, waitLimitMs: 10_000 };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-lock-'));
  lock = join(folder, 'a', 'b.lock');
});
afterEach(() => rm(folder, { recursive: true }));

describe('one at a time', () => {
  test('ten concurrent tasks never overlap, and all of them run', async () => {
    let inside = 0;
    let max = 0;
    const order = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        withFileLock(lock, options, async () => {
          inside += 1;
          max = Math.max(max, inside);
          await turn();
          inside -= 1;
          return index;
        }),
      ),
    );
    expect(max).toBe(1);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('a folder created for the lock is private to this user, since locks are next to state', async () => {
    await withFileLock(lock, options, async () => undefined);
    expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700);
  });

  test.runIf(process.platform === 'linux')(
    'creating a lock where the file system accepts no folders causes an error that contains the path',
    async () => {
      const refused = withFileLock('/proc/renderline/b.lock', options, async () => undefined);
      await expect(refused).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/renderline' });
    },
  );

  test('the lock file contains its holder, and is deleted afterwards', async () => {
    await withFileLock(lock, options, async () => {
      expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({
        pid: process.pid,
        host: hostname(),
      });
    });
    expect(await readdir(join(folder, 'a'))).toEqual([]);
  });

  test('a task that throws releases the lock, and its error is passed on', async () => {
    const broken = withFileLock(lock, options, () => Promise.reject(new Error('no space')));
    await expect(broken).rejects.toThrow('no space');
    expect(await withFileLock(lock, options, () => Promise.resolve('next'))).toBe('next');
  });

  test('a lock that another process has taken over is not deleted', async () => {
    await withFileLock(lock, options, () => holdBy({ pid: 1, host: 'other', token: 'theirs' }));
    expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ token: 'theirs' });
  });
});

describe('a stale holder', () => {
  const alive = { pid: process.ppid, host: hostname(), token: 't' };
  const hour = 3_600_000;

  test.each([
    ['died on this machine', async () => ({ ...alive, pid: await deadPid() }), 0],
    ['died with the pid that we have now', async () => ({ ...alive, pid: process.pid }), 0],
    ['lives but has not refreshed it for an hour', async () => alive, hour],
    ['is on another machine and has not refreshed it', async () => ({ ...alive, host: 'x' }), hour],
    ['was a container that another has replaced', async () => ({ ...alive, host: 'x' }), 21_000],
  ] as const)('the lock of a holder that %s is taken over', async (_what, holder, ageMs) => {
    await withFileLock(lock, options, () => Promise.resolve());
    await holdBy(await holder(), ageMs);
    expect(await withFileLock(lock, options, () => Promise.resolve('mine'))).toBe('mine');
    expect(await readdir(join(folder, 'a'))).toEqual([]);
  });

  test('an old file without a readable holder is taken over', async () => {
    await withFileLock(lock, options, () => Promise.resolve());
    await writeFile(lock, '');
    await age(hour);
    expect(await withFileLock(lock, options, () => Promise.resolve('mine'))).toBe('mine');
  });

  test('many tasks that find a stale lock run one at a time', async () => {
    await withFileLock(lock, options, () => Promise.resolve());
    let inside = 0;
    let max = 0;
    const work = async () => {
      inside += 1;
      max = Math.max(max, inside);
      await delay(5);
      inside -= 1;
    };
    for (let round = 0; round < 20; round += 1) {
      await holdBy({ ...alive, pid: await deadPid() });
      await Promise.all(Array.from({ length: 8 }, () => withFileLock(lock, options, work)));
    }
    expect(max).toBe(1);
  });
});

test('a task waits beyond the limit for a silent holder on another machine, and then replaces it', async () => {
  await withFileLock(lock, options, () => Promise.resolve());
  await holdBy({ pid: 1, host: 'container-of-before', token: 't' }, 19_800);
  const limits = { pollMs: 2, waitLimitMs: 1 };
  expect(await withFileLock(lock, limits, () => Promise.resolve('mine'))).toBe('mine');
});

describe('a living holder', () => {
  test('a holder on this machine with a late refresh keeps the lock', async () => {
    await withFileLock(lock, options, () => Promise.resolve());
    await holdBy({ pid: process.ppid, host: hostname(), token: 'theirs' }, 30_000);
    const waiting = withFileLock(lock, { pollMs: 1, waitLimitMs: 30 }, () => Promise.resolve());
    await expect(waiting).rejects.toThrow(LockTimeoutError);
  });

  test.each([
    ['on this machine', hostname()],
    ['on another machine', 'build-7'],
  ])(
    'the wait for a holder %s is reported, and ends with an error that contains a fix',
    async (_what, host) => {
      await withFileLock(lock, options, () => Promise.resolve());
      await holdBy({ pid: process.ppid, host, token: 'theirs' });
      const reports: [pid: number, waitedMs: number][] = [];
      // Each attempt reads the clock once, and finds that 2 s more have passed.
      let nowMs = -2_000;
      const waiting = withFileLock(
        lock,
        {
          pollMs: 1,
          reportMs: 5_000,
          waitLimitMs: 15_000,
          now: () => (nowMs += 2_000),
          onWait: ({ pid }, waitedMs) => reports.push([pid, waitedMs]),
        },
        () => Promise.resolve(),
      );
      const error = await waiting.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LockTimeoutError);
      expect(String(error)).toContain(
        `${lock} is locked by process ${process.ppid} on ${host}, still after 16 s; stop that process`,
      );
      expect(reports).toEqual([2_000, 8_000, 14_000].map((waitedMs) => [process.ppid, waitedMs]));
    },
  );

  test('an error before the first second states no duration', () => {
    expect(new LockTimeoutError('/x', 'process 1', 400).message).toBe(
      '/x is locked by process 1; stop that process or delete the file',
    );
  });

  test('the error states how long the wait was', () => {
    expect(new LockTimeoutError('/x', 'process 1', 12_400).message).toBe(
      '/x is locked by process 1, still after 12 s; stop that process or delete the file',
    );
  });

  test('an interrupt ends the wait', async () => {
    await withFileLock(lock, options, () => Promise.resolve());
    await holdBy({ pid: process.ppid, host: hostname(), token: 'theirs' });
    const interrupt = new AbortController();
    const waiting = withFileLock(lock, { ...options, signal: interrupt.signal }, () =>
      Promise.resolve(),
    );
    interrupt.abort(new Error('Ctrl-C'));
    await expect(waiting).rejects.toThrow();
  });
});

async function holdBy(holder: { pid: number; host: string; token: string }, ageMs = 0) {
  await writeFile(lock, JSON.stringify(holder));
  await age(ageMs);
}

async function age(ageMs: number) {
  const at = new Date(Date.now() - ageMs);
  await utimes(lock, at, at);
}
