// Unified jobs on a manual clock: one phase per read, and failures.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { finishRender, statusOf } from '../_flows.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

interface Job {
  jobId: string;
  status: string;
  models: { id: string; fileName: string; uploadUrl: string }[];
  progress: Record<string, number>;
  batchProject?: { id: string; title: string };
  results?: { model: object; project?: { id: string; name: string }; renders?: { id: string }[] }[];
  error?: string;
  errors?: string[];
}

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const rendering = {
  templateId: 'tpl-studio-white',
  renderSettings: { renderBookmarks: true, imageQuality: 0 },
};

async function createJob(names: readonly string[], more: object = {}): Promise<Job> {
  const models = names.map((name) => ({ fileName: `${name}.glb`, fileType: 'glb' }));
  const answer = await sandbox.call<Job>('POST /jobs', { models, ...more });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function upload(job: Job, bytes: readonly Uint8Array[] = []): Promise<void> {
  for (const [index, { uploadUrl }] of job.models.entries()) {
    await sandbox.put(uploadUrl, bytes[index] ?? triangleGlb());
  }
}

const confirm = (job: Job) => sandbox.call(`POST /jobs/${job.jobId}/confirm-uploads`);
const read = async (job: Job) => (await sandbox.call<Job>(`GET /jobs/${job.jobId}`)).body;

describe('phases', () => {
  test('a job moves to its next phase each time it is read, and only then', async () => {
    const job = await createJob(['left', 'right'], rendering);
    await upload(job);
    expect((await read(job)).status).toBe('AWAITING_UPLOADS');
    expect((await confirm(job)).body).toEqual({
      jobId: job.jobId,
      status: 'PROCESSING',
      modelsConfirmed: 2,
    });
    expect((await read(job)).status).toBe('PROCESSING');
    sandbox.advance(1000);
    expect((await sandbox.call('GET /projects')).body).toMatchObject({ total: 0 });
    expect(await read(job)).toMatchObject({
      status: 'CREATING_PROJECTS',
      progress: { modelsReady: 2, projectsCreated: 2, projectsTotal: 2, rendersTotal: 2 },
    });
    sandbox.advance(1000);
    expect(await sandbox.control('/stats')).toMatchObject({ created: { renderJobs: 0 } });
    expect((await read(job)).status).toBe('RENDERING');
    expect((await read(job)).status).toBe('RENDERING');
    sandbox.advance(9);
    await sandbox.sandbox.idle();
    const done = await read(job);
    expect(done).toMatchObject({
      status: 'COMPLETE',
      progress: { rendersComplete: 2, rendersTotal: 2 },
      batchProject: { title: '2 projects' },
    });
    expect(done.results?.map(({ project }) => project?.name)).toEqual(['left', 'right']);
    expect(done.results?.map(({ renders }) => renders?.length)).toEqual([1, 1]);
    expect(await read(job)).toEqual(done);
  });

  test.each([
    ['createProjects: false', { createProjects: false }, ['PROCESSING', 'COMPLETE']],
    [
      'settings without outputs',
      { renderSettings: { imageQuality: 0 } },
      ['PROCESSING', 'CREATING_PROJECTS', 'COMPLETE'],
    ],
  ])('a job with %s skips phases', async (_title, more, phases) => {
    const job = await createJob(['one'], more);
    await upload(job);
    await confirm(job);
    const seen = [(await read(job)).status];
    sandbox.advance(6);
    for (let reads = 1; reads < phases.length; reads += 1) seen.push((await read(job)).status);
    expect(seen).toEqual(phases);
  });

  test.each([
    ['one model with a template', ['one'], { templateId: 'tpl-studio-white' }, false],
    ['two models without a template', ['one', 'two'], {}, false],
    ['two models with a template', ['one', 'two'], { templateId: 'tpl-studio-white' }, true],
  ])(
    'only several models with a template get a batch project: %s',
    async (_title, names, more, grouped) => {
      const job = await createJob(names, more);
      await upload(job);
      await confirm(job);
      sandbox.advance(6);
      const { batchProject } = await read(job);
      expect(batchProject !== undefined).toBe(grouped);
    },
  );

  test('the models of a job are processed even if nobody reads the job', async () => {
    const job = await createJob(['one'], { createProjects: false });
    await upload(job);
    await confirm(job);
    sandbox.advance(6);
    expect(await statusOf(sandbox, job.models[0]?.id ?? '')).toBe('READY');
  });

  test('a read returns the same upload links as the creation', async () => {
    const job = await createJob(['one']);
    sandbox.advance(60);
    expect((await read(job)).models).toEqual(job.models);
  });
});

describe('confirmation', () => {
  test('a confirmation confirms the uploaded models; a missing file fails the job, but not its models', async () => {
    const job = await createJob(['there', 'missing']);
    await sandbox.put(job.models[0]?.uploadUrl ?? '', triangleGlb());
    expect((await confirm(job)).body).toMatchObject({ status: 'PROCESSING', modelsConfirmed: 1 });
    sandbox.advance(6);
    const failed = await read(job);
    expect(failed.status).toBe('FAILED');
    expect(failed.error).toContain('missing');
    expect(await statusOf(sandbox, job.models[0]?.id ?? '')).toBe('READY');
  });
});

describe('failures', () => {
  test('a broken model fails the job, but not its other models', async () => {
    const job = await createJob(['good', 'bad']);
    await upload(job, [triangleGlb(), Buffer.from('bad')]);
    await confirm(job);
    sandbox.advance(6);
    const failed = await read(job);
    expect(failed).toMatchObject({ status: 'FAILED' });
    expect(failed.error).toContain('bad');
    expect(failed.results).toBeUndefined();
    expect(await statusOf(sandbox, job.models[0]?.id ?? '')).toBe('READY');
  });

  test('a failed render fails the job', async () => {
    await sandbox.control('/faults', [{ render: 'one', do: { failure: 'lost' } }]);
    const job = await createJob(['one'], rendering);
    await upload(job);
    await confirm(job);
    sandbox.advance(6);
    await read(job);
    await read(job);
    sandbox.advance(9);
    expect(await read(job)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('FAILED'),
    });
  });

  test('the plan limit for projects fails the job when the job creates projects', async () => {
    const job = await createJob(['one', 'two']);
    await upload(job);
    await confirm(job);
    await sandbox.control('/limits', { projects: 1 });
    sandbox.advance(6);
    expect(await read(job)).toMatchObject({ status: 'FAILED' });
    expect((await sandbox.call('GET /projects')).body).toMatchObject({ total: 0 });
  });

  test('models that cannot be created are listed as errors', async () => {
    await sandbox.control('/faults', [{ model: 'no*', do: { refuse: 'not today' } }]);
    const job = await createJob(['yes', 'nope']);
    expect(job.models.map(({ fileName }) => fileName)).toEqual(['yes.glb']);
    expect(job.errors).toEqual(['nope: not today']);
    expect((await read(job)).errors).toEqual(['nope: not today']);
  });
});

