import { expect } from 'vitest';
import { createProject, finishedRender, first, startRender } from '../_core-resources.ts';
import {
  absent,
  bodyRows,
  created,
  invalid,
  many,
  notFound,
  ok,
  type Row,
  refused,
  requestRows,
  type Table,
} from '../_rows.ts';
import { Project, ProjectDeleted, ProjectPage, ProjectsCreated, RenderPage } from '../_shapes.ts';

const missing = refused(404, 'PROJECT_NOT_FOUND');

export const projectCreate: Table = {
  section: '4.3 POST /projects, 2.3',
  rows: [
    ...bodyRows('modelIds is required and contains 1-50 strings', 'POST /projects', invalid, [
      {},
      { modelIds: [] },
      { modelIds: many(51, (index) => `id-${index}`) },
      { modelIds: 'one' },
      { modelIds: [7] },
      { modelIds: null },
    ]),
    ...bodyRows(
      'name and templateId are strings, and createPerModel is a boolean',
      'POST /projects',
      invalid,
      [
        { modelIds: ['{model}'], name: 7 },
        { modelIds: ['{model}'], templateId: 7 },
        { modelIds: ['{model}'], createPerModel: 'yes' },
        { modelIds: ['{model}'], createPerModel: 1 },
      ],
    ),
    {
      rule: 'one project contains all models',
      send: 'POST /projects',
      body: { modelIds: ['{model}', '{otherModel}'], name: 'Pair' },
      is: created(ProjectsCreated, {
        projects: [{ name: 'Pair', modelIds: ['{model}', '{otherModel}'] }],
      }),
    },
    {
      rule: 'createPerModel: false also creates one project with all models',
      send: 'POST /projects',
      body: { modelIds: ['{model}', '{otherModel}'], createPerModel: false },
      is: created(ProjectsCreated, { projects: [{ modelIds: ['{model}', '{otherModel}'] }] }),
    },
    {
      rule: 'templateId sets the template of the project',
      send: 'POST /projects',
      body: { modelIds: ['{model}'], templateId: '{template}' },
      is: created(ProjectsCreated, {
        projects: [{ modelIds: ['{model}'], templateId: '{template}' }],
      }),
    },
    {
      rule: 'the response for one project contains neither batchProject nor errors',
      check: async (p) => {
        const body = { modelIds: [await p.resources.id('model')] };
        const answer = await p.ok('POST /projects', ProjectsCreated, body);
        expect(Object.keys(answer)).toEqual(['projects']);
      },
    },
    {
      rule: 'createPerModel creates one project for each model',
      check: async (p) => {
        const modelIds = [await p.resources.id('model'), await p.resources.id('otherModel')];
        const body = {
          modelIds,
          createPerModel: true,
          templateId: await p.resources.id('template'),
        };
        const answer = await p.ok('POST /projects', ProjectsCreated, body);
        expect(answer.projects.map((project) => project.modelIds)).toEqual(
          modelIds.map((modelId) => [modelId]),
        );
        expect(new Set(answer.projects.map(({ projectId }) => projectId)).size).toBe(2);
        expect(answer.errors).toBeUndefined();
        for (const { templateId } of answer.projects) expect(templateId).toBe(body.templateId);
      },
    },
    {
      rule: 'a partial success lists the errors and creates the other projects',
      check: async (p) => {
        const model = await p.resources.id('model');
        const body = { modelIds: [model, absent], createPerModel: true };
        const answer = await p.ok('POST /projects', ProjectsCreated, body);
        expect(answer.projects.map(({ modelIds }) => modelIds)).toEqual([[model]]);
        expect(answer.errors).toHaveLength(1);
      },
    },
    {
      rule: 'an unknown model is refused',
      send: 'POST /projects',
      body: { modelIds: ['{model}', '{absent}'] },
      is: notFound,
    },
    {
      rule: 'an unknown template is refused',
      send: 'POST /projects',
      body: { modelIds: ['{model}'], templateId: '{absent}' },
      is: notFound,
    },
    {
      rule: 'createPerModel with only unknown models is refused',
      send: 'POST /projects',
      body: { modelIds: ['{absent}'], createPerModel: true },
      is: notFound,
    },
    ...['emptyModel', 'failedModel'].map(
      (model): Row => ({
        rule: `${model} is refused, since models must be READY or APPROVED`,
        check: async (p) => {
          const answer = await p.send('POST /projects', { body: { modelIds: [`{${model}}`] } });
          expect([400, 403, 404, 409, 422]).toContain(answer.status);
        },
      }),
    ),
    {
      rule: 'an APPROVED model is accepted',
      on: {},
      check: async (p) => {
        const modelId = await p.resources.id('model');
        await p.controls.modelStatus(modelId, 'APPROVED');
        await p.meets(
          'POST /projects',
          { body: { modelIds: [modelId] } },
          created(ProjectsCreated),
        );
      },
    },
    {
      rule: 'a project over the plan limit is refused with PLAN_LIMIT_REACHED',
      on: {},
      check: async (p) => {
        await p.controls.limits({ projects: 1 });
        const body = { modelIds: [await p.resources.id('model')] };
        await p.meets('POST /projects', { body }, created(ProjectsCreated));
        await p.refused('POST /projects', refused(403, 'PLAN_LIMIT_REACHED'), { body });
      },
    },
    {
      rule: '50 models in one project are accepted',
      check: async (p) => {
        const modelIds = [await p.resources.id('model'), await p.resources.id('otherModel')];
        const body = { modelIds: many(50, (index) => modelIds[index % 2]) };
        await p.meets('POST /projects', { body }, created(ProjectsCreated));
      },
    },
  ],
};

