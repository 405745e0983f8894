// A list of the platform is read at most once a minute.
import { expect, it } from 'vitest';
import { CachedList } from '../../src/engine/discovery/cached-list.ts';

const minuteMs = 60_000;

it('a failed read does not replace a newer list', async () => {
  let nowMs = 0;
  const list = new CachedList<string>(() => nowMs);
  let failFirst = (_error: Error) => {};
  const first = new Promise<string>((_, reject) => {
    failFirst = reject;
  });
  const failed = list.get(() => first);
  nowMs = minuteMs;
  await list.get(async () => 'newer');
  failFirst(new Error('too late'));
  await expect(failed).rejects.toThrow('too late');
  await expect(list.get(async () => 'read again')).resolves.toBe('newer');
});

it('a failed read is repeated', async () => {
  const list = new CachedList<string>(() => 0);
  await expect(list.get(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(list.get(async () => 'yes')).resolves.toBe('yes');
});
