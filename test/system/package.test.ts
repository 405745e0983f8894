// What `npm run pack` makes: packages that install without a clone, and do what the README promises.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { install, npx, pack } from './_installed.ts';
import { useProcesses } from './_stack.ts';

useProcesses();

let folder = '';

beforeAll(async () => {
  // Refuses packages in which publint or attw find a fault.
  folder = await install(await pack());
});

async function shipped(name: string): Promise<string[]> {
  return readdir(join(folder, 'node_modules', name), { recursive: true });
}

test('both are there, without tests, sources, source maps and scripts', async () => {
  for (const name of ['renderline', '@renderline/sandbox']) {
    const files = await shipped(name);
    expect(files).toContain('dist');
    expect(
      files.filter((file) => /(?<!\.d)\.ts$|\.map$|^dist\/(?:test|bench|scripts)/.test(file)),
    ).toEqual([]);
    const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    expect(manifest).not.toMatch(/"scripts"|"private"|"devDependencies"|renderline-source|file:/);
  }
});

test('npx renderline: version, and the pipelines that come along', async () => {
  expect(await npx(folder, ['renderline', '--version'])).toBe('0.1.0');
  const shipped = 'node_modules/renderline/pipelines';
  const files = (await readdir(join(folder, shipped))).filter((name) => name.endsWith('.yaml'));
  expect(files.length).toBeGreaterThan(6);
  const paths = files.map((name) => join(shipped, name));
  expect(await npx(folder, ['renderline', 'validate', ...paths])).toContain('valid    ');
});

test('npx renderline demo makes its pictures', async () => {
  const ran = await npx(folder, ['renderline', 'demo', '--json', '--speed', '20']);
  expect(JSON.parse(ran)).toMatchObject({ outcome: 'complete', assets: { complete: 10 } });
  const delivered = await readdir(join(folder, 'renderline-demo', 'pictures'), { recursive: true });
  expect(delivered.filter((name) => /^\w.*\.png$/.test(name))).toHaveLength(10);
});
