// Status of render jobs for all waits of a worker. A poll costs one page, and one read of each batch that has changed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestCounter } from '../../../src/api/request-counter.ts';
import {
  createPollerContext,
  type PollerContext,
} from '../../../src/engine/polling/poller-context.ts';
import {
  RenderReader,
  renderStatusPoller,
  type WatchedJob,
  watchedJobIdOf,
} from '../../../src/features/renders/status/render-status-poller.ts';
import { ScriptedPlatform } from '../../engine/_platform.ts';

let platform: ScriptedPlatform;
let board: RenderReader;
let nowMs: number;
let context: PollerContext;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  nowMs = 1_000_000;
  context = createPollerContext(platform.client, () => nowMs);
  board = new RenderReader(context);
});
afterEach(() => platform.stop());

const list = 'GET /renders';
const batch = 'GET /renders/batch';
const pages = () => platform.requests.filter((name) => name === list).length;

/** Jobs of projects in a batch, submitted at the platform's present time. */
function submit(batchId: string, ...projects: string[]): WatchedJob[] {
  platform.submit(batchId, ...projects);
  const submittedAt = new Date(platform.feed.nowMs).toISOString();
  return projects.map((projectId) => ({
    jobId: `job-${projectId}`,
    batchId,
    projectId,
    submittedAt,
    waitedSinceMs: nowMs,
    isOnlyJob: true,
    outputCountKey: 'one still',
  }));
}

const id = (project: string) => {
  const [batchId] =
    [...platform.batches].find(([, jobs]) => jobs.some((job) => job.projectId === project)) ?? [];
  return watchedJobIdOf({ batchId: batchId ?? 'b1', jobId: `job-${project}`, submittedAt: '' });
};
const look = (jobs: WatchedJob[]) =>
  board.read(jobs, { options: {}, wokenIds: new Set(), report: () => undefined });

const ask = (jobs: WatchedJob[], requests = new RequestCounter()) =>
  renderStatusPoller(context).poll(jobs, { requests });

describe('polls while nothing happens', () => {
  it('a poll reads one page, whatever the number of batches', async () => {
    const jobs = ['b1', 'b2', 'b3'].flatMap((id) => submit(id, `${id}x`, `${id}y`));
    expect(await look(jobs)).toEqual(new Map());
    nowMs += 1_000;
    await look(jobs);
    expect(pages()).toBe(2);
    expect(platform.count(batch)).toBe(0);
  });

  it('the number of jobs is not limited', async () => {
    const [job] = submit('b1', 'p1');
    if (!job) throw new Error('one job');
    const jobs = Array.from({ length: 130_000 }, (_, at) => ({ ...job, jobId: `job-${at}` }));
    expect((await look(jobs)).size).toBe(0);
  });

  it('outputs of other clients do not cause a read of a batch', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.feed.finishOthers(80);
    nowMs += 1_000;
    await look(jobs);
    expect(platform.count(batch)).toBe(0);
  });

  it('batches are read at increasing intervals to find failures', async () => {
    const jobs = submit('b1', 'p1');
    const readAt: number[] = [];
    const startedMs = nowMs;
    for (let tick = 0; tick < 80; tick += 1) {
      const before = platform.count(batch);
      await look(jobs);
      if (platform.count(batch) > before) readAt.push((nowMs - startedMs) / 1_000);
      nowMs += 1_000;
    }
    expect(readAt).toEqual([5, 15, 35, 75]);
  });
});

