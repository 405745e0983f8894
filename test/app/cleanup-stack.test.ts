import { expect, test } from 'vitest';
import { CleanupStack } from '../../src/app/cleanup-stack.ts';

test('resources stop once, in the reverse order of their start', async () => {
  const stopped: string[] = [];
  const resources = new CleanupStack(() => {});
  for (const name of ['server', 'sandbox', 'worker']) {
    resources.add(name, async () => stopped.push(name));
  }
  await resources.stopAll();
  await resources.stopAll();
  expect(stopped).toEqual(['worker', 'sandbox', 'server']);
});

test('a resource that cannot be stopped is reported, and the others still stop', async () => {
  const notes: string[] = [];
  let serverStopped = false;
  const resources = new CleanupStack((text) => notes.push(text));
  resources.add('the server', async () => {
    serverStopped = true;
  });
  resources.add('the worker', () => Promise.reject(new Error('stuck')));
  await resources.stopAll();
  expect(serverStopped).toBe(true);
  expect(notes).toEqual(['could not stop the worker: stuck']);
});
