// Section 4.4 (renders), 2.4 to 2.6 and 3.2.
import { beforeAll, describe, expect, test } from 'vitest';
import { absentId, type Client, eventually, type Refusal } from './_client.ts';
import { createProject, finishedRender, type Patience, readyModel } from './_things.ts';

const bad: Refusal = [400, 'VALIDATION_ERROR'];
const settings: [title: string, settings: unknown][] = [
  ['a quality that is none', { imageQuality: 3 }],
  ['a format in lower case', { imageFormat: 'png' }],
  ['an unknown format', { imageFormat: 'GIF' }],
  ['text for a boolean', { renderBookmarks: 'yes' }],
  ['a width of 0', { imageCustomResolution: true, imageCustomWidth: 0, imageCustomHeight: 10 }],
  ['ids that are not a list', { bookmarksToRender: 'main' }],
  ['no object', 'fast'],
];
const invalid: [route: string, body: unknown][] = [
  ['POST /renders', {}],
  ['POST /renders', { projectIds: [] }],
  ['POST /renders', { projectIds: Array.from({ length: 51 }, (_, index) => `id-${index}`) }],
  ['GET /renders?limit=0', undefined],
  ['GET /renders?limit=101', undefined],
  ['GET /renders?isVideo=perhaps', undefined],
];

export function renderSuite(client: Client, glb: Uint8Array, patience: Patience): void {
  describe('4.4: renders', () => {
    let modelId = '';
    let projectId = '';
    beforeAll(async () => {
      modelId = await readyModel(client, glb, 'rendered.glb', patience);
      ({ projectId } = await createProject(client, [modelId], 'Rendered'));
    }, 2 * patience.patienceMs);

    test.each(invalid)('%s %j is refused', (route, body) => client.refused(route, bad, { body }));

    test.each(settings)('settings with %s are refused', async (_title, value) => {
      const body = { projectIds: [projectId], settings: value };
      await client.refused('POST /renders', bad, { body });
    });

    test('a project that is missing is refused', async () => {
      const answer = await client.send('POST /renders', { body: { projectIds: [absentId] } });
      expect(answer.status).toBe(404);
    });

    test('duplicates are removed before the cap of 50', async () => {
      const projectIds = Array.from({ length: 60 }, () => projectId);
      const { jobs, totalProjects } = await client.ok('createRenders', 'POST /renders', {
        projectIds,
      });
      expect([jobs.length, totalProjects]).toEqual([1, 1]);
    });

    test('settings may hold keys the document does not name', async () => {
      const body = { projectIds: [projectId], settings: { somethingNew: { a: 1 } } };
      await client.ok('createRenders', 'POST /renders', body);
    });

    test(
      'from QUEUED to a file of the asked format',
      async () => {
        const { batchId, jobs, job } = await finishedRender(client, projectId, patience);
        expect(jobs).toMatchObject([{ projectId }]);
        const batch = await client.ok('getRenderBatch', `GET /renders/batch/${batchId}`);
        expect(batch).toMatchObject({ batchId, total: 1, counts: { COMPLETED: 1 } });
        expect(batch.jobs[0]).toMatchObject({ jobId: job.jobId, status: 'COMPLETED', projectId });
        const [output] = job.renders ?? [];
        expect(output).toMatchObject({ fileType: 'PNG', isVideo: false });
        const direct = await fetch(output?.filePath ?? '');
        expect(direct.status).toBe(200);
        const bytes = Buffer.from(await direct.arrayBuffer());
        expect(bytes.subarray(1, 4).toString()).toBe('PNG');
        const redirect = await client.send(`GET /renders/${output?.id}/download`);
        expect(redirect.status).toBe(302);
        const signed = await fetch(redirect.headers.get('location') ?? '');
        expect(Buffer.from(await signed.arrayBuffer()).equals(bytes)).toBe(true);
        const list = await client.ok('listRenders', `GET /renders?projectId=${projectId}`);
        const asset = list.renders.find(({ id }) => id === output?.id);
        expect(asset).toMatchObject({ projectId, isVideo: false, fileSize: bytes.length });
        expect((await client.ok('listRenders', 'GET /renders?isVideo=true')).renders).toEqual([]);
        const body = undefined;
        await client.refused(`POST /renders/${job.jobId}/cancel`, [400, 'INVALID_STATUS'], {
          body,
        });
        const retry = await client.send(`POST /renders/${job.jobId}/retry`);
        expect(retry.status).toBe(400);
      },
      2 * patience.patienceMs,
    );

    test('a queued job can be cancelled, and then is CANCELLED for good', async () => {
      const { jobs } = await client.ok('createRenders', 'POST /renders', {
        projectIds: [projectId],
      });
      const jobId = jobs[0]?.jobId ?? '';
      const answer = await client.send<{ status: string }>(`POST /renders/${jobId}/cancel`);
      // The window is short: a job that was dispatched already refuses.
      if (answer.status === 200) {
        expect(answer.body).toEqual({ jobId, status: 'CANCELLED' });
        const job = await client.ok('getRenderJob', `GET /renders/${jobId}`);
        expect(job.status).toBe('CANCELLED');
      } else {
        expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_STATUS' } } });
      }
      const done = ['CANCELLED', 'COMPLETED', 'FAILED'];
      await eventually(
        () => client.ok('getRenderJob', `GET /renders/${jobId}`),
        ({ status }) => done.includes(status),
        patience.patienceMs,
      );
      await client.refused(`POST /renders/${jobId}/cancel`, [400, 'INVALID_STATUS']);
    });
  });
}
