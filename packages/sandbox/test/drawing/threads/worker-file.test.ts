// Which compiled thread entry is used: the one next to the code, or a build that is newer than its sources.
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findWorkerFile } from '../../../src/drawing/threads/worker-file.ts';

const [old, recent] = [new Date('2030-01-01'), new Date('2030-01-02')];
const home = 'packages/sandbox';
const source = `${home}/src/drawing/threads/worker-file.ts`;
const built = `${home}/dist/drawing/threads/draw-worker.js`;
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
  await put(`${home}/package.json`, old);
  await put('src/glb/inspect-model.ts', old);
  await put('dist/src/glb/inspect-model.js', recent);
  await put(`${home}/src/scene/scene.ts`, old);
  await put(`${home}/dist/scene/scene.js`, recent);
  await put(`${home}/src/files/image-limits.ts`, old);
  await put(`${home}/dist/files/image-limits.js`, recent);
  await put(`${home}/src/drawing/threads/draw-worker.ts`, old);
  await put(built, recent);
});
afterEach(() => rm(root, { recursive: true }));

describe('findWorkerFile', () => {
  it('findWorkerFile returns the file next to compiled code', () => {
    expect(findWorkerFile(here(`${home}/dist/drawing/threads/worker-file.js`))).toBe(
      join(root, built),
    );
  });

  it('findWorkerFile returns the built file when the program runs from its sources', () => {
    expect(findWorkerFile(here(source))).toBe(join(root, built));
  });

  it.each([
    'src/glb/inspect-model.ts',
    `${home}/src/scene/scene.ts`,
    `${home}/src/files/image-limits.ts`,
    `${home}/src/drawing/threads/draw-worker.ts`,
  ])('findWorkerFile returns undefined when %s is newer', async (path) => {
    await utimes(join(root, path), new Date('2031-01-01'), new Date('2031-01-01'));
    expect(findWorkerFile(here(source))).toBeUndefined();
  });

  it('findWorkerFile returns undefined when a source has not been built', async () => {
    await put(`${home}/src/scene/another.ts`, old);
    expect(findWorkerFile(here(source))).toBeUndefined();
  });

  it('findWorkerFile returns undefined without a build', async () => {
    await rm(join(root, home, 'dist'), { recursive: true });
    expect(findWorkerFile(here(source))).toBeUndefined();
  });
});
