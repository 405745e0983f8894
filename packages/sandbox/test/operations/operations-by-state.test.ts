// The response of each operation in each state of its resource: one row per state.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bodyRule, createBatch } from '../_colorways.ts';
import {
  createModel,
  createProject,
  finishRender,
  readRender,
  readyModel,
  startRender,
} from '../_flows.ts';
import { readyMaterial } from '../_library.ts';
import { variantIdsOf } from '../_production.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

/** Status and error code of a response: `200` or `400 INVALID_STATUS`. */
async function outcome(route: string, body?: object): Promise<string> {
  const answer = await sandbox.call<{ error?: { code: string } }>(route, body);
  return [answer.status, answer.body.error?.code].filter((part) => part !== undefined).join(' ');
}

describe('a processed model', () => {
  const usable = {
    project: '201',
    glb: '302',
    variants: 1,
    swapped: 1,
    export: '202 CAPTURING',
    views: '202',
  };
  const unusable = {
    project: '400 VALIDATION_ERROR',
    glb: '404 NO_FILE',
    variants: 1,
    swapped: 0,
    export: '200 FAILED',
    views: '200',
  };

  test.each([
    ['PENDING', unusable],
    ['UPLOADING', unusable],
    ['ANALYZING', unusable],
    ['READY', usable],
    ['APPROVED', usable],
    ['FAILED', unusable],
    ['MODEL_REJECTED', unusable],
    ['MODEL_REQUIRED', unusable],
  ])('operations on a processed model that is set to %s return %j', async (status, answers) => {
    const modelId = await readyModel(sandbox);
    const variantIds = await variantIdsOf(sandbox, modelId);
    const projectId = await createProject(sandbox, [modelId]);
    const material = await readyMaterial(sandbox);
    await sandbox.control(`/models/${modelId}/status`, { status });

    const production = `POST /models/${modelId}/production-`;
    const made = await sandbox.call(`${production}files/export`, { variantIds });
    const batch = await createBatch(sandbox, [bodyRule(material)]);
    expect({
      project: await outcome('POST /projects', { modelIds: [modelId] }),
      glb: await outcome(`GET /models/${modelId}/download`),
      variants: (await variantIdsOf(sandbox, modelId)).length,
      swapped: batch.totalJobs,
      export: `${made.status} ${String(made.body['status'])}`,
      views: await outcome(`${production}views`, { variantIds: ['*'], captureMode: 'lit' }),
    }).toEqual(answers);

    // A model that was left out has a warning with its name and the reason.
    expect(batch.warnings.map(({ modelName, message }) => [modelName, message])).toEqual(
      answers.swapped === 1
        ? []
        : [
            [
              'chair',
              `The model is ${status}; materials can be swapped only on READY and APPROVED models.`,
            ],
          ],
    );
    // The result of these operations does not depend on a status.
    expect([
      await outcome(`GET /models/${modelId}`),
      await outcome(`PATCH /models/${modelId}`, { name: 'bench' }),
      await outcome(`POST /models/${modelId}/confirm`, { fileType: 'glb' }),
      await outcome(`GET /models/${modelId}/download?format=source`),
      await outcome(`GET /models/${modelId}/decal-slots`),
      await outcome(`GET /models/${modelId}/production-files`),
      await outcome('POST /renders', { projectIds: [projectId] }),
      await outcome(`DELETE /models/${modelId}`),
      await outcome(`GET /models/${modelId}`),
    ]).toEqual(['200', '200', '200', '302', '200', '200', '201', '200', '404 MODEL_NOT_FOUND']);
    const { body } = await sandbox.call(`GET /projects/${projectId}`);
    expect(body).toMatchObject({ modelIds: [] });
  });

  test.each([
    ['glb', '302', '302'],
    ['usdz', '404 NO_FILE', '302'],
    ['obj', '404 NO_FILE', '404 NO_FILE'],
  ])(
    'a processed model of the type .%s is downloaded as GLB: %s, as USDZ: %s',
    async (fileType, glb, usdz) => {
      const modelId = await readyModel(sandbox, `chair.${fileType}`, triangleGlb());
      await sandbox.control(`/models/${modelId}/status`, { status: 'READY' });
      expect([
        await outcome(`GET /models/${modelId}/download`),
        await outcome(`GET /models/${modelId}/download?format=usdz`),
        await outcome(`GET /models/${modelId}/download?format=source`),
        await outcome(`GET /models/${modelId}/download?format=fbx`),
      ]).toEqual([glb, usdz, '302', '400 VALIDATION_ERROR']);
    },
  );
});

