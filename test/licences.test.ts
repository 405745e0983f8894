// Checks the shipped dependencies: only allowed licences, only from the registry, and with checksums.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  license?: string;
  dev?: boolean;
  integrity?: string;
  link?: boolean;
}

/** The third-party packages of a lock file, for all platforms. */
function lockedIn(file: string): [path: string, locked: Locked][] {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  const isOurs = (path: string, { link }: Locked) =>
    link === true || path === '' || path.startsWith('packages/');
  return Object.entries(packages).filter(([path, locked]) => !isOurs(path, locked));
}

const shipped = lockedIn('package-lock.json').filter(([, { dev }]) => dev !== true);

const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
  // These packages are linked as separate libraries, which users may replace.
  'LGPL-3.0-or-later',
  // These packages are unmodified, in separate files.
  'MPL-2.0',
  // This is the licence of a font.
  'OFL-1.1',
  // This is the licence of data about browsers, not of code.
  'CC-BY-4.0',
];
/** Licences of packages whose package.json uses an older form. */
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

// `npm install` next to a node_modules folder leaves the checksums of other machines' builds out; such a build would be
// installed there without a check. Delete these entries and run `npm install --package-lock-only` where there is no
// node_modules.
test.each(['package-lock.json', 'website/package-lock.json'])(
  'every package of %s has a checksum, on whichever machine it is installed',
  (file) => {
    const locked = lockedIn(file);
    expect(locked.length).toBeGreaterThan(100);
    const without = locked.filter(([, { integrity }]) => !/^sha512-.{86}==$/.test(integrity ?? ''));
    expect(without.map(([path]) => path)).toEqual([]);
  },
);
