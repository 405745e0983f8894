import { copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { GeneratedFile, TestRun } from '../../compile/test-file/test-file.ts';
import type { SandboxPackage } from '../../sandbox/interface.ts';

type Maker = Pick<SandboxPackage, 'createModel' | 'createPicture'>;

export const defaultSlots = ['body'];

const ageMs = 3_600_000;

/** @param copyFolder folder of the test file, to which the paths of copied files are relative */
export async function createFiles(
  files: TestRun['files'],
  { folder, copyFolder, maker }: { folder: string; copyFolder: string; maker: Maker },
): Promise<void> {
  for (const file of files) {
    const spec = typeof file === 'string' ? { path: file } : file;
    for (const path of expandNumbered(spec.path, spec.count)) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      if (spec.copy === undefined) await writeFile(target, await createContent(spec, path, maker));
      else await copyFile(resolve(copyFolder, spec.copy), target);
      // The modification time is in the past. Otherwise, a run would wait in real time until the file is stable.
      const changedAt = new Date(Date.now() - ageMs);
      await utimes(target, changedAt, changedAt);
    }
  }
}

/** Expands `{n}`. For example, `chair-{n}.glb` with count 2 becomes chair-1.glb and chair-2.glb. */
export function expandNumbered(name: string, count: number | undefined): string[] {
  if (count === undefined) return [name];
  return Array.from({ length: count }, (_, index) => name.replaceAll('{n}', String(index + 1)));
}

async function createContent(
  { text, broken, slots = defaultSlots }: GeneratedFile,
  path: string,
  maker: Maker,
): Promise<Uint8Array | string> {
  if (text !== undefined) return text;
  if (broken === 'empty') return '';
  if (broken === 'not a model') return 'This is not a model.\n';
  const content = /\.(?:png|jpe?g)$/i.test(path)
    ? await maker.createPicture(path)
    : await maker.createModel(path, slots);
  return broken === 'truncated' ? content.subarray(0, Math.floor(content.length / 2)) : content;
}
