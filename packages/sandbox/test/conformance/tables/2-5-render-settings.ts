import { expect } from 'vitest';
import { createProject, finishedRender, first, smallest, startRender } from '../_core-resources.ts';
import { bodyRows, done, invalid, type Row, type Table } from '../_rows.ts';
import { RendersStarted } from '../_shapes.ts';

export const renderSettings: Table = {
  section: '2.5 render settings',
  rows: [
    ...(
      [
        [
          'renderBookmarks, renderShots and renderVariants are booleans',
          [{ renderBookmarks: 'yes' }, { renderShots: 1 }, { renderVariants: 'no' }],
        ],
        [
          'imageQuality is 0, 1 or 2',
          [{ imageQuality: -1 }, { imageQuality: 3 }, { imageQuality: 1.5 }, { imageQuality: '1' }],
        ],
        [
          'imageFormat is PNG, TIFF or JPEG',
          [
            { imageFormat: 'png' },
            { imageFormat: 'GIF' },
            { imageFormat: 'JPG' },
            { imageFormat: 1 },
          ],
        ],
        ['postProcess is a boolean', [{ postProcess: 'on' }]],
        [
          'videoQuality is 0 or 1',
          [{ videoQuality: 2 }, { videoQuality: -1 }, { videoQuality: 0.5 }],
        ],
        ['videoResolution is 0, 1 or 2', [{ videoResolution: 3 }, { videoResolution: '2' }]],
        [
          'a custom resolution has a boolean switch and integer sizes',
          [
            { imageCustomResolution: 'yes' },
            { imageCustomWidth: 10.5 },
            { imageCustomHeight: '10' },
            { videoCustomResolution: 1 },
            { videoCustomWidth: 1.5 },
            { videoCustomHeight: 'x' },
          ],
        ],
        [
          'snapToPadding is a boolean, snapPaddingPx an integer',
          [{ snapToPadding: 'yes' }, { snapPaddingPx: 1.5 }],
        ],
        [
          'centerFraming and zeroProductOffset are booleans',
          [{ centerFraming: 1 }, { zeroProductOffset: 'x' }],
        ],
        [
          'bookmarksToRender, shotsToRender and variantsToRender are arrays of string ids',
          [{ bookmarksToRender: 'main' }, { shotsToRender: [1] }, { variantsToRender: {} }],
        ],
        [
          "videoRenderMode is 'full-sequence' or 'single-clips'",
          [{ videoRenderMode: 'all' }, { videoRenderMode: 1 }],
        ],
      ] as const
    ).flatMap(([rule, wrong]) =>
      bodyRows(
        rule,
        'POST /renders',
        invalid,
        wrong.map((settings) => ({ projectIds: ['{project}'], settings })),
      ),
    ),
    ...bodyRows(
      'documented values and extra keys are accepted',
      'POST /renders',
      done(RendersStarted),
      [
        {},
        { imageQuality: 0, imageFormat: 'PNG' },
        { imageQuality: 1, imageFormat: 'JPEG' },
        { imageQuality: 2, imageFormat: 'TIFF' },
        { videoQuality: 0, videoResolution: 0, videoRenderMode: 'full-sequence' },
        { videoQuality: 1, videoResolution: 2, videoRenderMode: 'single-clips' },
        {
          postProcess: false,
          snapToPadding: true,
          snapPaddingPx: 10,
          centerFraming: true,
          zeroProductOffset: false,
        },
        { bookmarksToRender: [], shotsToRender: [], variantsToRender: [] },
        { somethingNew: { deep: [1] } },
      ].map((settings) => ({
        projectIds: ['{project}'],
        settings: { renderShots: false, renderVariants: false, ...settings },
      })),
    ),
    ...(
      [
        ['pictures are PNG by default', {}, 'PNG', [0x89, 0x50, 0x4e, 0x47]],
        ['JPEG gives JPEG files', { imageFormat: 'JPEG' }, 'JPEG', [0xff, 0xd8, 0xff]],
        ['TIFF gives TIFF files', { imageFormat: 'TIFF' }, 'TIFF', [0x49, 0x49, 0x2a, 0x00]],
      ] as const
    ).map(
      ([rule, settings, fileType, magic]): Row => ({
        rule: `imageFormat: ${rule}`,
        check: async (p) => {
          const { jobId } = await startRender(p, await p.resources.id('project'), {
            ...smallest,
            ...settings,
          });
          const { status, renders = [] } = await finishedRender(p, jobId);
          expect(status).toBe('COMPLETED');
          for (const render of renders) {
            expect(render).toMatchObject({ fileType, isVideo: false });
            const { bytes } = await p.file(render.filePath);
            expect([...bytes.subarray(0, magic.length)]).toEqual([...magic]);
          }
        },
      }),
    ),
    ...(
      [
        [{ imageQuality: 0 }, 720],
        [{}, 1080],
        [{ imageQuality: 1 }, 1080],
        [{ imageQuality: 2 }, 2160],
      ] as const
    ).map(
      ([settings, height]): Row => ({
        rule: `pictures with the settings ${JSON.stringify(settings)} are ${height} pixels high`,
        check: async (p) => {
          const { imageQuality: _default, ...rest } = smallest;
          const { jobId } = await startRender(p, await p.resources.id('project'), {
            ...rest,
            ...settings,
          });
          const { renders = [] } = await finishedRender(p, jobId);
          const { bytes } = await p.file(first(renders).filePath);
          expect(bytes.readUInt32BE(20)).toBe(height);
        },
      }),
    ),
    {
      rule: 'a custom resolution sets the width and height of a picture',
      check: async (p) => {
        const custom = {
          imageCustomResolution: true,
          imageCustomWidth: 320,
          imageCustomHeight: 200,
        };
        const { jobId } = await startRender(p, await p.resources.id('project'), {
          ...smallest,
          ...custom,
        });
        const { renders = [] } = await finishedRender(p, jobId);
        const { bytes } = await p.file(first(renders).filePath);
        expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([320, 200]);
      },
    },
    {
      rule: 'renderVariants is true by default and adds outputs for the variants',
      check: async (p) => {
        const project = await p.resources.id('project');
        const { renderVariants: _all, ...rest } = smallest;
        const all = await finishedRender(p, (await startRender(p, project, rest)).jobId);
        const one = await finishedRender(p, (await startRender(p, project)).jobId);
        expect(all.renders?.length).toBeGreaterThan(one.renders?.length ?? 0);
      },
    },
    {
      rule: 'a job without bookmarks or shots has no outputs',
      check: async (p) => {
        const settings = { renderBookmarks: false, renderShots: false };
        const { jobId } = await startRender(p, await p.resources.id('project'), settings);
        expect((await finishedRender(p, jobId)).renders ?? []).toEqual([]);
      },
    },
    {
      rule: 'bookmarksToRender selects bookmarks; an empty list selects all',
      on: {},
      check: async (p) => {
        const bookmarks = [
          { id: 'front', name: 'Front' },
          { id: 'side', name: 'Side', yawDegrees: 90 },
        ];
        await p.controls.template({ name: 'Two', bookmarks });
        const { body } = await p.send('GET /templates?public=false');
        const like = body as { templates: { templateId: string }[] };
        const projectId = await createProject(p, [await p.resources.id('model')], {
          templateId: first(like.templates).templateId,
        });
        for (const [bookmarksToRender, count] of [
          [[], 2],
          [['front', 'side'], 2],
          [['side'], 1],
        ] as const) {
          const { jobId } = await startRender(p, projectId, { ...smallest, bookmarksToRender });
          expect((await finishedRender(p, jobId)).renders).toHaveLength(count);
        }
      },
    },
  ],
};