test('a model without a file is refused by operations that need one', async () => {
  const { modelId } = await createModel(sandbox);
  expect([
    await outcome(`POST /models/${modelId}/confirm`, { fileType: 'glb' }),
    await outcome(`GET /models/${modelId}/download?format=source`),
    await outcome('POST /projects', { modelIds: [modelId] }),
    await outcome(`GET /models/${modelId}/variants`),
    await outcome(`GET /models/${modelId}/decal-slots`),
  ]).toEqual(['400 FILE_NOT_UPLOADED', '404 NO_FILE', '400 VALIDATION_ERROR', '200', '200']);
  expect(await variantIdsOf(sandbox, modelId)).toEqual([]);
});

describe('a render job', () => {
  const refused = '400 INVALID_STATUS';
  const states: [string, (projectId: string) => Promise<string>, object][] = [
    [
      'QUEUED',
      async (projectId) => (await startRender(sandbox, [projectId])).jobId,
      { cancel: '200', retry: refused, outputs: 0, listed: 0, project: 'IN_PROGRESS' },
    ],
    [
      'RENDERING',
      async (projectId) => {
        const { jobId } = await startRender(sandbox, [projectId]);
        sandbox.advance(2);
        return jobId;
      },
      { cancel: refused, retry: refused, outputs: 0, listed: 0, project: 'IN_PROGRESS' },
    ],
    [
      'COMPLETED',
      async (projectId) => {
        const { jobId } = await startRender(sandbox, [projectId]);
        await finishRender(sandbox, jobId);
        return jobId;
      },
      { cancel: refused, retry: refused, outputs: 1, listed: 1, project: 'COMPLETED' },
    ],
    [
      'FAILED',
      async (projectId) => {
        await sandbox.control('/faults', [{ render: '*', times: 1, do: { failure: 'no power' } }]);
        const { jobId } = await startRender(sandbox, [projectId]);
        sandbox.advance(9);
        return jobId;
      },
      { cancel: refused, retry: '200', outputs: 0, listed: 0, project: 'COMPLETED' },
    ],
    [
      'CANCELLED',
      async (projectId) => {
        const { jobId } = await startRender(sandbox, [projectId]);
        await sandbox.call(`POST /renders/${jobId}/cancel`);
        sandbox.advance(9);
        return jobId;
      },
      { cancel: refused, retry: refused, outputs: 0, listed: 0, project: 'COMPLETED' },
    ],
  ];

  test.each(states)(
    'a render job that is %s allows only some operations',
    async (status, reach, answers) => {
      const projectId = await createProject(sandbox, [await readyModel(sandbox)]);
      const jobId = await reach(projectId);
      const job = await readRender(sandbox, jobId);
      expect(job.status).toBe(status);
      expect(job.errorMessage).toBe(status === 'FAILED' ? 'no power' : undefined);

      const list = await sandbox.call<{ total: number }>(`GET /renders?projectId=${projectId}`);
      const projects = await sandbox.call<{ projects: { status: string }[] }>('GET /projects');
      // Only one of these two can succeed, so neither changes the state for the other.
      expect({
        cancel: await outcome(`POST /renders/${jobId}/cancel`),
        retry: await outcome(`POST /renders/${jobId}/retry`),
        outputs: job.renders.length,
        listed: list.body.total,
        project: projects.body.projects[0]?.status,
      }).toEqual(answers);
      for (const { id } of job.renders) {
        expect(await outcome(`GET /renders/${id}/download`)).toBe('302');
      }
    },
  );

  test('a retried render job leaves its old batch, which becomes empty', async () => {
    const projectId = await createProject(sandbox, [await readyModel(sandbox)]);
    await sandbox.control('/faults', [{ render: '*', times: 1, do: { failure: 'no power' } }]);
    const { jobId, batchId } = await startRender(sandbox, [projectId]);
    sandbox.advance(9);
    const { body } = await sandbox.call<{ batchId: string }>(`POST /renders/${jobId}/retry`);
    expect(body).toMatchObject({ jobId, status: 'QUEUED', projectId });
    expect(body.batchId).not.toBe(batchId);
    const batch = async (id: string) => (await sandbox.call(`GET /renders/batch/${id}`)).body;
    expect(await batch(batchId)).toEqual({ batchId, total: 0, counts: {}, jobs: [] });
    expect(await batch(body.batchId)).toMatchObject({ total: 1, counts: { QUEUED: 1 } });
  });

  test('a COMPLETED or QUEUED render job is deleted with its project', async () => {
    const projectId = await createProject(sandbox, [await readyModel(sandbox)]);
    const done = await startRender(sandbox, [projectId]);
    const { renders } = await finishRender(sandbox, done.jobId);
    const queued = await startRender(sandbox, [projectId]);
    expect(await outcome(`DELETE /projects/${projectId}`)).toBe('200');
    expect([
      await outcome(`GET /renders/${done.jobId}`),
      await outcome(`GET /renders/${queued.jobId}`),
      await outcome(`POST /renders/${queued.jobId}/cancel`),
      await outcome(`GET /renders/${renders[0]?.id}/download`),
      await outcome('POST /renders', { projectIds: [projectId] }),
    ]).toEqual([
      '404 RENDER_JOB_NOT_FOUND',
      '404 RENDER_JOB_NOT_FOUND',
      '404 RENDER_JOB_NOT_FOUND',
      '404 NOT_FOUND',
      '404 PROJECT_NOT_FOUND',
    ]);
  });
});

