import { expect } from 'vitest';
import { createModel, readyModel, startRender, uploadedModel } from '../_core-resources.ts';
import { created, invalid, ok, type Row, refused, type Table } from '../_rows.ts';
import { ModelChecks, ModelDetail, ProjectsCreated, RenderBatch, RenderJob } from '../_shapes.ts';

const glb = { fileType: 'glb' };

export const modelStates: Table = {
  section: '3.1 model status',
  rows: [
    {
      rule: 'a new model without a file is PENDING or UPLOADING',
      send: 'GET /models/{emptyModel}',
      is: ok(ModelDetail, { status: expect.stringMatching(/^(PENDING|UPLOADING)$/) }),
    },
    {
      rule: 'a confirmed model becomes READY, and its status never moves back',
      check: async (p) => {
        const modelId = await uploadedModel(p, 'states.glb');
        const order = ['PENDING', 'ANALYZING', 'READY'];
        const seen: string[] = [];
        await p.until(
          async () => {
            const { models } = await p.ok('POST /models/status', ModelChecks, {
              modelIds: [modelId],
            });
            seen.push(models[0]?.status ?? '');
            return seen.at(-1);
          },
          (status) => status === 'READY',
          1,
        );
        const ranks = seen.map((status) => order.indexOf(status));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        expect(ranks).not.toContain(-1);
      },
    },
    {
      rule: 'a model whose processing failed stays FAILED',
      check: async (p) => {
        const modelId = await p.resources.id('failedModel');
        await p.advance(30);
        await p.meets(`GET /models/${modelId}`, {}, ok(ModelDetail, { status: 'FAILED' }));
      },
    },
    {
      rule: 'a second confirmation leaves a READY model READY',
      check: async (p) => {
        const modelId = await readyModel(p, 'twice.glb');
        await p.meets(
          `POST /models/${modelId}/confirm`,
          { body: glb },
          ok(undefined, { status: 'READY' }),
        );
      },
    },
    ...['MODEL_REJECTED', 'MODEL_REQUIRED', 'FAILED', 'ANALYZING'].map(
      (status): Row => ({
        rule: `a project with a model that is ${status} is refused until the model is APPROVED`,
        on: {},
        check: async (p) => {
          const modelId = await readyModel(p, 'states.glb');
          await p.controls.modelStatus(modelId, status);
          const answer = await p.send('POST /projects', { body: { modelIds: [modelId] } });
          expect(answer.status).toBeGreaterThanOrEqual(400);
          await p.controls.modelStatus(modelId, 'APPROVED');
          await p.meets(
            'POST /projects',
            { body: { modelIds: [modelId] } },
            created(ProjectsCreated),
          );
        },
      }),
    ),
  ],
};

export const renderStates: Table = {
  section: '3.2 render job status',
  rows: [
    {
      rule: 'a job is RENDERING before it is COMPLETED, never moves back, and has outputs only when it is COMPLETED',
      check: async (p) => {
        const { jobId } = await startRender(p, await p.resources.id('project'));
        const order = [
          'QUEUED',
          'INGESTING',
          'PROCESSING',
          'RENDER_QUEUED',
          'RENDERING',
          'STYLING',
          'EXPORTING',
          'COMPLETED',
        ];
        const seen: string[] = [];
        await p.until(
          async () => {
            const job = await p.ok(`GET /renders/${jobId}`, RenderJob);
            seen.push(job.status);
            if (job.status !== 'COMPLETED') expect(job.renders ?? []).toEqual([]);
            return job.status;
          },
          (status) => status === 'COMPLETED',
          0.25,
        );
        const ranks = seen.map((status) => order.indexOf(status));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        expect(seen).toContain('RENDERING');
      },
    },
    {
      rule: 'cancelling a RENDERING job is refused with INVALID_STATUS, and the job completes',
      only: 'needs a job that is certain to be rendering',
      check: async (p) => {
        const { jobId } = await startRender(p, await p.resources.id('project'));
        await p.until(
          () => p.ok(`GET /renders/${jobId}`, RenderJob),
          ({ status }) => status === 'RENDERING',
          0.25,
        );
        await p.refused(`POST /renders/${jobId}/cancel`, refused(400, 'INVALID_STATUS'));
        await p.until(
          () => p.ok(`GET /renders/${jobId}`, RenderJob),
          ({ status }) => status === 'COMPLETED',
        );
      },
    },
    {
      rule: 'a CANCELLED job stays CANCELLED, because it can be neither cancelled nor retried',
      only: 'needs a job that is certain to be queued',
      check: async (p) => {
        const { batchId, jobId } = await startRender(p, await p.resources.id('project'));
        await p.meets(
          `POST /renders/${jobId}/cancel`,
          {},
          ok(undefined, { jobId, status: 'CANCELLED' }),
        );
        await p.advance(60);
        await p.refused(`POST /renders/${jobId}/cancel`, refused(400, 'INVALID_STATUS'));
        expect((await p.send(`POST /renders/${jobId}/retry`)).status).toBe(400);
        await p.meets(`GET /renders/${jobId}`, {}, ok(RenderJob, { status: 'CANCELLED' }));
        await p.meets(
          `GET /renders/batch/${batchId}`,
          {},
          ok(RenderBatch, { total: 1, counts: { CANCELLED: 1 } }),
        );
      },
    },
    {
      rule: 'a FAILED job that is not retried stays FAILED',
      on: {},
      check: async (p) => {
        await p.controls.faults([{ render: '*', do: { failure: 'no power' } }]);
        const { jobId } = await startRender(p, await p.resources.id('project'));
        await p.until(
          () => p.ok(`GET /renders/${jobId}`, RenderJob),
          ({ status }) => status === 'FAILED',
        );
        await p.advance(600);
        await p.meets(`GET /renders/${jobId}`, {}, ok(RenderJob, { status: 'FAILED' }));
      },
    },
  ],
};

export const confirmStates: Table = {
  section: '3.1 confirmation',
  rows: [
    {
      rule: 'a file that is uploaded after a refused confirmation can be confirmed',
      check: async (p) => {
        const { modelId, uploadUrl } = await createModel(p, 'second try.glb');
        const body = glb;
        await p.refused(`POST /models/${modelId}/confirm`, refused(400, 'FILE_NOT_UPLOADED'), {
          body,
        });
        await p.put(uploadUrl, p.target.glb);
        await p.meets(`POST /models/${modelId}/confirm`, { body }, ok());
        await p.refused(`POST /models/${modelId}/confirm`, invalid, { body: {} });
      },
    },
  ],
};
