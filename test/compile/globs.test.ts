import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { refuseGlob } from '../../src/compile/globs.ts';

describe('globs that are taken', () => {
  it.each([
    ['**/*.{glb,gltf}', 'shoes/Red.GLB', true],
    ['**/*.{glb,gltf}', 'red.glb', true],
    ['**/*.{glb,gltf}', 'red.obj', false],
    ['**/*.glb', '.hidden/red.glb', false],
    ['shoes/**', 'shoes/a/b.glb', true],
    ['shoes/*', 'shoes/a/b.glb', false],
    ['v[0-9]?.glb', 'v12.glb', true],
    ['[^a]*.glb', 'b.glb', true],
    ['{hero/**,**/hero/**,*-hero}', 'a/hero/b', true],
  ])('%s on %s: %j', (glob, path, matches) => {
    expect(refuseGlob(glob)).toBeNull();
    expect(picomatch(glob, { nocase: true })(path)).toBe(matches);
  });
});

describe('globs that are refused', () => {
  it.each([
    ['+(a|b)', 0, 'uses an extended pattern such as +(a|b)'],
    ['x@(a)', 1, 'uses an extended pattern such as +(a|b)'],
    ['a\\b', 1, 'holds a backslash; paths use /'],
    ['!a', 0, 'begins with !; use exclude'],
    ['/a', 0, 'begins with /; paths are relative'],
    ['../a', 0, 'leaves the folder with ..'],
    ['a/../b', 1, 'leaves the folder with ..'],
    ['[a', 0, 'has a bracket without its pair'],
    ['a]', 1, 'has a bracket without its pair'],
    ['{a,b', 0, 'has a bracket without its pair'],
    ['{a,{b,c}}', 0, 'nests braces'],
    ['{1..9}', 0, 'counts with {1..9}'],
    ['*a*b*c*d', 0, 'has more than 3 stars in one name'],
    ['x[!a]', 1, 'negates with [!; write [^'],
    ['**/a/**/b/**', 0, 'has more than 2 times **'],
    ['{a/**,**/b/**}/**/c', 0, 'has more than 2 times **'],
  ])('%s at %i: %s', (glob, offset, reason) => {
    expect(refuseGlob(glob)).toEqual({ reason, offset });
  });

  it.each([
    ['*a*a*a', `${'a'.repeat(250)}!`],
    ['**/*a*a*b', `${'a/'.repeat(130)}${'a'.repeat(250)}`],
    ['**/a/**/*a*a*', `${'a/'.repeat(250)}!`],
    ['{**/a/**,**/b/**}', `${'a/b/'.repeat(120)}!`],
  ])('%s is taken and fast on hostile paths', (glob, path) => {
    expect(refuseGlob(glob)).toBeNull();
    const matches = picomatch(glob, { nocase: true });
    const { user } = process.cpuUsage();
    matches(path);
    expect(process.cpuUsage().user - user).toBeLessThan(1_000_000);
  });
});
