import { expect } from 'vitest';
import { finishedRender, first, startRender } from '../_core-resources.ts';
import { ok, refused, requestRows, type Table } from '../_rows.ts';
import { RenderBatch, RenderCancelled, RenderJob, RenderRetried } from '../_shapes.ts';

const gone = refused(404, 'RENDER_JOB_NOT_FOUND');
const notNow = refused(400, 'INVALID_STATUS');

export const renderJobs: Table = {
  section: '4.4 render jobs and batches, 2.4',
  rows: [
    ...requestRows('an unknown job is refused', gone, [
      'GET /renders/{absent}',
      'POST /renders/{absent}/cancel',
      'POST /renders/{absent}/retry',
    ]),
    ...requestRows('an unknown batch or output is refused', { status: 404 }, [
      'GET /renders/batch/{absent}',
      'GET /renders/{absent}/download',
    ]),
    {
      rule: 'a COMPLETED job has its renders',
      send: 'GET /renders/{renderJob}',
      is: ok(RenderJob, {
        jobId: '{renderJob}',
        status: 'COMPLETED',
        projectId: '{project}',
        renders: [{ id: '{render}', isVideo: false }],
      }),
    },
    {
      rule: 'a finished job cannot be cancelled',
      send: 'POST /renders/{renderJob}/cancel',
      is: notNow,
    },
    {
      rule: 'retrying a COMPLETED job is refused, with a code that is not documented',
      check: async (p) => {
        const answer = await p.send('POST /renders/{renderJob}/retry');
        expect([400, 409, 422]).toContain(answer.status);
      },
    },
    {
      rule: 'a job that is not COMPLETED has no outputs',
      check: async (p) => {
        const { jobId } = await startRender(p, await p.resources.id('project'));
        const job = await p.ok(`GET /renders/${jobId}`, RenderJob);
        if (job.status !== 'COMPLETED') expect(job.renders ?? []).toEqual([]);
      },
    },
    {
      rule: 'filePath is an unsigned URL that needs no key and does not expire',
      only: 'moves the clock',
      check: async (p) => {
        const { renders = [] } = await p.ok('GET /renders/{renderJob}', RenderJob);
        const { filePath } = first(renders);
        expect(new URL(filePath).search).toBe('');
        await p.advance(7200);
        expect((await p.file(filePath)).status).toBe(200);
      },
    },
    {
      rule: 'a download redirects to a signed URL that is valid for one hour',
      only: 'moves the clock',
      check: async (p) => {
        const answer = await p.meets('GET /renders/{render}/download', {}, { status: 302 });
        const url = answer.headers.get('location') ?? '';
        await p.advance(3590);
        expect((await p.file(url)).status).toBe(200);
        await p.advance(20);
        expect((await p.file(url)).status).toBe(403);
      },
    },
    {
      rule: 'a batch counts its jobs by status',
      check: async (p) => {
        const { batchId, jobId } = await startRender(p, await p.resources.id('project'));
        await finishedRender(p, jobId);
        const batch = await p.ok(`GET /renders/batch/${batchId}`, RenderBatch);
        expect(batch).toMatchObject({ batchId, total: 1, jobs: [{ jobId, status: 'COMPLETED' }] });
        const counted = Object.values(batch.counts).reduce((sum, count) => sum + (count ?? 0), 0);
        expect([batch.counts.COMPLETED, counted]).toEqual([1, 1]);
      },
    },
    {
      rule: 'a cancellation before dispatch is permanent, and a later one is refused with INVALID_STATUS',
      check: async (p) => {
        const { jobId } = await startRender(p, await p.resources.id('project'));
        const answer = await p.send(`POST /renders/${jobId}/cancel`);
        if (answer.status === 200) {
          p.conforms(RenderCancelled, answer.body, answer.text);
          await p.advance(30);
          await p.meets(`GET /renders/${jobId}`, {}, ok(RenderJob, { status: 'CANCELLED' }));
        } else {
          expect(answer).toMatchObject({
            status: 400,
            body: { error: { code: 'INVALID_STATUS' } },
          });
          await finishedRender(p, jobId);
        }
        await p.refused(`POST /renders/${jobId}/cancel`, notNow);
      },
    },
    {
      rule: 'a FAILED job has an errorMessage, and a retry moves it to a new batch, where it can complete',
      on: {},
      check: async (p) => {
        await p.controls.faults([{ render: '*', times: 1, do: { failure: 'out of memory' } }]);
        const { batchId, jobId } = await startRender(p, await p.resources.id('project'));
        const failed = await finishedRender(p, jobId);
        expect(failed).toMatchObject({
          status: 'FAILED',
          errorMessage: expect.stringMatching(/memory/),
        });
        await p.meets(
          `GET /renders/batch/${batchId}`,
          {},
          ok(RenderBatch, {
            counts: { FAILED: 1 },
            jobs: [{ errorMessage: expect.stringMatching(/memory/) }],
          }),
        );
        await p.refused(`POST /renders/${jobId}/cancel`, notNow);
        const retried = await p.ok(`POST /renders/${jobId}/retry`, RenderRetried);
        expect(retried.batchId).not.toBe(batchId);
        expect((await finishedRender(p, retried.jobId)).status).toBe('COMPLETED');
        await p.meets(`GET /renders/batch/${retried.batchId}`, {}, ok(RenderBatch, { total: 1 }));
      },
    },
  ],
};
