// Pictures on their way to a folder: checked, under the right names, and one bad one spoils no other.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { deliver } from '../../src/engine/delivery/deliver.ts';
import type { AssetResult, OutputRef, StepAsset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';
import { contextOn } from './_context.ts';
import { Platform } from './_platform.ts';

let platform: Platform;
let folder: string;
let picture: Buffer;
beforeAll(async () => {
  const pixels = Buffer.from(Array.from({ length: 32 * 18 * 3 }, (_, index) => index % 256));
  picture = await sharp(pixels, { raw: { width: 32, height: 18, channels: 3 } })
    .png()
    .toBuffer();
});
beforeEach(async () => {
  platform = await Platform.start();
  folder = await mkdtemp(join(tmpdir(), 'renderline-deliver-'));
});
afterEach(async () => {
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
});

/** An output that the platform serves as a sound picture. */
function output(id: string, name: string, more: Partial<OutputRef> = {}): OutputRef {
  platform.pictures.set(`${id}.png`, picture);
  const url = platform.urlOf(`${id}.png`);
  return { id, name, fileType: 'PNG', isVideo: false, isPreview: false, url, ...more };
}

function rendered(key: string, ...outputs: OutputRef[]): StepAsset {
  return asset(key, { jobId: `job-${key}`, outputs });
}

async function run(naming: string, ...assets: StepAsset[]): Promise<AssetResult[]> {
  const connector = openConnector({ type: 'local', path: folder });
  const what = ['renders'] as const;
  const config = { connector: 'out', what, naming, verify: { notBlank: true } };
  return deliver(config, assets, contextOn(platform, { connectorNamed: () => connector }));
}

const paths = (results: AssetResult[]) =>
  results.flatMap((result) =>
    (result.outcome === 'done' ? (result.files ?? []) : []).map(({ path }) => path),
  );

describe('names', () => {
  it.each([
    ['{{ key }}.{{ ext }}', ['shoe.png', 'shoe-2.png']],
    ['{{ key }}/{{ output }}.{{ ext }}', ['shoe/Front.png', 'shoe/Side.png']],
    ['{{ key }}-{{ index }}.{{ ext }}', ['shoe-1.png', 'shoe-2.png']],
  ])('%s', async (naming, expected) => {
    const results = await run(
      naming,
      rendered('shoe', output('r1', 'Front'), output('r2', 'Side')),
    );
    expect(paths(results)).toEqual(expected);
    const there = await readdir(folder, { recursive: true });
    expect(there.filter((name) => name.endsWith('.png')).toSorted()).toEqual(expected.toSorted());
  });

  it('are the same whichever way the outputs were found: newest first, or as the job lists them', async () => {
    const [front, side, top] = [output('r1', 'Front'), output('r2', 'Side'), output('r3', 'Top')];
    const naming = '{{ key }}-{{ index }}-{{ output }}.{{ ext }}';
    const forward = paths(await run(naming, rendered('shoe', front, side, top)));
    const backward = paths(await run(naming, rendered('shoe', top, side, front)));
    expect(backward).toEqual(forward);
    expect(forward).toEqual(['shoe-1-Front.png', 'shoe-2-Side.png', 'shoe-3-Top.png']);
  });

  it('a preview is marked as one', async () => {
    const preview = output('r1', 'Front', { isPreview: true });
    expect(paths(await run('{{ key }}.{{ ext }}', rendered('shoe', preview)))).toEqual([
      'shoe.preview.png',
    ]);
  });
});

describe('what is delivered', () => {
  it('holds the videos of a render with shots, named as such', async () => {
    const film = output('r2', 'Turn', { fileType: 'MP4', isVideo: true });
    // Not decoded here: any bytes are a video.
    platform.pictures.set('r2.png', Buffer.from('moving pictures'));
    const results = await run(
      '{{ key }}/{{ output }}.{{ ext }}',
      rendered('shoe', output('r1', 'Main'), film),
    );
    expect(paths(results)).toEqual(['shoe/Main.png', 'shoe/Turn.mp4']);
    expect(await readFile(join(folder, 'shoe', 'Turn.mp4'), 'utf8')).toBe('moving pictures');
  });

  it('is what the platform served, with its size and hash', async () => {
    const results = await run('{{ key }}.{{ ext }}', rendered('shoe', output('r1', 'Front')));
    expect(results).toMatchObject([
      {
        key: 'shoe',
        outcome: 'done',
        files: [{ path: 'shoe.png', bytes: picture.length, width: 32, height: 18 }],
      },
    ]);
    expect(await readFile(join(folder, 'shoe.png'))).toEqual(picture);
  });

  it('is asked of the job where no outputs came along', async () => {
    const { url, ...front } = output('r1', 'Front');
    platform.jobs.set('job-shoe', {
      jobId: 'job-shoe',
      status: 'COMPLETED',
      projectId: 'p',
      renders: [{ id: 'r1', name: 'Front', filePath: url, fileType: 'PNG', isVideo: false }],
    });
    expect(paths(await run('{{ key }}.{{ ext }}', rendered('shoe', front)))).toEqual(['shoe.png']);
    expect(platform.count('GET /renders/job-shoe')).toBe(1);
  });
});

describe('one bad output', () => {
  const good = (key: string) => rendered(key, output(`${key}-1`, 'Front'));

  it.each<[string, () => StepAsset, string]>([
    [
      'that is not there any more',
      () => rendered('bad', output('r', 'Front', { url: platform.urlOf('gone.png') })),
      'OUTPUT_REFUSED',
    ],
    [
      'that is no picture',
      () => {
        const front = output('r', 'Front');
        platform.pictures.set('r.png', Buffer.from('<html>'));
        return rendered('bad', front);
      },
      'OUTPUT_UNREADABLE',
    ],
    [
      'that is cut short',
      () => {
        const front = output('r', 'Front');
        platform.pictures.set('r.png', picture.subarray(0, picture.length - 60));
        return rendered('bad', front);
      },
      'OUTPUT_UNREADABLE',
    ],
    [
      'that leads into another network',
      () => rendered('bad', output('r', 'Front', { url: 'ftp://files/x.png' })),
      'OUTPUT_REFUSED',
    ],
  ])('%s fails its own asset and leaves nothing behind', async (_name, bad, code) => {
    const broken = bad();
    const [{ url: filePath } = { url: '' }] = broken.refs.outputs ?? [];
    const renders = [{ id: 'r', name: 'Front', filePath, fileType: 'PNG', isVideo: false }];
    const job = { jobId: 'job-bad', status: 'COMPLETED', projectId: 'p', renders };
    platform.jobs.set('job-bad', job);
    const results = await run('{{ key }}.{{ ext }}', good('a'), broken, good('b'));
    expect(results).toMatchObject([
      { key: 'a', outcome: 'done' },
      { key: 'bad', outcome: 'failed', code },
      { key: 'b', outcome: 'done' },
    ]);
    expect((await readdir(folder)).toSorted()).toEqual(['a.png', 'b.png']);
  });

  it('whose address has changed is found by its job', async () => {
    const old = output('r', 'Front', { url: platform.urlOf('gone.png') });
    const filePath = platform.urlOf('r.png');
    platform.jobs.set('job-shoe', {
      jobId: 'job-shoe',
      status: 'COMPLETED',
      projectId: 'p',
      renders: [{ id: 'r', name: 'Front', filePath, fileType: 'PNG', isVideo: false }],
    });
    expect(paths(await run('{{ key }}.{{ ext }}', rendered('shoe', old)))).toEqual(['shoe.png']);
  });
});