describe('polls when renders end', () => {
  it('only the changed batch is read, together with its outputs', async () => {
    const jobs = [...submit('b1', 'p1', 'p2'), ...submit('b2', 'p3')];
    await look(jobs);
    platform.end('COMPLETED', 'p1');
    nowMs += 1_000;
    expect((await look(jobs)).size).toBe(0);
    nowMs += 1_000;
    const looks = await look(jobs);
    expect(platform.requests.filter((name) => name.startsWith(batch))).toEqual([`${batch}/b1`]);
    expect(looks.get(id('p1'))).toMatchObject({
      status: 'COMPLETED',
      outputs: [
        { id: 'r1', fileType: 'PNG', isVideo: false, url: 'https://cdn.example.com/r1.png' },
      ],
    });
    expect(looks.get(id('p2'))).toEqual({ status: 'RENDERING' });
    expect(looks.has('b2/job-p3')).toBe(false);
  });

  it('a failure is reported with its message, although it has no output', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    const [job] = platform.batches.get('b1') ?? [];
    if (job) Object.assign(job, { status: 'FAILED', errorMessage: 'out of light' });
    nowMs += 5_000;
    const looks = await look(jobs);
    expect(looks.get(id('p1'))).toEqual({ status: 'FAILED', errorMessage: 'out of light' });
  });

  it('a batch that changes at every poll is read only at every second poll', async () => {
    const jobs = submit('b1', ...Array.from({ length: 50 }, (_, index) => `p${index}`));
    await look(jobs);
    for (let tick = 0; tick < 5; tick += 1) {
      for (let index = 0; index < 10; index += 1)
        platform.end('COMPLETED', `p${tick * 10 + index}`);
      nowMs += 1_000;
      await look(jobs);
    }
    expect(platform.count(batch)).toBe(3);
  });

  it('the more batches there are, the less often each is read, so that the number of reads does not grow', async () => {
    const batchIds = Array.from({ length: 30 }, (_, index) => `b${index}`);
    const jobs = batchIds.flatMap((batchId) =>
      submit(batchId, ...Array.from({ length: 6 }, (_, index) => `${batchId}-p${index}`)),
    );
    for (; nowMs < 1_004_000; nowMs += 1_000) await look(jobs);
    for (let tick = 0; tick < 5; tick += 1, nowMs += 1_000) {
      platform.end('COMPLETED', ...batchIds.map((batchId) => `${batchId}-p${tick}`));
      await look(jobs);
    }
    expect(platform.count(batch)).toBe(30);
  });

  it('a batch is read immediately when all its jobs have changed', async () => {
    const jobs = submit('b1', 'p1', 'p2');
    await look(jobs);
    platform.end('COMPLETED', 'p1', 'p2');
    nowMs += 1_000;
    expect((await look(jobs)).size).toBe(2);
  });

  it('the status contains the time at which the output was first seen', async () => {
    const jobs = submit('b1', 'p1', 'p2');
    await look(jobs);
    platform.end('COMPLETED', 'p1');
    nowMs += 1_000;
    const noticedAtMs = nowMs;
    await look(jobs);
    nowMs += 1_000;
    expect((await look(jobs)).get(id('p1'))).toMatchObject({ status: 'COMPLETED', noticedAtMs });
  });

  it('outputs come from a listing that started after the job was seen to have ended', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.feed.finish('p1');
    // The second output of the job appears while the batch is being read.
    platform.intercept = (name) => {
      if (name.startsWith(batch)) {
        platform.intercept = () => undefined;
        platform.end('COMPLETED', 'p1');
      }
      return undefined;
    };
    nowMs += 1_000;
    const looks = await look(jobs);
    expect(looks.get(id('p1'))?.outputs).toHaveLength(2);
  });

  it('two overlapping polls both return all outputs', async () => {
    const jobs = submit('b1', 'p1');
    await ask(jobs);
    platform.feed.finish('p1');
    let second: ReturnType<typeof ask> | undefined;
    platform.intercept = (name) => {
      if (!name.startsWith(batch)) return undefined;
      platform.intercept = () => undefined;
      second = ask(jobs);
      platform.end('COMPLETED', 'p1');
      return undefined;
    };
    nowMs += 1_000;
    const [first, other] = [await ask(jobs), await second];
    for (const looks of [first, other]) {
      expect(looks?.get(id('p1'))?.status.outputs).toHaveLength(2);
    }
  });
});

