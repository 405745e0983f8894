// Videos of render jobs: which ones a job creates, and their contents.
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProject, finishRender, readyModel, startRender } from '../_flows.ts';
import { readMp4 } from '../_mp4.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

/** Small, so that tests are fast. */
const small = { videoCustomResolution: true, videoCustomWidth: 64, videoCustomHeight: 36 };
const films = { ...small, renderBookmarks: false };

async function project(templateId = 'tpl-turntable', variants: string[] = []): Promise<string> {
  const glb = triangleGlb(variants);
  return createProject(sandbox, [await readyModel(sandbox, 'shoe.glb', glb)], { templateId });
}

async function render(projectId: string, settings: object) {
  const { jobId } = await startRender(sandbox, [projectId], { imageQuality: 0, ...settings });
  return finishRender(sandbox, jobId);
}

async function fetched(url: string): Promise<Buffer> {
  return Buffer.from(await (await sandbox.request(url)).arrayBuffer());
}

interface Assets {
  renders: {
    id: string;
    name: string;
    fileType: string;
    isVideo: boolean;
    aspectRatio: string;
    resolution: string;
    duration?: number;
    fileSize: number;
    url: string;
    thumbnailUrl: string;
  }[];
  total: number;
}

describe('the videos of a job (2.5)', () => {
  const choices: [object, string[]][] = [
    [{}, ['shoe - Main', 'shoe - Turn + Rise']],
    [{ renderShots: true }, ['shoe - Main', 'shoe - Turn + Rise']],
    [{ renderShots: false }, ['shoe - Main']],
    [{ renderBookmarks: false }, ['shoe - Turn + Rise']],
    [{ videoRenderMode: 'full-sequence' }, ['shoe - Main', 'shoe - Turn + Rise']],
    [{ videoRenderMode: 'single-clips' }, ['shoe - Main', 'shoe - Turn', 'shoe - Rise']],
    [{ shotsToRender: [] }, ['shoe - Main', 'shoe - Turn + Rise']],
    [{ shotsToRender: ['rise'], renderBookmarks: false }, ['shoe - Rise']],
    [{ shotsToRender: ['rise', 'turn'], renderBookmarks: false }, ['shoe - Turn + Rise']],
    [{ shotsToRender: ['unknown'] }, ['shoe - Main']],
  ];
  test.each(choices)('a job with %j creates %j', async (settings, names) => {
    const job = await render(await project(), { ...small, ...settings });
    expect([job.status, job.renders.map(({ name }) => name)]).toEqual(['COMPLETED', names]);
  });

  test('each variant gets its own video', async () => {
    const job = await render(await project('tpl-turntable', ['beach', 'street']), films);
    expect(job.renders.map(({ name }) => name)).toEqual([
      'shoe - beach - Turn + Rise',
      'shoe - street - Turn + Rise',
    ]);
  });

  test('a template without shots renders no video', async () => {
    const job = await render(await project('tpl-studio-white'), small);
    expect(job.renders.map(({ isVideo }) => isVideo)).toEqual([false]);
  });
});

