import { expect } from 'vitest';
import { first } from '../_core-resources.ts';
import type { Platform } from '../_platform.ts';
import { bodyRows, done, invalid, many, ok, type Row, refused, type Table } from '../_rows.ts';
import { Job, JobConfirmed, JobCreated, Project } from '../_shapes.ts';

const model = { fileName: 'a.glb', fileType: 'glb' };

async function uploaded(p: Platform, body: object, names: readonly string[], bytes?: Uint8Array) {
  const job = await p.ok('POST /jobs', JobCreated, {
    models: names.map((fileName) => ({ fileName, fileType: 'glb' })),
    ...body,
  });
  for (const { uploadUrl } of job.models) await p.put(uploadUrl, bytes ?? p.target.glb);
  return job;
}

async function confirmed(p: Platform, body: object, names: readonly string[], bytes?: Uint8Array) {
  const { jobId, models } = await uploaded(p, body, names, bytes);
  const answer = await p.ok(`POST /jobs/${jobId}/confirm-uploads`, JobConfirmed);
  expect(answer).toMatchObject({ jobId, status: 'PROCESSING', modelsConfirmed: names.length });
  return { jobId, models };
}

/** Polls a job until its end. @returns the statuses that it passed through, and the job at its end */
async function followed(p: Platform, jobId: string) {
  const statuses: string[] = [];
  const job = await p.until(
    async () => {
      const read = await p.ok(`GET /jobs/${jobId}`, Job);
      if (statuses.at(-1) !== read.status) statuses.push(read.status);
      return read;
    },
    ({ status }) => status === 'COMPLETE' || status === 'FAILED',
  );
  return { job, statuses };
}

const rendering = {
  templateId: '{template}',
  renderSettings: {
    renderBookmarks: true,
    renderShots: false,
    renderVariants: false,
    imageQuality: 0,
  },
};

export const jobCreate: Table = {
  section: '4.7 POST /jobs',
  rows: [
    {
      rule: 'a new job is AWAITING_UPLOADS and has an upload for each model',
      send: 'POST /jobs',
      body: { models: [model, { ...model, fileName: 'b.glb' }] },
      is: done(JobCreated, {
        status: 'AWAITING_UPLOADS',
        models: [{ fileName: 'a.glb' }, { fileName: 'b.glb' }],
      }),
    },
    ...bodyRows('models contains 1-50 items', 'POST /jobs', invalid, [
      {},
      { models: [] },
      { models: many(51, () => model) },
      { models: model },
      { models: null },
    ]),
    ...bodyRows(
      'fileName and fileType (^[a-z0-9]{1,8}$) are required, and name is a string',
      'POST /jobs',
      invalid,
      [
        { models: [{ fileType: 'glb' }] },
        { models: [{ fileName: 'a.glb' }] },
        { models: [{ ...model, fileType: '.glb' }] },
        { models: [{ ...model, fileType: 'GLB' }] },
        { models: [{ ...model, fileType: 'abcdefghi' }] },
        { models: [{ ...model, fileName: 7 }] },
        { models: [{ ...model, name: 7 }] },
      ],
    ),
    ...bodyRows('createProjects is a boolean', 'POST /jobs', invalid, [
      { models: [model], createProjects: 'yes' },
    ]),
    ...bodyRows(
      'templateId is required if bookmarks or shots are rendered',
      'POST /jobs',
      invalid,
      [
        { models: [model], renderSettings: { renderBookmarks: true } },
        { models: [model], renderSettings: { renderShots: true } },
        { models: [model], renderSettings: { renderBookmarks: false, renderShots: true } },
      ],
    ),
    ...bodyRows(
      'a request that renders neither bookmarks nor shots, or has a templateId, is accepted',
      'POST /jobs',
      done(JobCreated),
      [
        { models: [model], renderSettings: { renderBookmarks: false, renderShots: false } },
        { models: [model], templateId: '{template}' },
        { models: [model], templateId: '{template}', renderSettings: { renderBookmarks: true } },
      ],
    ),
    ...bodyRows('renderSettings follow the rules of section 2.5', 'POST /jobs', invalid, [
      { models: [model], templateId: '{template}', renderSettings: { imageQuality: 3 } },
      { models: [model], templateId: '{template}', renderSettings: { imageFormat: 'GIF' } },
      { models: [model], templateId: '{template}', renderSettings: 'fast' },
    ]),
    ...bodyRows('webhookUrl is a public http(s) URL', 'POST /jobs', invalid, [
      { models: [model], webhookUrl: 'nope' },
      { models: [model], webhookUrl: 'ftp://example.com/' },
      { models: [model], webhookUrl: 'http://localhost/hook' },
      { models: [model], webhookUrl: 'http://10.0.0.1/hook' },
      { models: [model], webhookUrl: 'http://169.254.169.254/' },
      { models: [model], webhookUrl: 'http://[::1]/' },
      { models: [model], webhookUrl: 7 },
    ]),
    {
      rule: 'an unknown template is refused',
      send: 'POST /jobs',
      body: { models: [model], templateId: '{absent}' },
      is: { status: 404, code: ['TEMPLATE_NOT_FOUND', 'NOT_FOUND'] },
    },
    {
      rule: '50 models are accepted',
      send: 'POST /jobs',
      body: { models: many(50, (index) => ({ ...model, fileName: `j-${index}.glb` })) },
      is: done(JobCreated),
    },
    {
      rule: 'models that cannot be created are listed as errors',
      on: {},
      check: async (p) => {
        await p.controls.faults([{ model: 'broken*', do: { refuse: 'no room' } }]);
        const body = { models: [model, { ...model, fileName: 'broken.glb' }] };
        const { models, errors } = await p.ok('POST /jobs', JobCreated, body);
        expect([models.length, errors?.length]).toEqual([1, 1]);
      },
    },
  ],
};

