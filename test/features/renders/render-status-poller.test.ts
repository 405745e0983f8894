// State of render jobs for all waits of a worker, at the price of a page and the batches that moved.
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
  watchedJobId,
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
  return watchedJobId({ batchId: batchId ?? 'b1', jobId: `job-${project}`, submittedAt: '' });
};
const look = (jobs: WatchedJob[]) =>
  board.read(jobs, { options: {}, wokenIds: new Set(), report: () => undefined });

const ask = (jobs: WatchedJob[], requests = new RequestCounter()) =>
  renderStatusPoller(context).poll(jobs, { requests });

describe('while nothing happens', () => {
  it('a look is one page, whatever the number of batches', async () => {
    const jobs = ['b1', 'b2', 'b3'].flatMap((id) => submit(id, `${id}x`, `${id}y`));
    expect(await look(jobs)).toEqual(new Map());
    nowMs += 1_000;
    await look(jobs);
    expect(pages()).toBe(2);
    expect(platform.count(batch)).toBe(0);
  });

  it('noise of other clients moves no batch', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.feed.finishOthers(80);
    nowMs += 1_000;
    await look(jobs);
    expect(platform.count(batch)).toBe(0);
  });

  it('batches are read now and then for their failures, ever more rarely', async () => {
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

describe('when renders end', () => {
  it('only the batch that moved is read, and its outputs come along', async () => {
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

  it('a failure is told with its message, though it leaves no output', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    const [job] = platform.batches.get('b1') ?? [];
    if (job) Object.assign(job, { status: 'FAILED', errorMessage: 'out of light' });
    nowMs += 5_000;
    const looks = await look(jobs);
    expect(looks.get(id('p1'))).toEqual({ status: 'FAILED', errorMessage: 'out of light' });
  });

  it('a batch with ever more news is read every other tick, not once an output', async () => {
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

  it('of many batches each is read more rarely, so that reads do not grow with their number', async () => {
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

  it('a batch is read at once when all of its jobs have news: nobody waits for the last one', async () => {
    const jobs = submit('b1', 'p1', 'p2');
    await look(jobs);
    platform.end('COMPLETED', 'p1', 'p2');
    nowMs += 1_000;
    expect((await look(jobs)).size).toBe(2);
  });

  it('tells since when an output was seen, so that nothing waits twice', async () => {
    const jobs = submit('b1', 'p1', 'p2');
    await look(jobs);
    platform.end('COMPLETED', 'p1');
    nowMs += 1_000;
    const noticedAtMs = nowMs;
    await look(jobs);
    nowMs += 1_000;
    expect((await look(jobs)).get(id('p1'))).toMatchObject({ status: 'COMPLETED', noticedAtMs });
  });

  it('outputs are certain only by a sweep that began after the end was seen', async () => {
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

  it('a look that overlaps another one never takes half of the outputs for all', async () => {
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

describe('outputs are left to GET /renders/{jobId}', () => {
  const cases: [name: string, change: (jobs: WatchedJob[]) => void][] = [
    [
      'where nobody knows how many there are',
      (jobs) => jobs.forEach((job) => delete job.outputCountKey),
    ],
    [
      'where the project has had another job',
      (jobs) => jobs.forEach((job) => (job.isOnlyJob = false)),
    ],
    ['for a video', () => patchFirst({ isVideo: true, fileType: 'MP4' })],
    ['for TIFF', () => patchFirst({ fileType: 'TIFF' })],
    [
      'for an address with a signature',
      () => patchFirst({ url: 'https://cdn.example.com/a?sig=1' }),
    ],
    ['for something that is no address', () => patchFirst({ url: 'a.png' })],
    ['where nobody says whether it is a video', () => patchFirst({ isVideo: null })],
    ['where its type cannot be read', () => patchFirst({ fileType: { odd: true } })],
    ['where it has no address', () => patchFirst({ url: undefined })],
    ['where an item of the list cannot be read', () => addOdd({ id: null })],
    ['where the list says more than it shows', () => (platform.listTotal = 5)],
    ['where the list is none', () => addOdd(null)],
    ['when there is none', () => platform.feed.delete('r1')],
    ['when there are very many', () => platform.feed.finish(...Array<string>(8).fill('p1'))],
  ];
  it.each(cases)('%s', async (_name, change) => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.end('COMPLETED', 'p1');
    change(jobs);
    nowMs += 5_000;
    const seen = (await look(jobs)).get(id('p1'));
    expect(seen).toMatchObject({ status: 'COMPLETED' });
    expect(seen).not.toHaveProperty('outputs');
  });

  it('when the list has a gap', async () => {
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

describe('trouble', () => {
  it('a batch that is gone is told for its own jobs and spares the others', async () => {
    const jobs = [...submit('b1', 'p1'), ...submit('b2', 'p2')];
    await look(jobs);
    platform.batches.delete('b1');
    platform.end('COMPLETED', 'p2');
    nowMs += 5_000;
    const looks = await look(jobs);
    expect(looks.get(id('p1'))).toMatchObject({ status: 'NOT_FOUND' });
    expect(looks.get(id('p2'))).toMatchObject({ status: 'COMPLETED' });
  });

  it('a batch that cannot be read now is missing, and the next tick tries again', async () => {
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

  it('where no batch can be read the look fails, and the next one finds what that one had seen', async () => {
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

  it('counts its requests for who asked first', async () => {
    const jobs = [...submit('b1', 'p1'), ...submit('b2', 'p2')];
    const [first, second] = [new RequestCounter(), new RequestCounter()];
    await Promise.all([ask(jobs.slice(0, 1), first), ask(jobs.slice(1), second)]);
    expect([first.total, second.total]).toEqual([1, 0]);
  });
});

/** An item of another project; null: in place of all. */
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

describe('notifications', () => {
  const told = (jobs: WatchedJob[], ...projects: string[]) =>
    board.read(jobs, {
      options: {},
      wokenIds: new Set(projects.map(id)),
      report: () => undefined,
    });

  it('are news of a batch though no output is there: a failed job leaves none', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.end('FAILED', 'p1');
    nowMs += 100;
    expect((await told(jobs, 'p1')).get(id('p1'))).toMatchObject({ status: 'FAILED' });
    expect(platform.count(batch)).toBe(1);
  });

  it.each([
    ['eight tenths of a second for each open batch', 5, 20_000, 4_000],
    ['not longer than twice what the first job took', 10, 2_000, 4_000],
    ['not less than two ticks or so', 1, 20_000, 1_600],
    ['ten seconds at most', 20, 60_000, 10_000],
  ])('gather %s', async (_name, open, tookMs, gatherMs) => {
    context.wakeUps.isListening = true;
    const jobs = Array.from({ length: open }, (_, batch) =>
      submit(`b${batch}`, `p${batch}`, `q${batch}`),
    ).flat();
    // Reads for failures are another matter.
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

  it('of all jobs of a batch are read at once: the batch, one page for all outputs, a job for their number', async () => {
    context.wakeUps.isListening = true;
    const jobs = submit('b1', 'p1', 'p2', 'p3');
    await look(jobs);
    platform.requests.length = 0;
    platform.end('COMPLETED', 'p1', 'p2', 'p3');
    const looks = await told(jobs, 'p1', 'p2', 'p3');
    expect(jobs.map((job) => looks.get(watchedJobId(job))?.outputs?.length)).toEqual([1, 1, 1]);
    expect(platform.requests).toEqual([list, `${batch}/b1`, 'GET /renders/job-p1']);
  });

  it('that are lost are made up for by the list, in the same look where its news is all there is', async () => {
    context.wakeUps.isListening = true;
    const jobs = submit('b1', 'p1', 'p2');
    await look(jobs);
    platform.end('COMPLETED', 'p1', 'p2');
    expect((await told(jobs, 'p1')).size).toBe(2);
    expect([platform.count(batch), board.hasDueChanges]).toEqual([1, false]);
  });

  it('that are lost of a failure are made up for by a read after fifteen seconds', async () => {
    context.wakeUps.isListening = true;
    const jobs = submit('b1', 'p1');
    await look(jobs);
    platform.end('FAILED', 'p1');
    nowMs += 14_999;
    expect((await look(jobs)).size).toBe(0);
    nowMs += 1;
    expect((await look(jobs)).get(id('p1'))).toMatchObject({ status: 'FAILED' });
  });

  it('come twice: what was read needs no second read', async () => {
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

  it('that lie cost one read of the batch', async () => {
    const jobs = submit('b1', 'p1');
    await look(jobs);
    expect((await told(jobs, 'p1')).get(id('p1'))).toMatchObject({ status: 'RENDERING' });
    nowMs += 1_000;
    await look(jobs);
    expect(platform.count(batch)).toBe(1);
  });
});
