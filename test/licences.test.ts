// What the product is shipped with: only under licences that allow it, from the registry, with a checksum.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  license?: string;
  dev?: boolean;
  integrity?: string;
  link?: boolean;
}

const { packages } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Record<string, Locked> };
/** Built for machines that this lock was not made on; none of them is Debian's. */
const elsewhere = /^node_modules\/@swc\/core-(?:darwin|win32|linux-(?:arm-|ppc64|s390x))/;
/** Packages of this repository, and the links to them. */
const isOurs = (path: string, { link }: Locked) =>
  link === true || path === '' || path.startsWith('packages/');
const shipped = Object.entries(packages).filter(
  ([path, locked]) => !isOurs(path, locked) && locked.dev !== true && !elsewhere.test(path),
);

const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
  // Linked as a library of its own, which may be replaced.
  'LGPL-3.0-or-later',
  // Data about browsers, not code.
  'CC-BY-4.0',
];
/** Their package.json says it in an older form. */
const looked: Readonly<Record<string, string>> = {
  'node_modules/buildcheck': 'MIT',
  'node_modules/cpu-features': 'MIT',
  'node_modules/png-js': 'MIT',
  'node_modules/ssh2': 'MIT',
  'node_modules/unionfs': 'Unlicense',
};

test('every dependency has a licence that allows it', () => {
  const others = shipped.flatMap(([path, { license = looked[path] ?? 'none' }]) => {
    const all = license.replace(/[()]/g, '').split(/ AND | OR /);
    return all.every((one) => allowed.includes(one)) ? [] : [`${path}: ${license}`];
  });
  expect(others).toEqual([]);
});

test('every dependency has a checksum', () => {
  expect(shipped.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([]);
});
