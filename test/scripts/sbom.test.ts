// The software bill of materials contains each shipped package with its checksum from the lock file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sbomOf } from '../../scripts/pack/sbom.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Sbom {
  bomFormat: string;
  metadata: { component: { purl: string } };
  components: { purl: string; hashes?: { alg: string; content: string }[]; licenses?: object[] }[];
}

interface Locked {
  version: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
  integrity?: string;
  name?: string;
}

/** `sha512-…` in base64 as hexadecimal digits. */
const hexOf = (integrity: string) =>
  Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');

test('the bill of materials contains the shipped packages, with checksums', async () => {
  const sbom = JSON.parse(await sbomOf(root)) as Sbom;
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as Locked;
  expect(sbom.bomFormat).toBe('CycloneDX');
  expect(sbom.metadata.component.purl).toBe(`pkg:npm/renderline@${version}`);
  const named = new Map(
    sbom.components.map(({ purl, hashes = [] }) => [decodeURIComponent(purl), hashes[0]?.content]),
  );
  const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const shipped = Object.entries(packages).filter(
    ([path, locked]) =>
      path.includes('node_modules/') && !locked.link && !locked.dev && !locked.devOptional,
  );
  expect(shipped.length).toBeGreaterThan(200);
  // Packages that only tests and builds need are not included.
  expect(
    [...named.keys()].filter((purl) => /npm\/(?:vitest|typescript|oxlint)@/.test(purl)),
  ).toEqual([]);
  for (const [
    path,
    { name = path.split('node_modules/').at(-1), version: at, integrity = '' },
  ] of shipped) {
    expect(named.get(`pkg:npm/${name}@${at}`), path).toBe(hexOf(integrity));
  }
}, 120_000);
