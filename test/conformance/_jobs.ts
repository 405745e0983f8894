// Section 4.7 (unified jobs), 2.9 and 3.3.
import { describe, expect, test } from 'vitest';
import { absentId, type Client, eventually, type Refusal } from './_client.ts';
import type { Patience } from './_things.ts';

const bad: Refusal = [400, 'VALIDATION_ERROR'];
const model = { fileName: 'a.glb', fileType: 'glb' };
const invalid: [title: string, body: unknown][] = [
  ['no models', { models: [] }],
  ['51 models', { models: Array.from({ length: 51 }, () => model) }],
  ['a model without a file name', { models: [{ fileType: 'glb' }] }],
  ['a model without a type', { models: [{ fileName: 'a.glb' }] }],
  ['a type with a dot', { models: [{ fileName: 'a.glb', fileType: '.glb' }] }],
  ['bookmarks without a template', { models: [model], renderSettings: { renderBookmarks: true } }],
  ['shots without a template', { models: [model], renderSettings: { renderShots: true } }],
  ['a webhook that is no URL', { models: [model], webhookUrl: 'nope' }],
  ['a webhook by ftp', { models: [model], webhookUrl: 'ftp://example.com/' }],
  ['a webhook on localhost', { models: [model], webhookUrl: 'http://localhost/hook' }],
  ['a webhook on a private address', { models: [model], webhookUrl: 'http://10.0.0.1/hook' }],
  ['a webhook on the metadata host', { models: [model], webhookUrl: 'http://169.254.169.254/' }],
];

export function jobSuite(client: Client, glb: Uint8Array, patience: Patience): void {
  /** A job with its files uploaded, not confirmed. */
  async function uploadedJob(body: object, fileNames: readonly string[]) {
    const job = await client.ok('createJob', 'POST /jobs', {
      models: fileNames.map((fileName) => ({ fileName, fileType: 'glb' })),
      ...body,
    });
    expect(job.status).toBe('AWAITING_UPLOADS');
    expect(job.models.map(({ fileName }) => fileName)).toEqual(fileNames);
    for (const { id, uploadUrl } of job.models) {
      client.made(`/models/${id}`);
      await client.upload(uploadUrl, glb);
    }
    return job;
  }

  async function finish(jobId: string) {
    return eventually(
      () => client.ok('getJob', `GET /jobs/${jobId}`),
      ({ status }) => status === 'COMPLETE' || status === 'FAILED',
      patience.patienceMs,
    );
  }

  describe('4.7: unified jobs', () => {
    test.each(invalid)('%s: refused', (_title, body) =>
      client.refused('POST /jobs', bad, { body }),
    );

    test('a template that is missing is refused', async () => {
      const answer = await client.send('POST /jobs', {
        body: { models: [model], templateId: absentId },
      });
      expect(answer.status).toBe(404);
    });

    test('nothing uploaded: the confirmation is refused', async () => {
      const { jobId, models } = await client.ok('createJob', 'POST /jobs', { models: [model] });
      for (const { id } of models) client.made(`/models/${id}`);
      const answer = await client.send(`POST /jobs/${jobId}/confirm-uploads`);
      expect(answer.status).toBe(400);
    });

    test(
      'without a template: projects, no grouping, no renders',
      async () => {
        const { jobId } = await uploadedJob({}, ['left.glb', 'right.glb']);
        const confirmed = await client.ok(
          'confirmJobUploads',
          `POST /jobs/${jobId}/confirm-uploads`,
        );
        expect(confirmed).toEqual({ jobId, status: 'PROCESSING', modelsConfirmed: 2 });
        const job = await finish(jobId);
        expect(job.status).toBe('COMPLETE');
        expect(job.batchProject).toBeUndefined();
        expect(job.progress).toMatchObject({ modelsReady: 2, modelsTotal: 2, projectsCreated: 2 });
        expect(job.results?.map(({ project }) => project?.name)).toEqual(['left', 'right']);
        for (const result of job.results ?? []) {
          client.made(`/projects/${result.project?.id}`);
          expect(result.renders).toBeUndefined();
        }
      },
      2 * patience.patienceMs,
    );

    test(
      'with a template and bookmarks: grouped and rendered',
      async () => {
        const { templates } = await client.ok('listTemplates', 'GET /templates');
        const templateId = templates[0]?.templateId;
        const renderSettings = { renderBookmarks: true, renderShots: false, imageQuality: 0 };
        const names = ['one.glb', 'two.glb'];
        const { jobId } = await uploadedJob({ templateId, renderSettings }, names);
        await client.ok('confirmJobUploads', `POST /jobs/${jobId}/confirm-uploads`);
        const job = await finish(jobId);
        expect(job).toMatchObject({ status: 'COMPLETE' });
        expect(job.batchProject?.id).toBeTypeOf('string');
        for (const result of job.results ?? []) {
          client.made(`/projects/${result.project?.id}`);
          const file = await fetch(result.renders?.[0]?.imageUrl ?? '');
          expect(file.status).toBe(200);
        }
        expect(job.results).toHaveLength(2);
      },
      3 * patience.patienceMs,
    );

    test(
      'createProjects: false ends with models only',
      async () => {
        const { jobId, models } = await uploadedJob({ createProjects: false }, ['alone.glb']);
        await client.ok('confirmJobUploads', `POST /jobs/${jobId}/confirm-uploads`);
        const modelIds = models.map(({ id }) => id);
        // The models go on by themselves, whether or not the job is read.
        await eventually(
          () => client.ok('checkModelStatus', 'POST /models/status', { modelIds }),
          ({ allReady }) => allReady,
          patience.patienceMs,
        );
        expect((await finish(jobId)).status).toBe('COMPLETE');
      },
      2 * patience.patienceMs,
    );
  });
}
