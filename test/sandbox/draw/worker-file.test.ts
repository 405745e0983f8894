// Which compiled thread entry is used: the one beside the code, or a build that is not older than its sources.
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findWorkerFile } from '../../../src/sandbox/draw/worker-file.ts';

const [old, recent] = [new Date('2030-01-01'), new Date('2030-01-02')];
let root = '';

async function put(path: string, time: Date): Promise<void> {
  const full = join(root, path);
  await mkdir(join(full, '..'), { recursive: true });
  await writeFile(full, '');
  await utimes(full, time, time);
}

function here(path: string): string {
  return pathToFileURL(join(root, path)).href;
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'worker-'));
  await put('package.json', old);
  await put('src/glb/scene.ts', old);
  await put('src/sandbox/draw/draw-worker.ts', old);
  await put('dist/src/glb/scene.js', recent);
  await put('dist/src/sandbox/draw/draw-worker.js', recent);
});
afterEach(() => rm(root, { recursive: true }));

const source = 'src/sandbox/draw/worker-file.ts';
const built = 'dist/src/sandbox/draw/draw-worker.js';

describe('findWorkerFile', () => {
  it('takes the file beside compiled code', () => {
    expect(findWorkerFile(here('dist/src/sandbox/draw/worker-file.js'))).toBe(join(root, built));
  });

  it('takes the build when sources run', () => {
    expect(findWorkerFile(here(source))).toBe(join(root, built));
  });

  it.each(['src/glb/scene.ts', 'src/sandbox/draw/draw-worker.ts'])(
    'takes none when %s is newer',
    async (path) => {
      await utimes(join(root, path), new Date('2031-01-01'), new Date('2031-01-01'));
      expect(findWorkerFile(here(source))).toBeUndefined();
    },
  );

  it('takes none when a source has not been built', async () => {
    await put('src/glb/another.ts', old);
    expect(findWorkerFile(here(source))).toBeUndefined();
  });

  it('takes none without a build', async () => {
    await rm(join(root, 'dist'), { recursive: true });
    expect(findWorkerFile(here(source))).toBeUndefined();
  });
});
