// What a process takes that lists very many names: `npm run listing`, with fewer of them.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

interface Pass {
  total: number;
  new: number;
  unchanged: number;
  pages: number;
  stretches: number;
  rssBeforeMb: number;
  rssPeakMb: number;
}

const run = promisify(execFile);

async function listing(...args: string[]): Promise<Pass[]> {
  const { stdout } = await run(process.execPath, ['dist/scripts/listing.js', ...args]);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Pass)));
}

describe('a listing of very many names', () => {
  test('takes some memory for a stretch, and little for each name', async () => {
    const [fresh, unchanged] = await listing('--names', '100000');
    expect(fresh).toMatchObject({ total: 100_000, new: 100_000, pages: 400, stretches: 10 });
    expect(unchanged).toMatchObject({ total: 100_000, unchanged: 100_000, pages: 0 });
    for (const pass of [fresh, unchanged]) {
      // Half of what the names alone took when they were all held.
      expect((pass?.rssPeakMb ?? 0) - (pass?.rssBeforeMb ?? 0)).toBeLessThan(200);
    }
  });

  test('goes on by the client of S3, over HTTP', async () => {
    const passes = await listing('--names', '25000', '--s3');
    expect(passes).toMatchObject([
      { total: 25_000, new: 25_000, pages: 100, stretches: 3 },
      { total: 25_000, unchanged: 25_000, pages: 0, stretches: 3 },
    ]);
  });
});