const partial = (
  rule: string,
  body: object,
  check: (
    parts: { p: Platform; names: readonly string[] } & Awaited<ReturnType<typeof followed>>,
  ) => Promise<void>,
  names = ['left.glb', 'right.glb'],
): Row => ({
  rule,
  check: async (p) => {
    const { jobId } = await confirmed(p, body, names);
    await check({ p, names, ...(await followed(p, jobId)) });
  },
});

export const jobRun: Table = {
  section: '4.7 and 3.3 unified jobs',
  rows: [
    ...bodyRows(
      'an unknown job is refused',
      'POST /jobs/{absent}/confirm-uploads',
      refused(404, 'JOB_NOT_FOUND'),
      [undefined, {}],
    ),
    {
      rule: 'an unknown job is refused',
      send: 'GET /jobs/{absent}',
      is: refused(404, 'JOB_NOT_FOUND'),
    },
    {
      rule: 'a job without uploads stays AWAITING_UPLOADS, however often it is read',
      check: async (p) => {
        const { jobId } = await p.ok('POST /jobs', JobCreated, { models: [model] });
        for (const _ of [1, 2, 3]) {
          const job = await p.ok(`GET /jobs/${jobId}`, Job);
          expect(job).toMatchObject({
            jobId,
            status: 'AWAITING_UPLOADS',
            progress: { modelsTotal: 1, modelsReady: 0, projectsCreated: 0, rendersComplete: 0 },
          });
          expect(job).not.toHaveProperty('results');
          await p.advance(2);
        }
      },
    },
    partial(
      'a job without a template and without rendering creates ungrouped projects and no renders',
      {},
      async ({ p, job, statuses }) => {
        expect(statuses).toEqual(['PROCESSING', 'CREATING_PROJECTS', 'COMPLETE']);
        expect(job).not.toHaveProperty('batchProject');
        expect(job).not.toHaveProperty('error');
        expect(job.progress).toMatchObject({
          modelsUploaded: 2,
          modelsReady: 2,
          modelsTotal: 2,
          projectsCreated: 2,
          projectsTotal: 2,
          rendersComplete: 0,
          rendersTotal: 0,
        });
        expect(job.results?.map(({ project }) => project?.name)).toEqual(['left', 'right']);
        for (const result of job.results ?? []) {
          expect(result).not.toHaveProperty('renders');
          const project = await p.ok(`GET /projects/${result.project?.id}`, Project);
          expect(project.modelIds).toEqual([result.model.id]);
        }
      },
    ),
    partial(
      'the projects of several models with a template are grouped',
      { templateId: '{template}' },
      async ({ p, job }) => {
        expect(job.batchProject).toEqual({ id: expect.any(String), title: expect.any(String) });
        const project = await p.ok(`GET /projects/${job.results?.[0]?.project?.id}`, Project);
        expect(project.templateId).toBe(await p.resources.id('template'));
      },
    ),
    partial(
      'the project of a single model with a template is not grouped',
      { templateId: '{template}' },
      async ({ job }) => {
        expect(job.status).toBe('COMPLETE');
        expect(job).not.toHaveProperty('batchProject');
      },
      ['single.glb'],
    ),
    partial(
      'a job with rendering is RENDERING, then COMPLETE with renders',
      rendering,
      async ({ p, job, statuses }) => {
        expect(statuses).toEqual(['PROCESSING', 'CREATING_PROJECTS', 'RENDERING', 'COMPLETE']);
        expect(job.progress.rendersComplete).toBe(job.progress.rendersTotal);
        expect(job.progress.rendersTotal).toBeGreaterThan(0);
        for (const { renders } of job.results ?? []) {
          expect(renders?.length).toBeGreaterThan(0);
          expect((await p.file(renders?.[0]?.imageUrl ?? '')).status).toBe(200);
        }
      },
    ),
    partial(
      'createProjects: false creates only models',
      { createProjects: false },
      async ({ job }) => {
        expect(job).toMatchObject({
          status: 'COMPLETE',
          progress: { modelsReady: 2, projectsCreated: 0 },
        });
      },
    ),
    {
      rule: 'only a read moves a job to its next phase',
      only: 'moves the clock',
      check: async (p) => {
        const { jobId } = await confirmed(p, {}, ['unread.glb']);
        await p.advance(120);
        const read = await p.ok(`GET /jobs/${jobId}`, Job);
        expect(read.status).toBe('CREATING_PROJECTS');
        await p.advance(1);
        expect((await p.ok(`GET /jobs/${jobId}`, Job)).status).toBe('COMPLETE');
      },
    },
    {
      rule: 'a confirmation without uploads is refused',
      check: async (p) => {
        const { jobId } = await p.ok('POST /jobs', JobCreated, { models: [model] });
        const answer = await p.send(`POST /jobs/${jobId}/confirm-uploads`);
        expect(answer.status).toBe(400);
      },
    },
    {
      rule: 'a job with a broken model stays FAILED, with an error',
      check: async (p) => {
        const { jobId } = await confirmed(p, {}, ['broken.glb'], Buffer.from('no GLB'));
        const { job } = await followed(p, jobId);
        expect(job).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/./) });
        expect(job).not.toHaveProperty('results');
        await p.advance(60);
        await p.meets(`GET /jobs/${jobId}`, {}, ok(Job, { status: 'FAILED' }));
      },
    },
    {
      rule: 'the models of a job are in the workspace',
      check: async (p) => {
        const { models } = await uploaded(p, {}, ['member.glb']);
        await p.meets(`GET /models/${first(models).id}`, {}, ok());
      },
    },
  ],
};
