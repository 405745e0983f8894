// A place that cannot hold records is refused with its reason. Each fake place breaks one guarantee.
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

/** A place that does some operations differently. */
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

/** Some calls fail, the others are those of the real place. */
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
    'refuses a second create, and overwrites all the same',
    () => (place) => ({
      async put(path, bytes, options) {
        const isThere = place.bucket.files.has(path);
        await place.put(path, bytes, {});
        return options.ifAbsent && isThere ? 'exists' : 'written';
      },
    }),
    /a create that was refused has changed the file/,
  ],
  [
    'refuses a second create for no reason that it gives',
    failing((_options, before) => before === 1, 'UNWRITABLE'),
    /a second create of the same file fails, but not because the file exists: UNWRITABLE came/,
  ],
  [
    'says of each file that it is there',
    () => (place) => ({
      put: async (path, bytes, options) =>
        options.ifAbsent ? 'exists' : place.put(path, bytes, options),
    }),
    /a file that was never created is reported to exist/,
  ],
  [
    'knows no conditional create',
    failing(({ ifAbsent }) => ifAbsent === true, 'UNWRITABLE'),
    /a conditional create is refused: UNWRITABLE came/,
  ],
  [
    'never responds to a conditional create',
    failing(({ ifAbsent }) => ifAbsent === true, 'CONNECTOR_UNREACHABLE'),
    /a conditional create is refused: CONNECTOR_UNREACHABLE came/,
  ],
  [
    'lists what it had a moment ago',
    () => () => ({ async *listed() {} }),
    /a listing does not show a file that was just written/,
  ],
  [
    'does not read what it took',
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
    'replaces nothing',
    failing(({ ifAbsent }) => !ifAbsent, 'UNWRITABLE'),
    /replacing a file is refused: UNWRITABLE came/,
  ],
  [
    'keeps the old content',
    () => (place) => ({
      put: async (path, bytes, options) =>
        options.ifAbsent ? place.put(path, bytes, options) : 'written',
    }),
    /a file that was replaced still has its old content/,
  ],
  [
    'deletes nothing, and says so',
    () => () => ({ take: refuses('UNWRITABLE') }),
    /deleting a file is refused: UNWRITABLE came/,
  ],
  ['deletes nothing', () => () => ({ take: async () => undefined }), /is still there/],
];

describe('a place for records', () => {
  it.each(unsafe)('that %s is refused by name', async (_lie, lie, what) => {
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
  ])('that takes nothing at all has the trouble that it says: %s', async (code) => {
    const place = new Lying(failing(() => true, code)());
    await expect(proveRecords(place)).rejects.toMatchObject({ code });
  });

  it.each<[string, ConnectorError['code'], number]>([
    ['a create', 'CONNECTOR_UNREACHABLE', 0],
    ['the second create', 'CONNECTOR_UNREACHABLE', 1],
    ['replacing', 'CONNECTOR_UNREACHABLE', 2],
    ['replacing', 'ACCESS_DENIED', 2],
    ['replacing', 'DISK_FULL', 2],
  ])('that fails for a moment at %s is not called unsafe: %s', async (_what, code, at) => {
    const place = new Lying(failing((_options, before) => before === at, code)());
    await expect(proveRecords(place)).rejects.toMatchObject({ code });
    expect(place.bucket.files.size).toBe(0);
    await proveRecords(place);
  });

  it('that says by itself that it cannot replace is not even written to', async () => {
    const place = Object.assign(new Lying(), { checkWritable: refuses('CONNECTOR_MISCONFIGURED') });
    await expect(proveRecords(place)).rejects.toMatchObject({ code: 'CONNECTOR_MISCONFIGURED' });
    expect(place.bucket.files.size).toBe(0);
  });
});
