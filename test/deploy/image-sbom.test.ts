// The list of packages in an image contains the installed packages of the lock file, with checksums.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('../../deploy/image-sbom.mjs', import.meta.url));

interface Component {
  type: string;
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
  licenses?: { expression: string }[];
}

test('the list contains exactly the installed packages and Node', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'renderline-sbom-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const put = (path: string, content: object) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(content));
  };
  const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
  put('package.json', { name: 'renderline', version: '1.2.3', license: 'Apache-2.0' });
  put('package-lock.json', {
    packages: {
      '': { name: 'renderline' },
      'packages/sandbox': { name: 'renderline-sandbox', version: '1.2.3' },
      'node_modules/renderline-sandbox': { resolved: 'packages/sandbox', link: true },
      'node_modules/@scope/one': { version: '1.0.0', integrity, license: 'MIT' },
      'node_modules/two/node_modules/other': { name: 'three', version: '3.0.0+a' },
      'node_modules/left-out': { version: '9.0.0', integrity },
    },
  });
  put('node_modules/@scope/one/package.json', {});
  put('node_modules/two/node_modules/other/package.json', {});
  const { stdout } = await promisify(execFile)(process.execPath, [script, folder], {
    maxBuffer: 64 * 1024 ** 2,
  });
  const { bomFormat, metadata, components } = JSON.parse(stdout) as {
    bomFormat: string;
    metadata: { component: Component };
    components: Component[];
  };
  expect(bomFormat).toBe('CycloneDX');
  expect(metadata.component).toMatchObject({ purl: 'pkg:npm/renderline@1.2.3', type: 'container' });
  const purls = components.map(({ purl }) => purl);
  expect(purls).toEqual(
    expect.arrayContaining([
      `pkg:generic/node@${process.versions.node}`,
      'pkg:npm/%40scope/one@1.0.0',
      'pkg:npm/three@3.0.0%2Ba',
    ]),
  );
  expect(purls.filter((purl) => /left-out|sandbox/.test(purl))).toEqual([]);
  expect(new Set(purls).size).toBe(purls.length);
  const one = components.find(({ name }) => name === '@scope/one');
  expect(one?.hashes).toEqual([{ alg: 'SHA-512', content: '07'.repeat(64) }]);
  expect(one?.licenses).toEqual([{ expression: 'MIT' }]);
});
