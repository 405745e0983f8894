// A stub of a drawing thread, to test the messages that the server sends. The model id selects the behaviour.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ id, spec, bytes }) => {
  const reply = (message) => parentPort?.postMessage({ id, ...message });
  if (spec.modelId === 'silent') return;
  if (spec.modelId === 'dies') process.exit(3);
  if (spec.modelId === 'throws') throw new Error('out of paint');
  if (spec.modelId === 'stale')
    parentPort?.postMessage({ id: id - 1, kind: 'failed', name: 'X', code: 'STALE', message: '' });
  if (spec.modelId === 'refused') {
    reply({ kind: 'failed', name: 'ModelUnreadableError', code: 'TRUNCATED', message: 'cut off' });
  } else if (bytes === undefined && spec.modelId !== 'cached') {
    reply({ kind: 'need-bytes' });
  } else {
    const text = `${spec.name}:${bytes === undefined ? 'no bytes' : Buffer.from(bytes).toString()}`;
    reply({ kind: 'done', bytes: Buffer.from(text) });
  }
});
