// The state of a sandbox contains its key and models, so only the current user can access it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Files } from '../../src/state/files.ts';
import { Journal } from '../../src/state/journal.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

it.each([['new'], ['open to all']])(
  'state and files are private in a folder that is %s',
  (kind) => {
    const root = mkdtempSync(join(tmpdir(), 'renderline-private-'));
    const data = join(root, 'data');
    if (kind !== 'new') {
      mkdirSync(join(data, 'files'), { recursive: true });
      chmodSync(join(data, 'files'), 0o755);
    }
    const journal = new Journal(data);
    journal.compact([]);
    const files = new Files(join(data, 'files'));
    expect(files.path('models/m/source.glb')).toContain(data);
    expect(modeOf(join(data, 'state.jsonl'))).toBe(0o600);
    expect(modeOf(join(data, 'files'))).toBe(0o700);
    if (kind === 'new') expect(modeOf(data)).toBe(0o700);
    rmSync(root, { recursive: true });
  },
);
