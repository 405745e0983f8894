// A machine without room for another process. Node then emits an error for a process without streams, or throws.
import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toFailure } from '../../activities/failures.ts';
import { toConnectorError } from '../../src/connectors/connector-error.ts';
import { findForeignFailure } from '../../src/failures/classify-error.ts';
import { validateWithKhronos } from '../../src/features/model-rules/khronos-validator.ts';
import { DecoderPool } from '../../src/pictures/decoding/decoder-pool.ts';
import { DecodingProcess } from '../../src/pictures/decoding/decoding-process.ts';
import { HelperStartError } from '../../src/settings/helper-process.ts';
import { runTableProcess } from '../../src/tables/table-process.ts';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function startsFailWith(fail: () => ChildProcess) {
  vi.spyOn(childProcess, 'spawn').mockImplementation(fail);
  syncBuiltinESMExports();
}

const systemError = (code: string) =>
  Object.assign(new Error(`spawn node ${code}`), { code, errno: -1, syscall: 'spawn node' });
const throws = (code: string) => () => {
  throw systemError(code);
};
const emits = (code: string) => () => {
  const child = new ChildProcess();
  // A process that Node never tried to start has the id 0, which stands for the process group of the tests.
  child.kill = () => false;
  process.nextTick(() => child.emit('error', systemError(code)));
  return child;
};

const pool = new DecoderPool(() => new DecodingProcess(), {
  maxConcurrent: 1,
  idleMs: 1,
  timeoutMs: 60_000,
});
const empty = { size: 0, read: async () => new Uint8Array(0) };
const table = { script: '', request: {}, instead: 'CSV' };

describe.each([
  ['a picture is decoded', () => pool.decode({ file: 'a.png', pixels: 1, memoryBytes: 1e9 })],
  ['a table is read', () => runTableProcess(table, () => true)],
  ['a model is validated', () => validateWithKhronos(empty)],
])('if %s', (_task, run) => {
  it.each([
    ['EAGAIN', emits('EAGAIN')],
    ['EMFILE', emits('EMFILE')],
    ['ENOMEM', throws('ENOMEM')],
  ])('%s is an error of the machine, not of the file', async (code, fail) => {
    startsFailWith(fail);
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HelperStartError);
    expect(error).toMatchObject({
      message: `This machine cannot start another process (${code})`,
    });
  });
});

describe('a process that does not start', () => {
  const error = new HelperStartError(systemError('EAGAIN'));

  it('the step is retried on any attempt', () => {
    for (const attempt of [1, 500])
      expect(toFailure(error, attempt, [])).toMatchObject({
        type: 'PROCESS_NOT_STARTED',
        nonRetryable: false,
      });
  });

  it('no file and no destination is to blame', () => {
    expect(toConnectorError(error, 'write', 'a.png', 'local folder /out')).toBe(error);
  });

  it('a command reports the limits to raise', () => {
    expect(findForeignFailure(error)).toMatchObject({
      failure: { code: 'PROCESS_NOT_STARTED' },
      fix: expect.stringContaining('ulimit -u'),
    });
  });
});
