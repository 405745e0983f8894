// Messages with a real thread: bytes on request, distinct failures, and a new thread after a crash.
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { DrawError, type DrawJob } from '../../../src/drawing/threads/draw-job.ts';
import { DrawThread } from '../../../src/drawing/threads/thread.ts';
import { plainLook } from '../_pictures.ts';

const file = fileURLToPath(new URL('./_echo-worker.mjs', import.meta.url));
const open: DrawThread[] = [];

function makeThread(timeoutMs = 10_000): DrawThread {
  const thread = new DrawThread(file, timeoutMs);
  open.push(thread);
  return thread;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((thread) => thread.close()));
});

function job(
  modelId: string,
  read: () => Promise<Uint8Array> = () => Promise.resolve(Buffer.from('data')),
): DrawJob {
  return {
    modelId,
    fileType: 'glb',
    name: 'cup',
    look: plainLook,
    width: 4,
    height: 3,
    format: 'PNG',
    read,
  };
}

describe('DrawThread', () => {
  it('sends the bytes when the thread asks for them', async () => {
    expect((await makeThread().draw(job('m1'))).toString()).toBe('cup:data');
  });

  it('does not read a model that the thread has', async () => {
    const read = (): Promise<Uint8Array> => Promise.reject(new Error('must not be read'));
    expect((await makeThread().draw(job('cached', read))).toString()).toBe('cup:no bytes');
  });

  it('reports why a picture was refused', async () => {
    const problem = await makeThread()
      .draw(job('refused'))
      .catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(DrawError);
    expect(problem).toMatchObject({ code: 'TRUNCATED', message: 'cut off' });
  });

  it('reports a model that cannot be read', async () => {
    const read = (): Promise<Uint8Array> => Promise.reject(new Error('no such file'));
    await expect(makeThread().draw(job('m1', read))).rejects.toMatchObject({ code: 'UNREADABLE' });
  });

  it('ignores the response to an earlier job', async () => {
    const thread = makeThread();
    await thread.draw(job('m1'));
    expect((await thread.draw(job('stale'))).toString()).toBe('cup:data');
  });

  it.each([
    ['dies', 'exit code 3'],
    ['throws', 'out of paint'],
  ])('survives a thread that %s', async (modelId, why) => {
    const thread = makeThread();
    const problem = await thread.draw(job(modelId)).catch((error: unknown) => error);
    expect(problem).toMatchObject({ code: 'THREAD_DIED', message: expect.stringContaining(why) });
    expect((await thread.draw(job('m1'))).toString()).toBe('cup:data');
  });

  it('fails a job that takes too long', async () => {
    const thread = makeThread(50);
    await expect(thread.draw(job('silent'))).rejects.toMatchObject({ code: 'TIMED_OUT' });
  });

  it('reports a job that cannot be sent to the thread', async () => {
    const strange = { ...job('m1'), extra: () => 1 };
    await expect(makeThread().draw(strange)).rejects.toMatchObject({ code: 'DRAW_FAILED' });
  });

  it('ends the running job when it is closed', async () => {
    const thread = makeThread();
    const drawing = thread.draw(job('silent')).catch((error: unknown) => error);
    await thread.close();
    expect(await drawing).toMatchObject({ code: 'POOL_CLOSED' });
  });
});
