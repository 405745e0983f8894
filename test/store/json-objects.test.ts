// An error of the connector that concerns one file of the store stops the whole run. An error of the store is passed
// on.
import { describe, expect, it } from 'vitest';
import { ConnectorError, type ConnectorErrorCode } from '../../src/connectors/connector-error.ts';
import { parseIntent } from '../../src/store/calls/intents.ts';
import { JsonObjects } from '../../src/store/objects/json-objects.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';

function failing(code: ConnectorErrorCode) {
  const what = 'cannot read "records/a.json" in memory: reading failed (EIO)';
  const error = new ConnectorError(code, 'records/a.json', what, 'check the disk');
  const connector = new MemoryConnector(undefined, () => Promise.reject(error));
  return { error, objects: new JsonObjects(connector, '.renderline/shoes') };
}

const ways: [string, (objects: JsonObjects) => Promise<unknown>][] = [
  ['read', (objects) => objects.read('records/a.json', 'x')],
  ['written', (objects) => objects.write('records/a.json', { schema: 'x' })],
  ['looked up', (objects) => objects.exists('records/a.json')],
  ['listed', (objects) => objects.names('records')],
  ['removed', (objects) => objects.remove('records/a.json')],
];

describe.each(ways)('records that cannot be %s', (_, work) => {
  it.each([
    'UNREADABLE',
    'HOSTILE_PATH',
    'TOO_LARGE',
    'FILE_REFUSED',
    'FILE_BUSY',
    'PLACE_UNREADABLE',
  ] as const)('the run stops, with the error and a fix (%s)', async (code) => {
    const { error, objects } = failing(code);
    await expect(work(objects)).rejects.toMatchObject({
      code: 'RECORDS_UNREADABLE',
      runCause: { code: 'RECORDS_UNREADABLE', kind: 'later' },
      what: error.what,
      fix: expect.stringMatching(/resume the run/),
    });
  });

  it.each(['DISK_FULL', 'UNWRITABLE', 'ACCESS_DENIED', 'CONNECTOR_UNREACHABLE'] as const)(
    'an error that concerns the whole store is passed on (%s)',
    async (code) => {
      const { error, objects } = failing(code);
      await expect(work(objects)).rejects.toBe(error);
    },
  );
});

it('a missing object or folder is not an error', async () => {
  const { objects } = failing('FILE_GONE');
  expect(await objects.read('records/a.json', 'x')).toBeNull();
  expect(await objects.exists('records/a.json')).toBe(false);
  expect(await failing('FOLDER_NOT_FOUND').objects.names('records')).toEqual([]);
});

it('a listing that ends with an error is not returned as a short one', async () => {
  const connector = new MemoryConnector();
  connector.names = async function* (prefix) {
    yield `${prefix ?? ''}/a.json`;
    throw new ConnectorError('FILE_GONE', 'records', 'it does not exist any more', 'put it back');
  };
  const objects = new JsonObjects(connector, '.renderline/shoes');
  await expect(objects.names('records')).rejects.toMatchObject({ code: 'RECORDS_UNREADABLE' });
});

describe('a record from another program', () => {
  it.each([
    [
      'with more than a million values',
      `{"schema":"x","more":[${'[],'.repeat(1_500_000)}0]}`,
      /has more than 1000000 values/,
    ],
    [
      'with deep nesting',
      `{"schema":"x","more":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      /nested more than 64 levels deep/,
    ],
  ])('a record %s is not parsed', async (_, text, message) => {
    const connector = new MemoryConnector();
    await connector.write('.renderline/shoes/a.json', Buffer.from(text));
    const objects = new JsonObjects(connector, '.renderline/shoes');
    await expect(objects.read('a.json', 'x')).rejects.toMatchObject({
      code: 'DAMAGED_OBJECT',
      message: expect.stringMatching(message),
    });
    expect(() => parseIntent(text)).toThrow(message);
  });
});
