// Unpacks what a released version has written: models, records, runs and files of one pipeline.
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunStart } from '../../src/plan/contract/contract.ts';

interface Recording {
  /** The start input of each run, from its history. */
  starts: Record<string, RunStart>;
  /** `{root}` stands for the folder. */
  files: Record<string, { modified: string } & ({ text: string } | { base64: string })>;
}

export interface RecordedVersion {
  root: string;
  starts: Recording['starts'];
}

/** Unpacks the recording at this path into a new folder. File times are restored. */
export async function unpackVersion(file: string): Promise<RecordedVersion> {
  const root = await mkdtemp(join(tmpdir(), 'renderline-before-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const { starts, files } = JSON.parse(
    (await readFile(file, 'utf8')).replaceAll('{root}', root),
  ) as Recording;
  for (const [path, { modified, ...content }] of Object.entries(files)) {
    // A fractional number of seconds is up to a millisecond too low, and milliseconds are compared.
    const at = (Date.parse(modified) + 0.5) / 1_000;
    await mkdir(dirname(join(root, path)), { recursive: true });
    const bytes = 'text' in content ? content.text : Buffer.from(content.base64, 'base64');
    await writeFile(join(root, path), bytes);
    await utimes(join(root, path), at, at);
  }
  return { root, starts };
}