describe('a unified job', () => {
  interface Job {
    jobId: string;
    status: string;
    models: { id: string; uploadUrl: string }[];
    progress: Record<string, number>;
    error?: string;
  }
  const settings = { renderBookmarks: true, imageQuality: 0 };
  const zero = {
    modelsUploaded: 0,
    modelsReady: 0,
    modelsTotal: 1,
    projectsCreated: 0,
    projectsTotal: 1,
    rendersComplete: 0,
    rendersTotal: 1,
  };
  const uploaded = { ...zero, modelsUploaded: 1 };
  const created = { ...uploaded, modelsReady: 1, projectsCreated: 1 };

  const read = async ({ jobId }: Job) => (await sandbox.call<Job>(`GET /jobs/${jobId}`)).body;
  const confirm = ({ jobId }: Job) => outcome(`POST /jobs/${jobId}/confirm-uploads`);
  const start = async () => {
    const { body } = await sandbox.call<Job>('POST /jobs', {
      models: [{ fileName: 'chair.glb', fileType: 'glb' }],
      templateId: 'tpl-studio-white',
      renderSettings: settings,
    });
    return body;
  };
  const upload = async (job: Job) => {
    for (const { uploadUrl } of job.models) await sandbox.put(uploadUrl, triangleGlb());
  };
  /** Reads the job this many times, with time for each phase in between. */
  const advance = async (job: Job, reads: number) => {
    await upload(job);
    await confirm(job);
    for (let count = 0; count < reads; count += 1) {
      sandbox.advance(9);
      await sandbox.sandbox.idle();
      await read(job);
    }
  };

  test.each<[string, (job: Job) => Promise<unknown>, object, string]>([
    ['AWAITING_UPLOADS', async () => undefined, zero, '400 FILE_NOT_UPLOADED'],
    ['AWAITING_UPLOADS', upload, uploaded, '200'],
    ['PROCESSING', (job) => advance(job, 0), uploaded, '400 INVALID_STATUS'],
    // A read returns the phase that it has started.
    ['RENDERING', (job) => advance(job, 1), created, '400 INVALID_STATUS'],
    [
      'COMPLETE',
      (job) => advance(job, 3),
      { ...created, rendersComplete: 1 },
      '400 INVALID_STATUS',
    ],
  ])(
    'a unified job that is %s returns its progress, and accepts or refuses another confirmation',
    async (status, reach, progress, again) => {
      const job = await start();
      await reach(job);
      expect(await read(job)).toMatchObject({ status, progress });
      expect(await confirm(job)).toBe(again);
    },
  );

  test.each<[string, number, (job: Job) => Promise<unknown>, RegExp]>([
    [
      'its model deleted while being processed',
      0,
      (job) => sandbox.call(`DELETE /models/${job.models[0]?.id}`),
      /^A model was deleted\.$/,
    ],
    [
      'its model rejected',
      0,
      (job) => sandbox.control(`/models/${job.models[0]?.id}/status`, { status: 'MODEL_REJECTED' }),
      /^Model \S+ \(chair\) is MODEL_REJECTED\.$/,
    ],
    [
      'its project deleted before being rendered',
      1,
      async () => {
        const { body } = await sandbox.call<{ projects: { projectId: string }[] }>('GET /projects');
        return sandbox.call(`DELETE /projects/${body.projects[0]?.projectId}`);
      },
      /^A project was deleted\.$/,
    ],
    [
      'its project deleted while being rendered',
      2,
      async () => {
        const { body } = await sandbox.call<{ projects: { projectId: string }[] }>('GET /projects');
        return sandbox.call(`DELETE /projects/${body.projects[0]?.projectId}`);
      },
      /^A project was deleted\.$/,
    ],
  ])('a unified job with %s stays FAILED', async (_title, reads, harm, error) => {
    const job = await start();
    await advance(job, reads);
    await harm(job);
    sandbox.advance(60);
    const failed = await read(job);
    expect(failed.status).toBe('FAILED');
    expect(failed.error).toMatch(error);
    expect(failed).not.toHaveProperty('results');
    sandbox.advance(600);
    expect(await read(job)).toEqual(failed);
    expect(await confirm(job)).toBe('400 INVALID_STATUS');
  });
});