describe('outputs that must be read with GET /renders/{jobId}', () => {
  const cases: [name: string, change: (jobs: WatchedJob[]) => void][] = [
    ['if their number is unknown', (jobs) => jobs.forEach((job) => delete job.outputCountKey)],
    [
      'if the project has had another job',
      (jobs) => jobs.forEach((job) => (job.isOnlyJob = false)),
    ],
    ['for a video', () => patchFirst({ isVideo: true, fileType: 'MP4' })],
    ['for TIFF', () => patchFirst({ fileType: 'TIFF' })],
    ['for a signed address', () => patchFirst({ url: 'https://cdn.example.com/a?sig=1' })],
    ['for an invalid address', () => patchFirst({ url: 'a.png' })],
    ['if `isVideo` is null', () => patchFirst({ isVideo: null })],
    ['if the file type cannot be read', () => patchFirst({ fileType: { odd: true } })],
    ['if an output has no address', () => patchFirst({ url: undefined })],
    ['if an item of the list cannot be read', () => addOdd({ id: null })],
    ['if the list reports more items than it has', () => (platform.listTotal = 5)],
    ['if the list is null', () => addOdd(null)],
    ['if the list contains none', () => platform.feed.delete('r1')],
    ['if there are very many', () => platform.feed.finish(...Array<string>(8).fill('p1'))],
  ];
  it.each(cases)('outputs must be read from the job %s', async (_name, change) => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.end('COMPLETED', 'p1');
    change(jobs);
    nowMs += 5_000;
    const seen = (await look(jobs)).get(id('p1'));
    expect(seen).toMatchObject({ status: 'COMPLETED' });
    expect(seen).not.toHaveProperty('outputs');
  });

  it('outputs must be read from the job if the list has a gap', async () => {
    platform.feed.finishOthers(300);
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.end('COMPLETED', 'p1');
    platform.feed.finishOthers(150);
    platform.feed.afterPage = () =>
      platform.feed.delete(...platform.feed.items.slice(0, 20).map(({ id }) => id));
    nowMs += 5_000;
    expect((await look(jobs)).get(id('p1'))).toEqual({ status: 'COMPLETED' });
  });
});

describe('errors of a poll', () => {
  it('a missing batch is reported for its own jobs only', async () => {
    const jobs = [...submit('b1', 'p1'), ...submit('b2', 'p2')];
    await look(jobs);
    platform.batches.delete('b1');
    platform.end('COMPLETED', 'p2');
    nowMs += 5_000;
    const looks = await look(jobs);
    expect(looks.get(id('p1'))).toMatchObject({ status: 'NOT_FOUND' });
    expect(looks.get(id('p2'))).toMatchObject({ status: 'COMPLETED' });
  });

  it('an error in one batch omits its jobs, and the next poll reads the batch again', async () => {
    const jobs = [...submit('b1', 'p1'), ...submit('b2', 'p2')];
    await look(jobs);
    platform.end('COMPLETED', 'p1', 'p2');
    platform.intercept = (name) =>
      name.endsWith('/b2')
        ? { status: 500, body: { error: { code: 'INTERNAL_ERROR', message: 'no' } } }
        : undefined;
    nowMs += 5_000;
    expect((await look(jobs)).get(id('p1'))?.outputs).toHaveLength(1);
    platform.intercept = () => undefined;
    nowMs += 1_000;
    const looks = await look(jobs);
    expect(looks.get(id('p1'))?.outputs).toHaveLength(1);
    expect(looks.get(id('p2'))?.outputs).toHaveLength(1);
  });

  it('errors in all batches fail the poll, and the next poll finds the same changes', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.end('COMPLETED', 'p1');
    platform.intercept = (name) =>
      name.startsWith(batch)
        ? { status: 500, body: { error: { code: 'INTERNAL_ERROR', message: 'no' } } }
        : undefined;
    nowMs += 5_000;
    await expect(look(jobs)).rejects.toThrow('INTERNAL_ERROR');
    platform.intercept = () => undefined;
    nowMs += 1_000;
    expect((await look(jobs)).get(id('p1'))?.outputs).toHaveLength(1);
  });

  it('requests are counted for the first caller only', async () => {
    const jobs = [...submit('b1', 'p1'), ...submit('b2', 'p2')];
    const [first, second] = [new RequestCounter(), new RequestCounter()];
    await Promise.all([ask(jobs.slice(0, 1), first), ask(jobs.slice(1), second)]);
    expect([first.total, second.total]).toEqual([1, 0]);
  });
});

/** Adds a changed copy of the first item to the list. Null replaces the whole list. */
function addOdd(odd: object | null): void {
  platform.intercept = (name) =>
    name === list
      ? {
          status: 200,
          body: { renders: odd && [...platform.feed.items, { ...platform.feed.items[0], ...odd }] },
        }
      : undefined;
}

