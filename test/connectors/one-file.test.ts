// An error of one file stays with that file while its location works; if others fail too, the location is at fault
// (decision 065).
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connector, ListOptions } from '../../src/connectors/connector.ts';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { ProbingConnector } from '../../src/connectors/probing-connector.ts';
import { MemoryBucket, MemoryConnector } from './_memory-connector.ts';
import { type Refusal, useSmallS3 } from './_small-s3.ts';
import { collect, putFile, tempFolder } from './_temp-folder.ts';

const s3 = useSmallS3();
const archived: Refusal = { status: 403, code: 'InvalidObjectState' };
const denied: Refusal = { status: 403, code: 'AccessDenied' };
const noKey: Refusal = { status: 400, code: 'KMS.DisabledException' };

async function deliver(connector: Connector, path: string): Promise<void> {
  const staged = await connector.stage(path);
  await staged.write(Buffer.from('picture'));
  try {
    await staged.commit();
  } finally {
    await staged.discard();
  }
}

/** Reads in all ways that runs use. All results must be the same. */
async function readAll(connector: Connector, path: string): Promise<unknown> {
  const errors = await Promise.all(
    [connector.read(path), connector.readPart(path, 0, 4), connector.open(path)].map((work) =>
      work.then(
        () => null,
        (error: unknown) => error,
      ),
    ),
  );
  expect(new Set(errors.map((error) => error instanceof ConnectorError && error.code)).size).toBe(
    1,
  );
  return errors[0];
}

describe('a single object that the store refuses', () => {
  it.each([
    ['archived', archived, 'FILE_ARCHIVED', /is archived.*InvalidObjectState/],
    [
      'forbidden',
      denied,
      'FILE_REFUSED',
      /lack permission \(AccessDenied\), although other files in the connector can be read/,
    ],
    [
      'encrypted with an unusable key',
      noKey,
      'FILE_REFUSED',
      /encryption key of the object cannot be used.*although other files/,
    ],
  ])('a single object that is %s fails its asset', async (_, refusal, code, message) => {
    for (const name of ['a.glb', 'b.glb', 'c.glb']) s3.objects.set(`in/${name}`, Buffer.from('x'));
    s3.refuse = (method, key) => (method === 'GET' && key === 'in/b.glb' ? refusal : null);
    const connector = s3.connector();
    const error = await readAll(connector, 'b.glb');
    expect(error).toMatchObject({ code, isOfOneFile: true, runCause: null });
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(await readAll(connector, 'a.glb')).toBeNull();
  });

  it('further refused objects cause no further checks of the store', async () => {
    for (let at = 0; at < 20; at += 1) s3.objects.set(`in/${at}.glb`, Buffer.from('x'));
    s3.refuse = (method, key) => (method === 'GET' && /1\d\.glb/.test(key) ? denied : null);
    const connector = s3.connector();
    const refused = Array.from({ length: 10 }, (_, at) =>
      expect(connector.read(`1${at}.glb`)).rejects.toMatchObject({ code: 'FILE_REFUSED' }),
    );
    await Promise.all(refused);
    expect(s3.requests.length).toBeLessThan(17);
  });

  it.each([[denied], [{ status: 403, code: 'SomethingElse' }]])(
    'an object that the store refuses to write fails its asset, and leaves no other object behind',
    async (refusal) => {
      s3.refuse = (method, key) => (method === 'PUT' && key === 'in/locked.png' ? refusal : null);
      const connector = s3.connector();
      await expect(deliver(connector, 'locked.png')).rejects.toMatchObject({
        code: 'FILE_REFUSED',
        isOfOneFile: true,
        message: expect.stringContaining('although other files in the connector can be written'),
      });
      await deliver(connector, 'free.png');
      expect([...s3.objects.keys()]).toEqual(['in/free.png']);
    },
  );
});

describe('a location that refuses every request', () => {
  it.each([
    ['read', 'GET'],
    ['write', 'PUT'],
  ])('a location that refuses each %s stops the run', async (action, method) => {
    for (const name of ['a.glb', 'b.glb']) s3.objects.set(`in/${name}`, Buffer.from('x'));
    s3.refuse = (asked, key) => (asked === method && key !== '' ? denied : null);
    const connector = s3.connector();
    const work = action === 'read' ? connector.read('a.glb') : deliver(connector, 'a.png');
    await expect(work).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
      isOfOneFile: false,
      runCause: { kind: 'auth' },
    });
  });

  it('a location whose only file is forbidden stops the run', async () => {
    s3.objects.set('in/a.glb', Buffer.from('x'));
    s3.refuse = (method, key) => (method === 'GET' && key !== '' ? denied : null);
    await expect(s3.connector().read('a.glb')).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  });

  it('archived files do not prove that the location refuses every request', async () => {
    for (const name of ['a.glb', 'b.glb', 'c.glb']) s3.objects.set(`in/${name}`, Buffer.from('x'));
    s3.refuse = (method, key) => {
      if (method !== 'GET' || key === '' || key === 'in/c.glb') return null;
      return key === 'in/a.glb' ? archived : denied;
    };
    await expect(s3.connector().read('b.glb')).rejects.toMatchObject({ code: 'FILE_REFUSED' });
  });
});