describe('a video', () => {
  test('a video is an MP4 of the requested size and duration, and is listed as a video', async () => {
    const job = await render(await project(), films);
    const [output] = job.renders;
    expect(output).toMatchObject({ fileType: 'MP4', isVideo: true });
    const file = await sandbox.request(output?.filePath ?? '');
    expect(file.headers.get('content-type')).toBe('video/mp4');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(readMp4(bytes)).toMatchObject({ codec: 'avc1', width: 64, height: 36, seconds: 4 });
    const { body } = await sandbox.call<Assets>('GET /renders?isVideo=true');
    expect(body).toMatchObject({
      renders: [
        {
          id: output?.id,
          fileType: 'MP4',
          isVideo: true,
          aspectRatio: '16:9',
          resolution: '64x36',
          duration: 4,
          fileSize: bytes.length,
          url: output?.filePath,
        },
      ],
      total: 1,
    });
    const download = await sandbox.call(`GET /renders/${output?.id}/download`);
    expect(download.status).toBe(302);
    const signed = await fetched(download.headers.get('location') ?? '');
    expect(signed.equals(bytes)).toBe(true);
  });

  test.each([
    [{ videoQuality: 0 }, 1, 6],
    [{ videoQuality: 1 }, 1, 12],
    [{}, 1, 12],
    [{}, 0.5, 6],
    [{}, 0.1, 2],
  ])(
    'a video with %j, rendered at scale %d, has %i frames per second',
    async (quality, pictureScale, rate) => {
      await sandbox.sandbox.close();
      sandbox = new TestSandbox({ pictureScale });
      const settings = { ...films, ...quality, shotsToRender: ['turn'] };
      const job = await render(await project(), settings);
      const moving = await fetched(job.renders[0]?.filePath ?? '');
      expect(readMp4(moving)).toMatchObject({ seconds: 2, frames: 2 * rate, width: 64 });
    },
  );

  test.each([
    [{ videoResolution: 0 }, '1280x720'],
    [{}, '1920x1080'],
    [{ videoResolution: 1 }, '1920x1080'],
    [{ videoResolution: 2 }, '3840x2160'],
    [{ videoCustomWidth: 64, videoCustomHeight: 36 }, '1920x1080'],
    [{ videoCustomResolution: true, videoCustomWidth: 101, videoCustomHeight: 55 }, '100x54'],
    [{ videoCustomResolution: true, videoCustomHeight: 90, videoResolution: 0 }, '1280x90'],
  ])('a video with %j has the resolution %s', async (settings, resolution) => {
    const { id } = await sandbox.control<{ id: string }>('/templates', {
      name: 'Short',
      bookmarks: [{ id: 'main', name: 'Main' }],
      shots: [{ id: 'blink', name: 'Blink', seconds: 0.5 }],
    });
    await render(await project(id), { renderBookmarks: false, ...settings });
    const { body } = await sandbox.call<Assets>('GET /renders');
    expect(body).toMatchObject({ renders: [{ resolution, duration: 0.5 }] });
  });

  const refused: object[] = [
    { videoCustomResolution: true, videoCustomWidth: 4097 },
    { videoCustomResolution: true, videoCustomHeight: 15 },
    { videoCustomWidth: 0 },
    { shotsToRender: 'turn' },
  ];
  test.each(refused)('a video with %j is refused before a job is created', async (settings) => {
    const projectId = await project();
    const answer = await sandbox.call('POST /renders', { projectIds: [projectId], settings });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(await sandbox.control('/stats')).toMatchObject({ created: { renderJobs: 0 } });
  });

  test('a video can be read in ranges', async () => {
    const job = await render(await project(), films);
    const url = job.renders[0]?.filePath ?? '';
    const whole = await fetched(url);
    const ask = async (range: string) => {
      const response = await sandbox.request(url, { headers: { range } });
      return {
        status: response.status,
        of: response.headers.get('content-range'),
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    };
    const size = whole.length;
    const part = await ask('bytes=10-19');
    expect(part).toMatchObject({ status: 206, of: `bytes 10-19/${size}` });
    expect(part.bytes.equals(whole.subarray(10, 20))).toBe(true);
    expect((await ask(`bytes=${size - 5}-`)).bytes.equals(whole.subarray(-5))).toBe(true);
    expect((await ask('bytes=-5')).bytes.equals(whole.subarray(-5))).toBe(true);
    expect(await ask(`bytes=${size}-`)).toMatchObject({ status: 416, of: `bytes */${size}` });
    for (const odd of ['bytes=5-2', 'bytes=-', 'bytes=0-1,4-5', 'pages=1-2']) {
      expect((await ask(odd)).status).toBe(200);
    }
  });
});

describe('thumbnails (2.6)', () => {
  test('a thumbnail keeps the aspect ratio of its picture or video', async () => {
    await render(await project(), small);
    const { body } = await sandbox.call<Assets>('GET /renders');
    expect(new Set(body.renders.map(({ isVideo }) => isVideo))).toEqual(new Set([false, true]));
    for (const { url, thumbnailUrl, fileSize } of body.renders) {
      expect(thumbnailUrl).not.toBe(url);
      const response = await sandbox.request(thumbnailUrl);
      expect(response.headers.get('content-type')).toBe('image/jpeg');
      const bytes = Buffer.from(await response.arrayBuffer());
      const { format, width, height } = await sharp(bytes).metadata();
      expect([format, width / height]).toEqual(['jpeg', 16 / 9]);
      expect(Math.max(width, height)).toBe(256);
      expect(bytes.length).toBeLessThan(Math.max(fileSize, 5_000));
    }
  });

  test('the thumbnail of a video is kept when its model is deleted', async () => {
    const projectId = await project();
    const job = await render(projectId, films);
    const { body } = await sandbox.call<{ modelIds: string[] }>(`GET /projects/${projectId}`);
    await sandbox.call(`DELETE /models/${body.modelIds[0]}`);
    const assets = await sandbox.call<Assets>('GET /renders');
    for (const path of [job.renders[0]?.filePath, assets.body.renders[0]?.thumbnailUrl]) {
      expect((await sandbox.request(path ?? '')).status).toBe(200);
    }
  });

  test('a READY model has a thumbnail', async () => {
    const modelId = await readyModel(sandbox);
    const response = await sandbox.request(`/cdn/models/${modelId}/thumbnail.jpeg`);
    expect((await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width).toBe(256);
    expect((await sandbox.request('/cdn/models/none/thumbnail.jpeg')).status).toBe(404);
  });
});

test('snapPaddingPx changes a picture only with snapToPadding', async () => {
  await sandbox.sandbox.close();
  sandbox = new TestSandbox({ pictureScale: 1 });
  const projectId = await project('tpl-catalog-front');
  const picture = async (settings: object) => {
    const job = await render(projectId, {
      imageCustomResolution: true,
      imageCustomWidth: 200,
      imageCustomHeight: 100,
      ...settings,
    });
    return fetched(job.renders[0]?.filePath ?? '');
  };
  const tight = await picture({ snapToPadding: true, snapPaddingPx: 2 });
  const loose = await picture({ snapToPadding: true, snapPaddingPx: 40 });
  const off = await picture({ snapToPadding: false, snapPaddingPx: 40 });
  const plain = await picture({});
  expect(off.equals(plain)).toBe(true);
  expect(tight.equals(loose)).toBe(false);
  expect(tight.length).toBeGreaterThan(loose.length);
});
