// The memory of a process that lists very many names: `npm run listing`, with fewer names.
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

describe('listing a very large number of names', () => {
  test('a very large listing uses some memory for a page and little for each name', async () => {
    const [fresh, unchanged] = await listing('--names', '100000');
    expect(fresh).toMatchObject({ total: 100_000, new: 100_000, pages: 400, stretches: 10 });
    expect(unchanged).toMatchObject({ total: 100_000, unchanged: 100_000, pages: 0 });
    for (const pass of [fresh, unchanged]) {
      // Half of the memory that the names alone took when all of them were kept.
      expect((pass?.rssPeakMb ?? 0) - (pass?.rssBeforeMb ?? 0)).toBeLessThan(200);
    }
  });

  test('a very large listing works with the S3 client over HTTP', async () => {
    const passes = await listing('--names', '25000', '--s3');
    expect(passes).toMatchObject([
      { total: 25_000, new: 25_000, pages: 100, stretches: 3 },
      { total: 25_000, unchanged: 25_000, pages: 0, stretches: 3 },
    ]);
  });
});
