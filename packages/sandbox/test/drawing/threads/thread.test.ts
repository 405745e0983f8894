// Messages of a real thread: bytes on request, distinct failures, and a new thread after a crash.
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
  it('the bytes of a model are sent when the thread requests them', async () => {
    expect((await makeThread().draw(job('m1'))).toString()).toBe('cup:data');
  });

  it('a model that the thread already has is not read', async () => {
    const read = (): Promise<Uint8Array> => Promise.reject(new Error('must not be read'));
    expect((await makeThread().draw(job('cached', read))).toString()).toBe('cup:no bytes');
  });

  it('the reason for refusing a picture is reported', async () => {
    const problem = await makeThread()
      .draw(job('refused'))
      .catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(DrawError);
    expect(problem).toMatchObject({ code: 'TRUNCATED', message: 'cut off' });
  });

  it('a model that cannot be read is reported', async () => {
    const read = (): Promise<Uint8Array> => Promise.reject(new Error('no such file'));
    await expect(makeThread().draw(job('m1', read))).rejects.toMatchObject({ code: 'UNREADABLE' });
  });

  it('the response to an earlier job is ignored', async () => {
    const thread = makeThread();
    await thread.draw(job('m1'));
    expect((await thread.draw(job('stale'))).toString()).toBe('cup:data');
  });

  it.each([
    ['dies', 'exit code 3'],
    ['throws', 'out of paint'],
  ])('a thread that %s is reported, and the next job succeeds', async (modelId, why) => {
    const thread = makeThread();
    const problem = await thread.draw(job(modelId)).catch((error: unknown) => error);
    expect(problem).toMatchObject({ code: 'THREAD_DIED', message: expect.stringContaining(why) });
    expect((await thread.draw(job('m1'))).toString()).toBe('cup:data');
  });

  it('a job that takes too long fails', async () => {
    const thread = makeThread(50);
    await expect(thread.draw(job('silent'))).rejects.toMatchObject({ code: 'TIMED_OUT' });
  });

  it('a job that cannot be sent to the thread is reported', async () => {
    const strange = { ...job('m1'), extra: () => 1 };
    await expect(makeThread().draw(strange)).rejects.toMatchObject({ code: 'DRAW_FAILED' });
  });

  it('closing the thread ends the current job', async () => {
    const thread = makeThread();
    const drawing = thread.draw(job('silent')).catch((error: unknown) => error);
    await thread.close();
    expect(await drawing).toMatchObject({ code: 'POOL_CLOSED' });
  });
});