export const projectList: Table = {
  section: '4.3 GET /projects and one project',
  rows: [
    {
      rule: 'limit is 50 and offset 0 when omitted',
      send: 'GET /projects',
      is: ok(ProjectPage, { limit: 50, offset: 0 }),
    },
    {
      rule: 'a limit of 100 is accepted',
      send: 'GET /projects?limit=100',
      is: ok(ProjectPage, { limit: 100 }),
    },
    ...requestRows('limit is an integer from 1 to 100, and offset is an integer >= 0', invalid, [
      'GET /projects?limit=0',
      'GET /projects?limit=101',
      'GET /projects?limit=x',
      'GET /projects?offset=-1',
      'GET /projects?offset=1.5',
    ]),
    {
      rule: 'an offset beyond the end returns an empty page',
      send: 'GET /projects?offset=100000',
      is: ok(ProjectPage, { projects: [] }),
    },
    {
      rule: 'projects are listed newest first, with status, source and createdAt',
      check: async (p) => {
        const model = await p.resources.id('model');
        const older = await createProject(p, [model], { name: 'older' });
        await p.advance(1);
        const newer = await createProject(p, [model], { name: 'newer' });
        const { projects, total } = await p.ok('GET /projects?limit=2', ProjectPage);
        expect(projects.map(({ projectId }) => projectId)).toEqual([newer, older]);
        expect(total).toBeGreaterThanOrEqual(2);
      },
    },
    {
      rule: 'status filters by the status of the items',
      check: async (p) => {
        await p.resources.id('project');
        const { projects } = await p.ok('GET /projects?limit=100', ProjectPage);
        const { status } = first(projects);
        const filtered = await p.ok(`GET /projects?limit=100&status=${status}`, ProjectPage);
        const expected = projects.filter((project) => project.status === status);
        expect(filtered.projects).toEqual(expected);
        expect(filtered.total).toBe(expected.length);
      },
    },
    {
      rule: 'the summary of a project has no status',
      send: 'GET /projects/{project}',
      is: ok(Project, { projectId: '{project}', modelIds: ['{model}'] }),
    },
    ...requestRows('an unknown project is refused', missing, [
      'GET /projects/{absent}',
      'DELETE /projects/{absent}',
    ]),
    {
      rule: 'DELETE removes the project with its outputs and their files',
      check: async (p) => {
        const projectId = await createProject(p, [await p.resources.id('model')], { name: 'goes' });
        const { jobId } = await startRender(p, projectId);
        const { renders = [] } = await finishedRender(p, jobId);
        const { filePath, id } = first(renders);
        expect((await p.file(filePath)).status).toBe(200);
        await p.meets(
          `DELETE /projects/${projectId}`,
          {},
          ok(ProjectDeleted, { deleted: true, projectId }),
        );
        await p.refused(`GET /projects/${projectId}`, missing);
        await p.refused(`DELETE /projects/${projectId}`, missing);
        const list = await p.ok(`GET /renders?projectId=${projectId}`, RenderPage);
        expect(list).toMatchObject({ renders: [], total: 0 });
        expect((await p.file(filePath)).status).not.toBe(200);
        expect((await p.send(`GET /renders/${id}/download`)).status).toBe(404);
        const { projects } = await p.ok('GET /projects?limit=100', ProjectPage);
        expect(projects.map((project) => project.projectId)).not.toContain(projectId);
      },
    },
  ],
};
