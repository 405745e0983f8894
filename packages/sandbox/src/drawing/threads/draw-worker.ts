// Entry point of a drawing thread. The caller sends the next request only after the reply.
import { parentPort } from 'node:worker_threads';
import { type DrawReply, type DrawRequest, toDrawError } from './draw-job.ts';
import { Drawer } from './drawer.ts';

const drawer = new Drawer();

async function handleRequest({ id, spec, bytes }: DrawRequest): Promise<DrawReply> {
  if (bytes === undefined && !drawer.isReady(spec)) return { id, kind: 'need-bytes' };
  try {
    const read = () => Promise.resolve(bytes ?? new Uint8Array(0));
    return { id, kind: 'done', bytes: await drawer.draw(spec, read) };
  } catch (error) {
    const { code, message } = toDrawError(error);
    return { id, kind: 'failed', code, message };
  }
}

parentPort?.on('message', (request: DrawRequest) => {
  void handleRequest(request).then((reply) => parentPort?.postMessage(reply));
});
