import { describe, expect, it } from 'vitest';
import { settleDown } from '../../src/store/discovery/settle-down.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { startMs } from './_store.ts';

/** Files by age in milliseconds at the start; `during` is what happens while the run waits. */
async function settle(
  agesMs: Record<string, number>,
  stableForMs: number,
  during: (bucket: MemoryBucket) => void = () => undefined,
) {
  const bucket = new MemoryBucket();
  for (const [path, ageMs] of Object.entries(agesMs)) {
    bucket.files.set(path, { bytes: Buffer.from('x'), mtimeMs: startMs - ageMs });
  }
  const connector = new MemoryConnector(bucket);
  const entries = [];
  for await (const entry of connector.list()) entries.push(entry);
  const waitsMs: number[] = [];
  const wait = async (delayMs: number) => {
    waitsMs.push(delayMs);
    during(bucket);
  };
  const result = await settleDown(entries, { connector, stableForMs, now: () => startMs, wait });
  return { stable: result.stable.map(({ path }) => path).sort(), later: result.later, waitsMs };
}

const grow = (path: string) => (bucket: MemoryBucket) =>
  bucket.files.set(path, { bytes: Buffer.from('xy'), mtimeMs: startMs });

describe('files that have stopped changing', () => {
  it('are taken at once when they are old', async () => {
    expect(await settle({ a: 1_000, b: 90_000 }, 1_000)).toEqual({
      stable: ['a', 'b'],
      later: [],
      waitsMs: [],
    });
  });

  it('are taken after the rest of the time when they are young', async () => {
    expect(await settle({ a: 300, b: 700, old: 5_000 }, 1_000)).toEqual({
      stable: ['a', 'b', 'old'],
      later: [],
      waitsMs: [700],
    });
  });

  it('are left for the next run when they still change', async () => {
    expect(await settle({ a: 300, b: 700 }, 1_000, grow('a'))).toEqual({
      stable: ['b'],
      later: ['a'],
      waitsMs: [700],
    });
  });

  it('are left for the next run when only their time changes', async () => {
    const touch = (bucket: MemoryBucket) =>
      bucket.files.set('a', { bytes: Buffer.from('x'), mtimeMs: startMs + 1 });
    expect(await settle({ a: 300 }, 1_000, touch)).toMatchObject({ stable: [], later: ['a'] });
  });

  it('are forgotten when they vanish', async () => {
    const vanish = (bucket: MemoryBucket) => bucket.files.delete('a');
    expect(await settle({ a: 300 }, 1_000, vanish)).toMatchObject({ stable: [], later: [] });
  });

  it('are not waited for longer than five seconds', async () => {
    expect(await settle({ a: 1_000, b: 56_000 }, 60_000)).toEqual({
      stable: ['b'],
      later: ['a'],
      waitsMs: [4_000],
    });
  });

  it('are looked at twice when their time lies in the future', async () => {
    const hourMs = -3_600_000;
    expect(await settle({ a: hourMs, b: hourMs }, 1_000, grow('b'))).toEqual({
      stable: ['a'],
      later: ['b'],
      waitsMs: [1_000],
    });
    expect(await settle({ a: hourMs }, 60_000)).toMatchObject({ stable: ['a'], waitsMs: [5_000] });
  });

  it('count as just changed when their time is a moment ahead', async () => {
    expect(await settle({ a: -5 }, 60_000)).toMatchObject({
      stable: [],
      later: ['a'],
      waitsMs: [],
    });
    expect(await settle({ a: -5 }, 1_000)).toMatchObject({ stable: ['a'], waitsMs: [1_000] });
  });

  it('need no wait at all when nothing is asked for', async () => {
    expect(await settle({ a: 0 }, 0)).toMatchObject({ stable: ['a'], waitsMs: [] });
  });
});
