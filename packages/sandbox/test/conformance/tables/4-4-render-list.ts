import { expect } from 'vitest';
import { createProject, finishedRender, first, startRender } from '../_core-resources.ts';
import { invalid, ok, requestRows, type Table } from '../_rows.ts';
import { RenderPage } from '../_shapes.ts';

export const renderList: Table = {
  section: '4.4 GET /renders, 2.6',
  rows: [
    {
      rule: 'limit is 50 and offset 0 when omitted',
      send: 'GET /renders',
      is: ok(RenderPage, { limit: 50, offset: 0 }),
    },
    ...requestRows(
      'limit is an integer from 1 to 100, offset is >= 0, and isVideo and favorited are booleans',
      invalid,
      [
        'GET /renders?limit=0',
        'GET /renders?limit=101',
        'GET /renders?limit=x',
        'GET /renders?offset=-1',
        'GET /renders?isVideo=perhaps',
        'GET /renders?favorited=2',
      ],
    ),
    {
      rule: 'projectId filters by project',
      send: 'GET /renders?projectId={absent}',
      is: ok(RenderPage, { renders: [], total: 0 }),
    },
    {
      rule: 'an output has all of its fields: url serves the picture, and thumbnailUrl serves an image',
      check: async (p) => {
        const render = await p.resources.id('render');
        const projectId = await p.resources.id('project');
        const { renders } = await p.ok(`GET /renders?projectId=${projectId}`, RenderPage);
        const asset = renders.find(({ id }) => id === render);
        expect(asset).toMatchObject({
          projectId,
          fileType: 'PNG',
          isVideo: false,
          favorited: false,
          isPreview: false,
        });
        expect(asset).not.toHaveProperty('duration');
        const { bytes } = await p.file(asset?.url ?? '');
        expect(bytes.length).toBe(asset?.fileSize);
        const thumbnail = await p.file(asset?.thumbnailUrl ?? '');
        expect(thumbnail.headers.get('content-type')).toMatch(/^image\//);
      },
    },
    {
      rule: 'only finished outputs are listed, newest first, and total counts all matches',
      check: async (p) => {
        const projectId = await createProject(p, [await p.resources.id('model')]);
        const seen: string[] = [];
        for (let count = 0; count < 3; count += 1) {
          const { jobId } = await startRender(p, projectId);
          const { renders = [] } = await finishedRender(p, jobId);
          seen.unshift(first(renders).id);
        }
        await startRender(p, projectId);
        const page = await p.ok(`GET /renders?projectId=${projectId}&limit=2`, RenderPage);
        expect(page).toMatchObject({ total: 3, limit: 2 });
        const rest = await p.ok(`GET /renders?projectId=${projectId}&limit=2&offset=2`, RenderPage);
        expect([...page.renders, ...rest.renders].map(({ id }) => id)).toEqual(seen);
      },
    },
    {
      rule: 'outputs of overlapping jobs are listed newest first',
      check: async (p) => {
        const projectId = await createProject(p, [await p.resources.id('model')]);
        const jobIds: string[] = [];
        for (const imageQuality of [2, 0, 2, 0, 1]) {
          const settings = { imageQuality, renderVariants: false, renderShots: false };
          const { jobId } = await startRender(p, projectId, settings);
          jobIds.push(jobId);
        }
        for (const jobId of jobIds) await finishedRender(p, jobId);
        const { renders } = await p.ok(`GET /renders?projectId=${projectId}`, RenderPage);
        const times = renders.map(({ createdAt }) => Date.parse(createdAt));
        expect(times).toHaveLength(jobIds.length);
        expect(times).toEqual(times.toSorted((a, b) => b - a));
      },
    },
    {
      rule: 'isVideo selects pictures or videos',
      only: 'needs a template with a camera and a shot',
      check: async (p) => {
        const templateId = 'tpl-turntable';
        const projectId = await createProject(p, [await p.resources.id('model')], { templateId });
        const { jobId } = await startRender(p, projectId, { imageQuality: 0, videoQuality: 0 });
        const { renders = [] } = await finishedRender(p, jobId);
        const idsOf = (outputs: readonly { id: string }[]) => outputs.map(({ id }) => id);
        const isVideos = new Set(renders.map(({ isVideo }) => isVideo));
        expect(isVideos).toEqual(new Set([false, true]));
        for (const isVideo of isVideos) {
          const expected = renders.filter((output) => output.isVideo === isVideo);
          const page = await p.ok(
            `GET /renders?projectId=${projectId}&isVideo=${isVideo}`,
            RenderPage,
          );
          expect(idsOf(page.renders).toSorted()).toEqual(idsOf(expected).toSorted());
          expect(page.total).toBe(expected.length);
        }
      },
    },
    {
      rule: 'isVideo=false lists only pictures',
      check: async (p) => {
        await p.resources.id('render');
        const { renders } = await p.ok('GET /renders?isVideo=false', RenderPage);
        expect(new Set(renders.map(({ isVideo }) => isVideo))).toEqual(new Set([false]));
      },
    },
    {
      rule: 'favorited filters by whether an output is marked as a favorite',
      on: {},
      check: async (p) => {
        const id = await p.resources.id('render');
        await p.meets('GET /renders?favorited=true', {}, ok(RenderPage, { renders: [], total: 0 }));
        await p.controls.render(id, { favorited: true });
        await p.meets(
          'GET /renders?favorited=true',
          {},
          ok(RenderPage, { renders: [{ id, favorited: true }], total: 1 }),
        );
        await p.meets(
          'GET /renders?favorited=false',
          {},
          ok(RenderPage, { renders: [], total: 0 }),
        );
      },
    },
    {
      rule: 'isPreview of a marked output is true',
      on: {},
      check: async (p) => {
        const id = await p.resources.id('render');
        await p.controls.render(id, { isPreview: true });
        await p.meets('GET /renders', {}, ok(RenderPage, { renders: [{ id, isPreview: true }] }));
      },
    },
  ],
};
