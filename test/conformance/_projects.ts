// Section 4.3 (projects), 2.3, and 4.5 (templates).
import { beforeAll, describe, expect, test } from 'vitest';
import { absentId, type Client, type Refusal } from './_client.ts';
import { createModel, createProject, type Patience, readyModel } from './_things.ts';

const bad: Refusal = [400, 'VALIDATION_ERROR'];
const invalid: [route: string, body: unknown][] = [
  ['POST /projects', {}],
  ['POST /projects', { modelIds: [] }],
  ['POST /projects', { modelIds: Array.from({ length: 51 }, (_, index) => `id-${index}`) }],
  ['POST /projects', { modelIds: 'one' }],
  ['POST /projects', { modelIds: ['a'], createPerModel: 'yes' }],
  ['GET /projects?limit=0', undefined],
  ['GET /projects?limit=101', undefined],
  ['GET /projects?offset=-1', undefined],
  ['GET /templates?public=maybe', undefined],
];

export function projectSuite(client: Client, glb: Uint8Array, patience: Patience): void {
  describe('4.3: projects', () => {
    let first = '';
    let second = '';
    beforeAll(async () => {
      first = await readyModel(client, glb, 'project one.glb', patience);
      second = await readyModel(client, glb, 'project two.glb', patience);
    }, 2 * patience.patienceMs);

    test.each(invalid)('%s %j is refused', (route, body) => client.refused(route, bad, { body }));

    test('one project of all models', async () => {
      const project = await createProject(client, [first, second], 'Pair');
      expect(project).toMatchObject({ name: 'Pair', modelIds: [first, second] });
      const read = await client.ok('getProject', `GET /projects/${project.projectId}`);
      expect(read).toEqual(project);
      expect(read).not.toHaveProperty('status');
    });

    test('one project per model, grouped', async () => {
      const made = await client.ok('createProjects', 'POST /projects', {
        modelIds: [first, second],
        createPerModel: true,
      });
      for (const { projectId } of made.projects) client.made(`/projects/${projectId}`);
      expect(made.projects.map(({ modelIds }) => modelIds)).toEqual([[first], [second]]);
      expect(made.batchProject?.title).toBeTypeOf('string');
      expect(made.errors).toBeUndefined();
    });

    test('one bad model among several leaves the others their projects', async () => {
      const made = await client.ok('createProjects', 'POST /projects', {
        modelIds: [first, absentId],
        createPerModel: true,
      });
      for (const { projectId } of made.projects) client.made(`/projects/${projectId}`);
      expect(made.projects.map(({ modelIds }) => modelIds)).toEqual([[first]]);
      expect(made.errors).toHaveLength(1);
    });

    test.each([
      ['a model that is missing', () => ({ modelIds: [first, absentId] })],
      ['a template that is missing', () => ({ modelIds: [first], templateId: absentId })],
    ])('%s: NOT_FOUND', async (_title, body) => {
      await client.refused('POST /projects', [404, 'NOT_FOUND'], { body: body() });
    });

    test('a model that is not ready is refused', async () => {
      const { modelId } = await createModel(client, 'not ready.glb');
      const answer = await client.send('POST /projects', { body: { modelIds: [modelId] } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    });

    test('the list is newest first, with status, source and date', async () => {
      const older = await createProject(client, [first]);
      const newer = await createProject(client, [second]);
      const { projects, limit } = await client.ok('listProjects', 'GET /projects');
      const ids = projects.map(({ projectId }) => projectId);
      expect(limit).toBe(50);
      expect(ids.indexOf(newer.projectId)).toBeLessThan(ids.indexOf(older.projectId));
      expect(Date.parse(projects[0]?.createdAt ?? '')).not.toBeNaN();
    });

    test('deleted with what was rendered from it', async () => {
      const { projectId } = await createProject(client, [first]);
      const { jobs } = await client.ok('createRenders', 'POST /renders', {
        projectIds: [projectId],
      });
      const deleted = await client.ok('deleteProject', `DELETE /projects/${projectId}`);
      expect(deleted).toEqual({ deleted: true, projectId });
      await client.refused(`GET /projects/${projectId}`, [404, 'PROJECT_NOT_FOUND']);
      await client.refused(`GET /renders/${jobs[0]?.jobId}`, [404, 'RENDER_JOB_NOT_FOUND']);
    });
  });

  describe('4.5: templates', () => {
    test('public and own ones are listed; each query leaves one kind out', async () => {
      const count = async (query: string) =>
        (await client.ok('listTemplates', `GET /templates${query}`)).templates.length;
      expect((await count('?internal=false')) + (await count('?public=false'))).toBe(
        await count(''),
      );
    });
  });
}
