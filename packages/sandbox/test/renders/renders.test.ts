// Render jobs on a manual clock: states, pictures, failures, lists.

import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProject, finishRender, readRender, readyModel, startRender } from '../_flows.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
let projectId: string;
beforeEach(async () => {
  sandbox = new TestSandbox();
  projectId = await createProject(sandbox, [await readyModel(sandbox)], { name: 'Chair' });
});
afterEach(() => sandbox.sandbox.close());

const code = (answer: { body: unknown }) => (answer.body as { error: { code: string } }).error.code;

describe('states (3.2)', () => {
  test('a job is first QUEUED, then RENDERING, and COMPLETED within 9 s', async () => {
    const { jobId, jobs } = await startRender(sandbox, [projectId]);
    expect(jobs).toEqual([{ jobId, status: 'QUEUED', projectId }]);
    sandbox.advance(0.2);
    expect(await readRender(sandbox, jobId)).toMatchObject({ status: 'QUEUED', renders: [] });
    sandbox.advance(1.4);
    expect(await readRender(sandbox, jobId)).toMatchObject({ status: 'RENDERING', renders: [] });
    const job = await finishRender(sandbox, jobId);
    expect(job).toMatchObject({ status: 'COMPLETED' });
    expect(job.renders).toMatchObject([{ name: 'Chair - Main', fileType: 'PNG', isVideo: false }]);
  });

  test('a job is EXPORTING until its pictures have been drawn', async () => {
    const { jobId } = await startRender(sandbox, [projectId], { imageQuality: 2 });
    sandbox.advance(9);
    expect((await readRender(sandbox, jobId)).status).toBe('EXPORTING');
    await sandbox.sandbox.idle();
    expect((await readRender(sandbox, jobId)).status).toBe('COMPLETED');
  });
});

describe('pictures (2.5)', () => {
  const sizes: [object, number, number][] = [
    [{ imageQuality: 0 }, 1280, 720],
    [{}, 1920, 1080],
    [{ imageQuality: 1 }, 1920, 1080],
    [{ imageQuality: 2 }, 3840, 2160],
    [{ imageCustomResolution: true, imageCustomWidth: 300, imageCustomHeight: 200 }, 300, 200],
    [{ imageCustomWidth: 300, imageCustomHeight: 200 }, 1920, 1080],
  ];
  test.each(sizes)('pictures with %j are %i x %i', async (settings, width, height) => {
    const { jobId } = await startRender(sandbox, [projectId], settings);
    const { renders } = await finishRender(sandbox, jobId);
    const file = await sandbox.request(renders[0]?.filePath ?? '');
    const picture = await sharp(Buffer.from(await file.arrayBuffer())).metadata();
    expect([picture.format, picture.width, picture.height]).toEqual(['png', width, height]);
    const { body } = await sandbox.call('GET /renders');
    expect(body).toMatchObject({ renders: [{ resolution: `${width}x${height}` }] });
  });

  test.each([
    ['PNG', 'png', 'uchar', 'image/png'],
    ['JPEG', 'jpeg', 'uchar', 'image/jpeg'],
    ['TIFF', 'tiff', 'ushort', 'image/tiff'],
  ])(
    'pictures of the format %s are %s files with %s samples',
    async (imageFormat, format, depth, contentType) => {
      const { jobId } = await startRender(sandbox, [projectId], { imageQuality: 0, imageFormat });
      const { renders } = await finishRender(sandbox, jobId);
      expect(renders).toMatchObject([{ fileType: imageFormat }]);
      const file = await sandbox.request(renders[0]?.filePath ?? '');
      expect(file.headers.get('content-type')).toBe(contentType);
      expect(await sharp(Buffer.from(await file.arrayBuffer())).metadata()).toMatchObject({
        format,
        depth,
      });
    },
  );

  test('pictures have the requested size even with a small pictureScale', async () => {
    await sandbox.sandbox.close();
    sandbox = new TestSandbox({ pictureScale: 0.1 });
    const project = await createProject(sandbox, [await readyModel(sandbox)]);
    const { jobId } = await startRender(sandbox, [project], {
      imageQuality: 0,
      imageFormat: 'TIFF',
    });
    const { renders } = await finishRender(sandbox, jobId);
    const file = await sandbox.request(renders[0]?.filePath ?? '');
    const image = sharp(Buffer.from(await file.arrayBuffer()));
    expect(await image.metadata()).toMatchObject({ width: 1280, height: 720, depth: 'ushort' });
    const { channels } = await image.stats();
    expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(1);
  });

  test('pictures that are too large are refused before a job is created', async () => {
    const settings = { imageCustomResolution: true, imageCustomWidth: 8193, imageCustomHeight: 10 };
    const refused = await sandbox.call('POST /renders', { projectIds: [projectId], settings });
    expect([refused.status, code(refused)]).toEqual([400, 'VALIDATION_ERROR']);
    expect(await sandbox.control('/stats')).toMatchObject({ created: { renderJobs: 0 } });
  });
});

