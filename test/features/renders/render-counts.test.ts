// The number of outputs of a job. It is read from one job of the same kind, and compared with the list.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPollerContext } from '../../../src/engine/polling/poller-context.ts';
import {
  RenderReader,
  type WatchedJob,
  watchedJobIdOf,
} from '../../../src/features/renders/status/render-status-poller.ts';
import { ScriptedPlatform } from '../../engine/_platform.ts';

let platform: ScriptedPlatform;
let board: RenderReader;
let nowMs: number;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  nowMs = 1_000_000;
  board = new RenderReader(createPollerContext(platform.client, () => nowMs));
});
afterEach(() => platform.stop());

/** Jobs of projects in one batch, submitted at the platform's present time. */
const submit = (...projects: string[]) => submitBatch('b1', projects);

function submitBatch(batchId: string, projects: string[]): WatchedJob[] {
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

const look = (jobs: WatchedJob[]) =>
  board.read(jobs, { options: {}, wokenIds: new Set(), report: () => undefined });

describe('the output count of a job', () => {
  const outputs = async (jobs: WatchedJob[]) => {
    nowMs += 5_000;
    const looks = await look(jobs);
    return jobs.map((job) => looks.get(watchedJobIdOf(job))?.outputs?.length ?? 'not known');
  };
  const jobReads = () => platform.count('GET /renders/job-');

  it('the count is read once, from the first job of its kind', async () => {
    const projects = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const jobs = submit(...projects);
    platform.end('COMPLETED', ...projects);
    expect(await outputs(jobs)).toEqual(projects.map(() => 1));
    await outputs(jobs);
    expect(jobReads()).toBe(1);
  });

  it.each([
    ['is shared with another batch submitted within ten seconds', 10_000, 1],
    [
      'is read again for a batch submitted later, since its template may have been edited',
      10_001,
      2,
    ],
  ])('the count %s', async (_name, laterMs, reads) => {
    const first = submitBatch('b1', ['p1', 'p2']);
    const second = submitBatch('b2', ['p3', 'p4']).map((job) => ({
      ...job,
      submittedAt: new Date(platform.feed.nowMs + laterMs).toISOString(),
    }));
    platform.end('COMPLETED', 'p1', 'p2', 'p3', 'p4');
    expect(await outputs([...first, ...second])).toEqual([1, 1, 1, 1]);
    expect(jobReads()).toBe(reads);
  });

  it('the count is read once for each `outputCountKey`', async () => {
    const [a, b] = submit('p1', 'p2') as [WatchedJob, WatchedJob];
    b.outputCountKey = 'three stills';
    platform.end('COMPLETED', 'p1', 'p2');
    platform.feed.finish('p2', 'p2');
    expect(await outputs([a, b])).toEqual([1, 3]);
    expect(jobReads()).toBe(2);
  });

  it.each<[string, () => void]>([
    ['with one output missing from the list', () => platform.feed.delete('r4')],
    ['with one output too many in the list', () => platform.feed.finish('p2')],
    [
      'with one output listed under the id of another job',
      () => platform.feed.items.forEach((item) => item.id === 'r4' && (item.id = 'r1')),
    ],
  ])('the count is unknown for a job %s', async (_name, spoil) => {
    const jobs = submit('p1', 'p2');
    // Each job has two outputs: r1 and r3, r2 and r4.
    platform.end('COMPLETED', 'p1', 'p2');
    platform.feed.finish('p1', 'p2');
    spoil();
    expect(new Set(await outputs(jobs))).toEqual(new Set([2, 'not known']));
    expect(jobReads()).toBe(1);
  });

  it.each<[string, () => void]>([
    ['lists no outputs yet', () => platform.jobs.set('job-p1', completed({ renders: [] }))],
    ['cannot be read', () => platform.jobs.set('job-p1', completed({ renders: 7 }))],
    ['is not found', () => (platform.intercept = (name) => gone(name))],
  ])('the count is read again if the job %s', async (_name, spoil) => {
    const jobs = submit('p1');
    platform.end('COMPLETED', 'p1');
    spoil();
    expect(await outputs(jobs)).toEqual(['not known']);
    platform.jobs.clear();
    platform.intercept = () => undefined;
    expect(await outputs(jobs)).toEqual([1]);
  });

  const completed = (more: object) => ({ jobId: 'job-p1', status: 'COMPLETED', ...more });
  const gone = (name: string) =>
    name === 'GET /renders/job-p1'
      ? { status: 404, body: { error: { code: 'RENDER_JOB_NOT_FOUND', message: 'gone' } } }
      : undefined;
});
