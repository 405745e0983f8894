// Tests the text form of locations.
import { expect, test } from 'vitest';
import { locationOf } from '../../src/plan/run/location.ts';

test.each([
  [null, null],
  [{ type: 'local', path: '/out' }, '/out'],
  [{ type: 's3', bucket: 'b', prefix: 'p' }, 's3://b/p'],
  [{ type: 's3', bucket: 'b' }, 's3://b'],
  [{ type: 'gcs', bucket: 'b', prefix: 'p' }, 'gcs://b/p'],
  [{ type: 'azure', container: 'c', prefix: 'p' }, 'azure://c/p'],
  [{ type: 'sftp', host: 'h', path: '/a/b' }, 'sftp://h/a/b'],
  [{ type: 'sftp', host: 'h', port: 2222, path: 'a' }, 'sftp://h:2222/a'],
])('the location of %j is %s', (spec, expected) => {
  expect(locationOf(spec)).toBe(expected);
});
