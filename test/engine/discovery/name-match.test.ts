// The part of a name that lists of the platform filter by: every name that the glob matches contains it.
import { expect, it } from 'vitest';
import { findLiteralPart, nameMatcher } from '../../../src/engine/discovery/name-match.ts';

it.each<[glob: string, name: string, part: string | undefined]>([
  ['Oslo *chair*', 'Oslo oak chair 2', 'Oslo'],
  ['*', 'anything', undefined],
  ['{chair,table}*', 'table 2', undefined],
  ['[ab]-{x,y}-final', 'a-y-final', '-final'],
  ['{chair[},],table} oak', 'chair} oak', 'oak'],
  ['{a[bc],d}? oak', 'ab1 oak', 'oak'],
  // The platform may store the accent in another encoding than the glob.
  ['Caf\u00e9 oak*', 'Cafe\u0301 oak 2', 'oak'],
  ['Cafe\u0301*', 'Caf\u00e9', 'Caf'],
  ['\u30c6\u30fc\u30d6\u30eb*', '\u30c6\u30fc\u30d6\u30eb 2', undefined],
])('the glob %s, which matches "%s", filters lists by %s', (glob, name, part) => {
  expect(nameMatcher(glob)(name)).toBe(true);
  expect(findLiteralPart(glob)).toBe(part);
});