function patchFirst(patch: object): void {
  Object.assign(platform.feed.items[0] ?? {}, patch);
}

describe('notifications of renders', () => {
  const told = (jobs: WatchedJob[], ...projects: string[]) =>
    board.read(jobs, {
      options: {},
      wokenIds: new Set(projects.map(id)),
      report: () => undefined,
    });

  it('notifications without a new output cause a read of the batch, since failed jobs have no outputs', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.end('FAILED', 'p1');
    nowMs += 100;
    expect((await told(jobs, 'p1')).get(id('p1'))).toMatchObject({ status: 'FAILED' });
    expect(platform.count(batch)).toBe(1);
  });

  it.each([
    ['0.8 seconds for each open batch', 5, 20_000, 4_000],
    ['at most twice the duration of the first job', 10, 2_000, 4_000],
    ['at least 1.6 seconds', 1, 20_000, 1_600],
    ['at most ten seconds', 20, 60_000, 10_000],
  ])('notifications are collected for %s', async (_name, open, tookMs, gatherMs) => {
    context.wakeUps.isListening = true;
    const jobs = Array.from({ length: open }, (_, batch) =>
      submit(`b${batch}`, `p${batch}`, `q${batch}`),
    ).flat();
    // Reads for failures happen during this time, so they do not affect the result.
    for (let second = 0; second < tookMs; second += 1_000, nowMs += 1_000) await look(jobs);
    platform.end('COMPLETED', 'p0');
    await told(jobs, 'p0');
    expect(board.hasDueChanges).toBe(false);
    nowMs += gatherMs - 1;
    expect(board.hasDueChanges).toBe(false);
    nowMs += 1;
    expect(board.hasDueChanges).toBe(true);
    expect((await look(jobs)).get(id('p0'))?.outputs).toHaveLength(1);
    expect(board.hasDueChanges).toBe(false);
  });

  it('notifications for all jobs of a batch cause one read of the batch, one page of outputs and one read of a job', async () => {
    context.wakeUps.isListening = true;
    const jobs = submit('b1', 'p1', 'p2', 'p3');
    await look(jobs);
    platform.requests.length = 0;
    platform.end('COMPLETED', 'p1', 'p2', 'p3');
    const looks = await told(jobs, 'p1', 'p2', 'p3');
    expect(jobs.map((job) => looks.get(watchedJobIdOf(job))?.outputs?.length)).toEqual([1, 1, 1]);
    expect(platform.requests).toEqual([list, `${batch}/b1`, 'GET /renders/job-p1']);
  });

  it('the same poll finds ended renders whose notifications are missing', async () => {
    context.wakeUps.isListening = true;
    const jobs = submit('b1', 'p1', 'p2');
    await look(jobs);
    platform.end('COMPLETED', 'p1', 'p2');
    expect((await told(jobs, 'p1')).size).toBe(2);
    expect([platform.count(batch), board.hasDueChanges]).toEqual([1, false]);
  });

  it('a failure without a notification is found by a read after fifteen seconds', async () => {
    context.wakeUps.isListening = true;
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.end('FAILED', 'p1');
    nowMs += 14_999;
    expect((await look(jobs)).size).toBe(0);
    nowMs += 1;
    expect((await look(jobs)).get(id('p1'))).toMatchObject({ status: 'FAILED' });
  });

  it('repeated notifications do not cause another read of the same data', async () => {
    context.wakeUps.isListening = true;
    const jobs = submit('b1', 'p1', 'p2');
    await look(jobs);
    platform.end('COMPLETED', 'p1');
    await told(jobs, 'p1');
    nowMs += 10_000;
    await look(jobs);
    await told(jobs, 'p1');
    nowMs += 10_000;
    expect([platform.count(batch), board.hasDueChanges]).toEqual([1, false]);
  });

  it('wrong notifications cost one read of the batch', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    expect((await told(jobs, 'p1')).get(id('p1'))).toMatchObject({ status: 'RENDERING' });
    nowMs += 1_000;
    await look(jobs);
    expect(platform.count(batch)).toBe(1);
  });
});
