// Entry point of a drawing thread. The caller sends the next request only after the reply.
import { parentPort, workerData } from 'node:worker_threads';
import type { DrawReply, DrawRequest } from './draw-job.ts';
import { Drawer } from './drawer.ts';

function cacheBytesOf(data: unknown): number | undefined {
  if (typeof data !== 'object' || data === null || !('cacheBytes' in data)) return undefined;
  return typeof data.cacheBytes === 'number' ? data.cacheBytes : undefined;
}

const drawer = new Drawer(cacheBytesOf(workerData));

async function handleRequest({ id, spec, bytes }: DrawRequest): Promise<DrawReply> {
  if (bytes === undefined && !drawer.isReady(spec)) return { id, kind: 'need-bytes' };
  try {
    const drawn = await drawer.draw(spec, () => Promise.resolve(bytes ?? new Uint8Array(0)));
    return { id, kind: 'done', ...drawn };
  } catch (error) {
    const known = error instanceof Error ? error : new Error(String(error));
    const code = 'code' in known && typeof known.code === 'string' ? known.code : 'DRAW_FAILED';
    return { id, kind: 'failed', name: known.name, code, message: known.message };
  }
}

parentPort?.on('message', (request: DrawRequest) => {
  void handleRequest(request).then((reply) => parentPort?.postMessage(reply));
});
