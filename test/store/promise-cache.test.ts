import { expect, test } from 'vitest';
import { PromiseCache } from '../../src/store/objects/promise-cache.ts';

test('concurrent readers of a result share one promise', async () => {
  const cache = new PromiseCache<number>(2);
  let begun = 0;
  const read = () => cache.getOrStart('a', async () => (begun += 1));
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
});

test('a failure is not cached', async () => {
  const cache = new PromiseCache<number>(2);
  await expect(cache.getOrStart('a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(cache.has('a')).toBe(false);
});

test('a failure does not discard the promise that replaced it', async () => {
  const cache = new PromiseCache<number>(2);
  let fail: (error: Error) => void = () => undefined;
  const failing = cache.getOrStart('a', () => new Promise<number>((_, reject) => (fail = reject)));
  cache.forget('a');
  const second = cache.getOrStart('a', () => Promise.resolve(2));
  fail(new Error('x'));
  await expect(failing).rejects.toThrow('x');
  expect(cache.getOrStart('a', () => Promise.resolve(3))).toBe(second);
});
