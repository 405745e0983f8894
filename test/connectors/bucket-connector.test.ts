// Behaviour that all object stores share: names below a prefix, complete responses, and our own error messages.
import { describe, expect, it } from 'vitest';
import { BucketConnector } from '../../src/connectors/bucket/bucket-connector.ts';
import { transferMs } from '../../src/connectors/bucket/request-times.ts';
import { diagnose, StoreInMemory, StoreTrouble } from './_memory-bucket.ts';
import { collect } from './_temp-folder.ts';
import { testConnector } from './connector.testsuite.ts';

function connectorOn(store: StoreInMemory, prefix = '/shop/models/') {
  let opened = 0;
  const connector = new BucketConnector({
    description: 'bucket memory',
    prefix,
    terms: { bucket: 'bucket', credentials: 'nothing' },
    open: async () => {
      opened += 1;
      return store;
    },
    diagnose,
  });
  return { connector, opened: () => opened };
}

const text = (value: string) => new TextEncoder().encode(value);

testConnector('an object store', {
  connect: async () => connectorOn(new StoreInMemory()).connector,
  connectNowhere: async () => {
    const store = new StoreInMemory();
    store.trouble = new StoreTrouble('no-bucket');
    return connectorOn(store).connector;
  },
  isBucket: true,
});

describe('names in a bucket', () => {
  it.each([
    ['shop/models', 'shop/models/a/b.glb'],
    ['/shop/', 'shop/a/b.glb'],
    ['', 'a/b.glb'],
  ])('names are below the prefix %j, with or without slashes', async (prefix, name) => {
    const store = new StoreInMemory();
    const { connector, opened } = connectorOn(store, prefix);
    await connector.write('a/b.glb', text('x'));
    expect([...store.objects.keys()]).toEqual([name]);
    expect(await collect(connector.names())).toEqual(['a/b.glb']);
    expect(opened()).toBe(1);
  });

  it('folder markers, hidden files and names with other prefixes are omitted', async () => {
    const store = new StoreInMemory();
    const names = ['shop/models/', 'shop/models/a/', 'shop/models/a/.b', 'shop/models2/c', 'd'];
    for (const name of [...names, 'shop/models/e']) await store.put(name, text('x'), false);
    const { connector } = connectorOn(store);
    expect(await collect(connector.names())).toEqual(['e']);
  });
});

describe('a version', () => {
  it('a version contains the size, time and etag from the store', async () => {
    const { connector } = connectorOn(new StoreInMemory());
    await connector.write('a', text('one'));
    const entry = { path: 'a', bytes: 3, mtimeMs: 1_000, etag: '"1"' };
    expect(await connector.stat('a')).toEqual(entry);
    expect((await connector.open('a')).entry).toEqual(entry);
    expect((await connector.readPart('a', 1, 9)).entry).toEqual(entry);
  });
});

describe('a response', () => {
  it.each<[string, (connector: BucketConnector) => Promise<unknown>]>([
    ['read in full', (connector) => connector.read('a')],
    ['read in part', (connector) => connector.readPart('a', 0, 6)],
  ])('a truncated response is an error when an object is %s', async (_, read) => {
    const store = new StoreInMemory();
    const { connector } = connectorOn(store);
    await connector.write('a', text('picture'));
    store.cutShort = 1;
    await expect(read(connector)).rejects.toThrow(/received \d of \d bytes/);
  });

  it('a response that is not read to its end is closed', async () => {
    const store = new StoreInMemory();
    const { connector } = connectorOn(store);
    await connector.write('a', text('picture'));
    await (await connector.open('a')).close();
    await expect(connector.read('a', 6)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(store.bodies.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    expect(await connector.read('a', 7)).toEqual(Buffer.from('picture'));
  });
});

describe('a delivered file', () => {
  it('a delivered file whose size differs from the one sent is an error', async () => {
    const store = new StoreInMemory();
    const { connector } = connectorOn(store);
    store.cutShort = 1;
    const staged = await connector.stage('a.png');
    await staged.write(text('picture'));
    await expect(staged.commit()).rejects.toMatchObject({
      code: 'UNWRITABLE',
      message: expect.stringContaining('6 bytes at its destination, but 7 bytes were sent'),
    });
    await staged.discard();
  });
});

describe('an error', () => {
  it.each([
    ['no-bucket', 'BUCKET_NOT_FOUND'],
    ['bad-credentials', 'CREDENTIALS_REFUSED'],
    ['unreachable', 'CONNECTOR_UNREACHABLE'],
  ] as const)(
    'an error of the store (%s) is reported as %s by each operation',
    async (trouble, code) => {
      const store = new StoreInMemory();
      const { connector } = connectorOn(store);
      store.trouble = new StoreTrouble(trouble);
      const told = { code, message: expect.stringContaining('bucket memory') };
      await expect(connector.stat('a')).rejects.toMatchObject(told);
      await expect(connector.write('a', text('x'))).rejects.toMatchObject(told);
      await expect(connector.remove('a')).rejects.toMatchObject(told);
      await expect(collect(connector.list())).rejects.toMatchObject(told);
    },
  );

  it("an error loading the store's client does not affect the next use", async () => {
    const failed = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    const store = new StoreInMemory();
    const results = [Promise.reject(failed), Promise.resolve(store)];
    const connector = new BucketConnector({
      description: 'bucket memory',
      prefix: '',
      terms: { bucket: 'bucket', credentials: 'nothing' },
      open: async () => results.shift() ?? store,
      diagnose,
    });
    await expect(connector.stat('a')).rejects.toBe(failed);
    expect(await connector.stat('a')).toBeNull();
    expect(results).toEqual([]);
  });

  it('an error that does not come from the store is passed on unchanged', async () => {
    const store = new StoreInMemory();
    store.trouble = new TypeError('a mistake of ours');
    await expect(connectorOn(store).connector.stat('a')).rejects.toBe(store.trouble);
  });
});

it.each([
  [0, 60_000],
  [262_144, 61_000],
  [256 * 1024 * 1024, 60_000 + 1_024_000],
])('a transfer of %i bytes may take %i ms', (bytes, ms) => {
  expect(transferMs(bytes)).toBe(ms);
});