describe('creation', () => {
  test.each([
    ['a missing template', { ...rendering, templateId: 'none' }, 404, 'TEMPLATE_NOT_FOUND'],
    [
      'rendering without projects',
      { ...rendering, createProjects: false },
      400,
      'VALIDATION_ERROR',
    ],
    ['a webhook in a private network', { webhookUrl: 'http://10.0.0.1/' }, 400, 'VALIDATION_ERROR'],
  ])('a job with %s is refused', async (_title, more, status, code) => {
    const models = [{ fileName: 'a.glb', fileType: 'glb' }];
    const answer = await sandbox.call('POST /jobs', { models, ...more });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect((await sandbox.call('GET /models')).body).toMatchObject({ total: 0 });
  });

  test('a public webhook address is accepted', async () => {
    const { jobId } = await createJob(['one'], { webhookUrl: 'https://hooks.example.com/job' });
    expect((await sandbox.call(`GET /jobs/${jobId}`)).body).toMatchObject({
      jobId,
      status: 'AWAITING_UPLOADS',
    });
  });

  test('the renders of a job are in the list of renders', async () => {
    const job = await createJob(['one'], rendering);
    await upload(job);
    await confirm(job);
    sandbox.advance(6);
    await read(job);
    await read(job);
    await finishRender(sandbox, 'none');
    const { results } = await read(job);
    const { body } = await sandbox.call('GET /renders');
    expect(body).toMatchObject({ renders: [{ id: results?.[0]?.renders?.[0]?.id }], total: 1 });
  });
});
