import { expect } from 'vitest';
import { createProject, smallest } from '../_core-resources.ts';
import { absent, bodyRows, done, invalid, many, type Table } from '../_rows.ts';
import { RenderBatch, RendersStarted } from '../_shapes.ts';

export const renderStart: Table = {
  section: '4.4 POST /renders',
  rows: [
    ...bodyRows('projectIds contains 1-50 ids', 'POST /renders', invalid, [
      {},
      { projectIds: [] },
      { projectIds: 'one' },
      { projectIds: [7] },
      { projectIds: null },
      { projectIds: many(51, (index) => `id-${index}`) },
    ]),
    {
      rule: 'settings is an object',
      send: 'POST /renders',
      body: { projectIds: ['{project}'], settings: 'fast' },
      is: invalid,
    },
    {
      rule: 'each project gets one QUEUED job, all in one batch',
      check: async (p) => {
        const model = await p.resources.id('model');
        const projectIds = [await createProject(p, [model]), await createProject(p, [model])];
        const body = { projectIds, settings: smallest };
        const answer = await p.ok('POST /renders', RendersStarted, body);
        expect(answer.totalProjects).toBe(2);
        expect(answer.jobs.map(({ projectId }) => projectId)).toEqual(projectIds);
        expect(answer.jobs.map(({ status }) => status)).toEqual(['QUEUED', 'QUEUED']);
        const batch = await p.ok(`GET /renders/batch/${answer.batchId}`, RenderBatch);
        expect(batch.total).toBe(2);
        expect(batch.jobs.map(({ jobId }) => jobId)).toEqual(answer.jobs.map(({ jobId }) => jobId));
      },
    },
    {
      rule: 'duplicate ids are removed before the limit of 50 is checked',
      send: 'POST /renders',
      body: { projectIds: many(60, () => '{project}'), settings: smallest },
      is: done(RendersStarted, { totalProjects: 1 }),
    },
    {
      rule: 'settings are optional',
      send: 'POST /renders',
      body: { projectIds: ['{project}'] },
      is: done(RendersStarted),
    },
    {
      rule: 'a request with an unknown project is refused',
      check: async (p) => {
        const project = await p.resources.id('project');
        const answer = await p.send('POST /renders', { body: { projectIds: [project, absent] } });
        expect(answer.status).toBe(404);
      },
    },
  ],
};