describe('a local folder', () => {
  const open = async () => {
    const path = await tempFolder();
    return { path, connector: openConnector({ type: 'local', path }) };
  };

  it("a local folder with a folder at a picture's path still accepts other files", async () => {
    const { path, connector } = await open();
    await mkdir(join(path, 'lamp.png'));
    await expect(deliver(connector, 'lamp.png')).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      isOfOneFile: true,
      message: expect.stringMatching(/a folder has the same name \(EISDIR\)/),
    });
    await deliver(connector, 'chair.png');
    expect(await collect(connector.names())).toEqual(['chair.png']);
  });

  it("a local folder with a file at a folder's path still accepts other files", async () => {
    const { path, connector } = await open();
    await putFile(path, 'lamp');
    await expect(deliver(connector, 'lamp/front.png')).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      isOfOneFile: true,
    });
    await deliver(connector, 'chair/front.png');
  });

  it("a local folder with a folder at a model's path can still read other files", async () => {
    const { path, connector } = await open();
    await putFile(path, 'chair.glb');
    await mkdir(join(path, 'lamp.glb'));
    expect(await readAll(connector, 'lamp.glb')).toMatchObject({ isOfOneFile: true });
    expect(await readAll(connector, 'chair.glb')).toBeNull();
  });

  it('a local folder that is actually a file stops the run', async () => {
    const path = await putFile(await tempFolder(), 'out');
    await expect(deliver(openConnector({ type: 'local', path }), 'a.png')).rejects.toMatchObject({
      code: 'NOT_A_FOLDER',
      isOfOneFile: false,
    });
  });
});

describe('a location of any type', () => {
  it("a location uses its connector's write check if there is one", async () => {
    const place: Connector = new MemoryConnector(new MemoryBucket());
    expect(new ProbingConnector(place).checkWritable).toBeUndefined();
    place.checkWritable = () => Promise.reject(new Error('no rename'));
    await expect(new ProbingConnector(place).checkWritable?.()).rejects.toThrow('no rename');
  });

  /** A connector whose operations are refused if `isRefused` returns true. */
  function placeOf(
    code: ConnectorError['code'],
    isRefused: (operation: string, path: string) => boolean,
    cause?: Error,
  ) {
    const bucket = new MemoryBucket();
    for (const path of ['a', 'b', 'c', 'd', 'e']) {
      bucket.files.set(path, { bytes: Buffer.from('x'), mtimeMs: 0 });
    }
    const refuse = async (operation: string, path: string) => {
      if (!isRefused(operation, path)) return;
      throw new ConnectorError(code, path, `cannot touch "${path}"`, 'fix', { cause });
    };
    return new ProbingConnector(new MemoryConnector(bucket, refuse));
  }
  const isOf = (path: string) => (_operation: string, asked: string) => asked === path;

  it('a location where only one file cannot be read reports only this file', async () => {
    await expect(placeOf('UNREADABLE', isOf('a')).read('a')).rejects.toMatchObject({
      code: 'UNREADABLE',
    });
  });

  it.each([
    ['can be listed', (operation: string) => operation !== 'list'],
    ['cannot even be listed', () => true],
  ])('a location without any readable file stops the run if it %s', async (_, isRefused) => {
    await expect(placeOf('UNREADABLE', isRefused).read('a')).rejects.toMatchObject({
      code: 'PLACE_UNREADABLE',
      runCause: { kind: 'later' },
    });
  });

  it.each([
    [1, 'UNREADABLE'],
    [3, 'PLACE_UNREADABLE'],
  ])('a location with a file and %i folders that cannot be read: %s', async (folders, code) => {
    class LockedFolders extends MemoryConnector {
      override async *names(prefix = '', options: ListOptions = {}): AsyncGenerator<string> {
        for (let at = 0; at < folders; at += 1) {
          if (!options.onSkipped) throw new ConnectorError('UNREADABLE', `${at}`, 'denied', 'fix');
          options.onSkipped(`${at}`, 'unreadable-folder');
        }
        yield* super.names(prefix, options);
      }
    }
    const connector = new LockedFolders(undefined, (operation, path) =>
      operation === 'read' && path === 'a'
        ? Promise.reject(new ConnectorError('UNREADABLE', path, `cannot read "${path}"`, 'fix'))
        : Promise.resolve(),
    );
    await expect(new ProbingConnector(connector).read('a')).rejects.toMatchObject({ code });
  });

  it.each(['EACCES', 'EPERM'])(
    'a location reports a file as busy if only the write of that file fails with %s',
    async (errno) => {
      const cause = Object.assign(new Error('x'), { code: errno });
      const isRefused = (operation: string, path: string) => operation === 'write' && path === 'a';
      await expect(
        placeOf('UNWRITABLE', isRefused, cause).write('a', Buffer.from('x')),
      ).rejects.toMatchObject({
        code: 'FILE_BUSY',
        isTransient: true,
        isOfOneFile: true,
      });
      const isNew = (operation: string, path: string) => operation === 'write' && path === 'new';
      await expect(
        placeOf('UNWRITABLE', isNew, cause).write('new', Buffer.from('x')),
      ).rejects.toMatchObject({
        code: 'FILE_REFUSED',
        isTransient: false,
      });
    },
  );

  it.each(['DISK_FULL', 'CREDENTIALS_REFUSED', 'CONNECTOR_UNREACHABLE'] as const)(
    'a location with the error %s is not checked further',
    async (code) => {
      await expect(placeOf(code, isOf('a')).read('a')).rejects.toMatchObject({ code });
    },
  );
});
