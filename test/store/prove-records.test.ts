// A store that cannot hold records is refused with the reason. Each fake store breaks one guarantee.
import { describe, expect, it } from 'vitest';
import type { Entry, ListOptions, WriteOptions } from '../../src/connectors/connector.ts';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { proveRecords } from '../../src/store/claims/prove-records.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';

type Write = (
  path: string,
  bytes: Uint8Array,
  options: WriteOptions,
) => Promise<'written' | 'exists'>;

/** A store with some altered operations. */
class Lying extends MemoryConnector {
  readonly lie: (place: Lying) => Partial<Pick<Lying, 'put' | 'listed' | 'take'>>;

  constructor(lie: Lying['lie'] = () => ({})) {
    super();
    this.lie = lie;
  }

  put: Write = (path, bytes, options) => super.write(path, bytes, options);
  listed = (prefix: string, options: ListOptions): AsyncGenerator<Entry> =>
    super.list(prefix, options);
  take = (path: string): Promise<void> => super.remove(path);

  override async write(path: string, bytes: Uint8Array, options: WriteOptions = {}) {
    return (this.lie(this).put ?? this.put)(path, bytes, options);
  }

  override async *list(prefix = '', options: ListOptions = {}) {
    yield* (this.lie(this).listed ?? this.listed)(prefix, options);
  }

  override async remove(path: string) {
    return (this.lie(this).take ?? this.take)(path);
  }
}

const trouble = (code: ConnectorError['code'], what: string) =>
  new ConnectorError(code, '', what, 'do something');
const refuses = (code: ConnectorError['code']) => async () => {
  throw trouble(code, `${code} came`);
};

/** Some calls fail, the others are passed to the real store. */
const failing =
  (fails: (options: WriteOptions, before: number) => boolean, code: ConnectorError['code']) =>
  () => {
    let before = 0;
    return (place: Lying) => ({
      put: (async (path, bytes, options) => {
        before += 1;
        if (fails(options, before - 1)) throw trouble(code, `${code} came`);
        return place.put(path, bytes, options);
      }) as Write,
    });
  };

const unsafe: [string, () => Lying['lie'], RegExp][] = [
  [
    'ignores the condition of a create',
    () => (place) => ({ put: (path, bytes) => place.put(path, bytes, {}) }),
    /a second create of the same file was accepted/,
  ],
  [
    'refuses a second create, but overwrites the file',
    () => (place) => ({
      async put(path, bytes, options) {
        const exists = place.bucket.files.has(path);
        await place.put(path, bytes, {});
        return options.ifAbsent && exists ? 'exists' : 'written';
      },
    }),
    /a create that was refused has changed the file/,
  ],
  [
    'refuses a second create for another reason',
    failing((_options, before) => before === 1, 'UNWRITABLE'),
    /a second create of the same file fails, but not because the file exists: UNWRITABLE came/,
  ],
  [
    'reports every file as existing',
    () => (place) => ({
      put: async (path, bytes, options) =>
        options.ifAbsent ? 'exists' : place.put(path, bytes, options),
    }),
    /the location reports that a file exists which was never created/,
  ],
  [
    'does not support conditional creates',
    failing(({ ifAbsent }) => ifAbsent === true, 'UNWRITABLE'),
    /a conditional create is refused: UNWRITABLE came/,
  ],
  [
    'never responds to a conditional create',
    failing(({ ifAbsent }) => ifAbsent === true, 'CONNECTOR_UNREACHABLE'),
    /a conditional create is refused: CONNECTOR_UNREACHABLE came/,
  ],
  [
    'lists no new files',
    () => () => ({ async *listed() {} }),
    /a listing does not show a file that was just written/,
  ],
  [
    'loses a file that it accepted',
    () => (place) => ({
      put: async (path, bytes, options) => {
        const answer = await place.put(path, bytes, options);
        if (answer === 'exists') place.bucket.files.delete(path);
        return answer;
      },
    }),
    /a file that was just written cannot be read/,
  ],
  [
    'does not replace files',
    failing(({ ifAbsent }) => !ifAbsent, 'UNWRITABLE'),
    /replacing a file is refused: UNWRITABLE came/,
  ],
  [
    'keeps the old content of a replaced file',
    () => (place) => ({
      put: async (path, bytes, options) =>
        options.ifAbsent ? place.put(path, bytes, options) : 'written',
    }),
    /a file that was replaced still has its old content/,
  ],
  [
    'refuses to delete files',
    () => () => ({ take: refuses('UNWRITABLE') }),
    /deleting a file is refused: UNWRITABLE came/,
  ],
  ['ignores deletions', () => () => ({ take: async () => undefined }), /still exists/],
];

describe('proving that a store can hold records', () => {
  it.each(unsafe)('a store that %s is refused with the reason', async (_lie, lie, what) => {
    const error = await proveRecords(new Lying(lie())).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'RECORDS_UNSAFE',
      what: expect.stringMatching(what) as string,
      fix: expect.stringContaining('under `records:`') as string,
      runCause: { kind: 'never' },
    });
    expect((error as ConnectorError).what).toMatch(/^memory cannot hold the records of runs: /);
  });

  it.each<ConnectorError['code']>([
    'CONNECTOR_UNREACHABLE',
    'ACCESS_DENIED',
    'DISK_FULL',
    'UNWRITABLE',
  ])('a store that refuses every write passes on its own error: %s', async (code) => {
    const place = new Lying(failing(() => true, code)());
    await expect(proveRecords(place)).rejects.toMatchObject({ code });
  });

  it.each<[string, ConnectorError['code'], number]>([
    ['a create', 'CONNECTOR_UNREACHABLE', 0],
    ['the second create', 'CONNECTOR_UNREACHABLE', 1],
    ['replacing', 'CONNECTOR_UNREACHABLE', 2],
    ['replacing', 'ACCESS_DENIED', 2],
    ['replacing', 'DISK_FULL', 2],
  ])('a store that fails once at %s is not called unsafe: %s', async (_what, code, at) => {
    const place = new Lying(failing((_options, before) => before === at, code)());
    await expect(proveRecords(place)).rejects.toMatchObject({ code });
    expect(place.bucket.files.size).toBe(0);
    await proveRecords(place);
  });

  it('a store that declares itself unwritable gets no writes', async () => {
    const place = Object.assign(new Lying(), { checkWritable: refuses('CONNECTOR_MISCONFIGURED') });
    await expect(proveRecords(place)).rejects.toMatchObject({ code: 'CONNECTOR_MISCONFIGURED' });
    expect(place.bucket.files.size).toBe(0);
  });
});
