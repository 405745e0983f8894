import { describe, expect, it } from 'vitest';
import { ConnectorError, toConnectorError } from '../../src/connectors/connector-error.ts';

const systemError = (code: string) => Object.assign(new Error(`${code}: broken`), { code });

describe('the conversion of system errors', () => {
  it.each([
    ['ENOSPC', 'write', 'DISK_FULL'],
    ['EDQUOT', 'write', 'DISK_FULL'],
    ['EFBIG', 'write', 'DISK_FULL'],
    ['EACCES', 'write', 'UNWRITABLE'],
    ['EPERM', 'write', 'UNWRITABLE'],
    ['EROFS', 'write', 'UNWRITABLE'],
    ['EISDIR', 'write', 'FILE_REFUSED'],
    ['EBUSY', 'write', 'FILE_BUSY'],
    ['ETXTBSY', 'write', 'FILE_BUSY'],
    ['EIO', 'write', 'UNWRITABLE'],
    ['EMFILE', 'write', 'TOO_MANY_OPEN_FILES'],
    ['ENFILE', 'write', 'TOO_MANY_OPEN_FILES'],
    ['ENOENT', 'write', 'FOLDER_NOT_FOUND'],
    ['ENOTDIR', 'write', 'NOT_A_FOLDER'],
    ['ENAMETOOLONG', 'write', 'HOSTILE_PATH'],
    ['ENOENT', 'read', 'FILE_GONE'],
    ['EACCES', 'read', 'UNREADABLE'],
    ['EIO', 'read', 'UNREADABLE'],
    ['EISDIR', 'read', 'FILE_REFUSED'],
    ['EBUSY', 'read', 'FILE_BUSY'],
    ['EAGAIN', 'read', 'FILE_BUSY'],
    ['EMFILE', 'read', 'TOO_MANY_OPEN_FILES'],
    ['ENFILE', 'read', 'TOO_MANY_OPEN_FILES'],
    ['ELOOP', 'read', 'UNREADABLE'],
    ['ENOTDIR', 'read', 'NOT_A_FOLDER'],
  ] as const)('the error %s on %s becomes %s', (errno, action, code) => {
    const error = toConnectorError(systemError(errno), action, 'a/b.glb', 'local folder /data');
    expect(error).toBeInstanceOf(ConnectorError);
    expect(error).toMatchObject({ code, path: 'a/b.glb' });
    expect((error as Error).message).toContain(`cannot ${action} "a/b.glb" in local folder /data`);
    expect((error as Error).message).toContain(errno);
  });

  it('a converted error contains a fix', () => {
    const error = toConnectorError(systemError('ENOSPC'), 'write', 'a', 'local folder /data');
    expect(error).toMatchObject({
      message:
        'cannot write "a" in local folder /data: no space is left (ENOSPC); free some space, then resume the run',
      fix: 'Free some space, then resume the run',
      cause: expect.objectContaining({ code: 'ENOSPC' }),
    });
  });

  it.each([
    ['a ConnectorError', new ConnectorError('TOO_LARGE', 'a', 'what', 'fix')],
    ['a TypeError', new TypeError('not a system error')],
    ['a code that is not a system code', Object.assign(new Error('x'), { code: 'ERR_STREAM' })],
    ['an abort', AbortSignal.abort().reason],
  ])('the error of %s stays unchanged', (_, error) => {
    expect(toConnectorError(error, 'read', 'a', 'there')).toBe(error);
  });
});
