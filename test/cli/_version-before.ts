// What the version before has left in folders, unpacked as it lay there: see test/fixtures/README.md.
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { RunStart } from '../../src/plan/contract.ts';

export type Kept = 'cancelled' | 'catalog' | 'grid' | 'library' | 'sheets';

interface Recording {
  /** What each run was started with, as its history has it. */
  starts: Record<string, RunStart>;
  /** `{root}` stands for the folder. */
  files: Record<string, { modified: string } & ({ text: string } | { base64: string })>;
}

export interface VersionBefore {
  root: string;
  starts: Recording['starts'];
}

/** A folder with the models, records, runs and files of one pipeline, as old as they were. */
export async function versionBefore(name: Kept): Promise<VersionBefore> {
  return unpacked(
    fileURLToPath(new URL(`../fixtures/version-before/${name}.json`, import.meta.url)),
  );
}

/** The same of any recording, by its path. */
export async function unpacked(file: string): Promise<VersionBefore> {
  const root = await mkdtemp(join(tmpdir(), 'renderline-before-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const { starts, files } = JSON.parse(
    (await readFile(file, 'utf8')).replaceAll('{root}', root),
  ) as Recording;
  for (const [path, { modified, ...content }] of Object.entries(files)) {
    // Seconds as a fraction fall short of the millisecond, which counts.
    const at = (Date.parse(modified) + 0.5) / 1_000;
    await mkdir(dirname(join(root, path)), { recursive: true });
    const bytes = 'text' in content ? content.text : Buffer.from(content.base64, 'base64');
    await writeFile(join(root, path), bytes);
    await utimes(join(root, path), at, at);
  }
  return { root, starts };
}