describe('the pictures of a job (2.5)', () => {
  let shoe: string;
  beforeEach(async () => {
    const glb = triangleGlb(['beach', 'street']);
    shoe = await createProject(sandbox, [await readyModel(sandbox, 'shoe.glb', glb)]);
  });

  const choices: [object, string[]][] = [
    [{}, ['shoe - beach - Main', 'shoe - street - Main']],
    [{ renderVariants: true }, ['shoe - beach - Main', 'shoe - street - Main']],
    [{ renderVariants: false }, ['shoe - Main']],
    [{ variantsToRender: [] }, ['shoe - beach - Main', 'shoe - street - Main']],
    [{ variantsToRender: ['unknown'] }, []],
    [{ bookmarksToRender: ['main'], renderVariants: false }, ['shoe - Main']],
    [{ bookmarksToRender: ['unknown'] }, []],
    [{ renderBookmarks: false }, []],
  ];
  test.each(choices)('a job with the settings %j renders %j', async (settings, names) => {
    const { jobId } = await startRender(sandbox, [shoe], settings);
    const job = await finishRender(sandbox, jobId);
    expect([job.status, job.renders.map(({ name }) => name)]).toEqual(['COMPLETED', names]);
  });

  test('a template that a control created renders its own cameras', async () => {
    const bookmarks = [
      { id: 'left', name: 'Left', yawDegrees: -90 },
      { id: 'top', name: 'Top', pitchDegrees: 80 },
    ];
    const { id } = await sandbox.control<{ id: string }>('/templates', { name: 'Mine', bookmarks });
    const glb = triangleGlb();
    const project = await createProject(sandbox, [await readyModel(sandbox, 'a.glb', glb)], {
      templateId: id,
    });
    const { jobId } = await startRender(sandbox, [project]);
    const { renders } = await finishRender(sandbox, jobId);
    expect(renders.map(({ name }) => name)).toEqual(['a - Left', 'a - Top']);
    const listed = await sandbox.call('GET /templates?public=false');
    expect(listed.body).toEqual({
      templates: [{ templateId: id, name: 'Mine', description: '' }],
    });
    const own = await sandbox.call(`GET /templates/${id}`);
    expect(own.body).toMatchObject({ templateId: id, name: 'Mine' });
  });

  test('a control can create a template with a given id, but only once', async () => {
    const template = { id: 'known-before', name: 'Mine', bookmarks: [{ id: 'a', name: 'A' }] };
    expect(await sandbox.control('/templates', template)).toMatchObject({ id: 'known-before' });
    expect(await sandbox.control('/templates', template)).toHaveProperty('error');
  });
});

test('a project that has lost its models cannot be rendered', async () => {
  const modelId = await readyModel(sandbox);
  const empty = await createProject(sandbox, [modelId]);
  await sandbox.call(`DELETE /models/${modelId}`);
  const refused = await sandbox.call('POST /renders', { projectIds: [projectId, empty] });
  expect([refused.status, code(refused)]).toEqual([400, 'VALIDATION_ERROR']);
  expect(await sandbox.control('/stats')).toMatchObject({ created: { renderJobs: 0 } });
});
