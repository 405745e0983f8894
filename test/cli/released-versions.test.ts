// This version reads the files that each released version has written, and pays for nothing again. Each release needs a
// recording: npm run record-version.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { type Plan, planSchema } from '../../src/plan/types.ts';
import { type RecordedVersion, unpackVersion } from './_recorded-version.ts';
import { run } from './_run-cli.ts';

// The first plan of a process loads the compiler.
vi.setConfig({ testTimeout: 60_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const versions = join(root, 'test/fixtures/versions');
const textOf = (name: string) => readFileSync(join(root, name), 'utf8');
const { version } = JSON.parse(textOf('package.json')) as { version: string };
const released = [...textOf('CHANGELOG.md').matchAll(/^## \[?(\d+\.\d+\.\d+)/gm)].map(
  ([, one = '']) => one,
);

it.each([...new Set([version, ...released])])(
  'version %s has a recording, and a section in UPGRADING.md',
  (one) => {
    expect(existsSync(join(versions, one)), `npm run record-version, for ${one}`).toBe(true);
    expect(textOf('UPGRADING.md')).toContain(`\n## ${one}`);
  },
);

const recordings = readdirSync(versions, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => [name, join(versions, name)] as const);

interface Planned {
  assets: Record<'total' | 'new' | 'changed' | 'unchanged', number>;
  sinceLastRun: { recipeChanged: boolean } | null;
}

/** No Temporal server responds here. */
const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

async function planned(before: RecordedVersion, file: string): Promise<Planned> {
  const ran = await run(['plan', file, '--json'], { cwd: before.root, env });
  expect(ran.code, ran.stderr).toBe(0);
  return ran.json<Planned>();
}

function fileOf(path: string): string {
  return (JSON.parse(readFileSync(path, 'utf8')) as { file: string }).file;
}

describe.each(recordings)('version %s', (_name, path) => {
  it('assets that this version has delivered are not processed again', async () => {
    const before = await unpackVersion(path);
    const { assets, sinceLastRun } = await planned(before, fileOf(path));
    expect(assets.total).toBeGreaterThan(0);
    expect(assets).toMatchObject({ new: 0, changed: 0, unchanged: assets.total });
    expect(sinceLastRun).toMatchObject({ recipeChanged: false });
  });

  it('the plans of schedules and open runs are in the current format', async () => {
    const { starts } = await unpackVersion(path);
    const plans: Plan[] = Object.values(starts).map(({ plan }) => plan);
    expect(plans.length).toBeGreaterThan(0);
    for (const { schema } of plans) expect(schema).toBe(planSchema);
  });

  it('the records can be moved to another location', async () => {
    const before = await unpackVersion(path);
    const file = fileOf(path);
    const text = await readFile(join(before.root, file), 'utf8');
    const elsewhere = 'connectors:\n  kept: { type: local, path: moved }';
    const moved = `${text.replace('connectors:', elsewhere)}records: kept\n`;
    await writeFile(join(before.root, file), moved);
    const lost = await planned(before, file);
    expect(lost.assets).toMatchObject({ unchanged: 0 });
    await cp(join(before.root, 'pictures/.renderline'), join(before.root, 'moved/.renderline'), {
      recursive: true,
    });
    await rename(join(before.root, 'pictures/.renderline'), join(before.root, 'old-records'));
    const { assets } = await planned(before, file);
    expect(assets).toMatchObject({ new: 0, changed: 0, unchanged: assets.total });
  });
});
