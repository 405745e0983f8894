// Temporary errors of a disk. Operations are retried, and the error is reported if it lasts.
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toConnectorError } from '../../src/connectors/connector-error.ts';
import { withRetry } from '../../src/connectors/disk/disk-retry.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { DiskFile } from '../../src/disk/disk-file.ts';
import { putFile, tempFolder } from './_temp-folder.ts';

const systemError = (code: string) => Object.assign(new Error(`${code}: trouble`), { code });

/** Work that fails the given number of times, and the pauses before its retries. */
function failing(code: string, times: number) {
  const pauses: number[] = [];
  let left = times;
  const work = async () => {
    left -= 1;
    if (left >= 0) throw systemError(code);
    return 'done';
  };
  const pause = async (ms: number) => pauses.push(ms);
  return { result: () => withRetry(work, pause), pauses };
}

describe('a disk error', () => {
  it.each([
    ['EMFILE', 7],
    ['ENFILE', 7],
    ['EIO', 3],
    ['ESTALE', 3],
    ['EBUSY', 3],
    ['ETXTBSY', 3],
  ])(
    'the disk error %s is retried %i times with increasing pauses, and then reported',
    async (code, max) => {
      const passing = failing(code, max);
      expect(await passing.result()).toBe('done');
      expect(passing.pauses).toHaveLength(max);
      expect(passing.pauses).toEqual(passing.pauses.toSorted((one, other) => one - other));
      const lasting = failing(code, max + 1);
      await expect(lasting.result()).rejects.toMatchObject({ code });
    },
  );

  it.each(['ENOENT', 'EACCES', 'ENOSPC'])(
    'the disk error %s is reported immediately',
    async (code) => {
      const { result, pauses } = failing(code, 1);
      await expect(result()).rejects.toMatchObject({ code });
      expect(pauses).toEqual([]);
    },
  );

  it.each([
    ['EMFILE', 'read', { isOfOneFile: false, isTransient: true, runCause: null }],
    ['EMFILE', 'write', { isOfOneFile: false, isTransient: true, runCause: null }],
    ['ENFILE', 'read', { isOfOneFile: false, isTransient: true, runCause: null }],
    ['EIO', 'read', { isOfOneFile: true, isTransient: false, runCause: null }],
  ] as const)(
    'a persistent disk error %s on %s is attributed to the file or the location',
    (code, action, expected) => {
      expect(toConnectorError(systemError(code), action, 'a.glb', 'here')).toMatchObject(expected);
    },
  );
});

describe('a file in a folder', () => {
  it.each([
    ['small', 'a model'],
    ['large', 'a model '.repeat(100_000)],
  ])('a %s file is read although one read fails', async (name, content) => {
    const folder = await tempFolder();
    await putFile(folder, `${name}.glb`, content);
    const reads = failOneRead();
    const opened = await new LocalConnector({ type: 'local', path: folder }).open(`${name}.glb`);
    const read = await opened.content();
    expect(read instanceof Uint8Array ? Buffer.from(read).toString() : await text(read)).toBe(
      content,
    );
    expect(reads.mock.calls.length).toBeGreaterThan(1);
    await opened.close();
  });
});

/** Makes the next read of any file fail with a disk error. */
function failOneRead() {
  const spy = vi.spyOn(DiskFile.prototype, 'readAt').mockRejectedValueOnce(systemError('EIO'));
  onTestFinished(() => spy.mockRestore());
  return spy;
}
