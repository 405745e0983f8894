// Prints what lies in an image (CycloneDX 1.5): its npm packages with the checksums of the lock, Node and the packages of Debian.
//   node image-sbom.mjs FOLDER   the folder has node_modules, package.json and package-lock.json
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { name, version, license } = read(join(folder, 'package.json'));
/** npm and what else comes with Node, and no lock names. */
const besideNode = '/usr/local/lib/node_modules';

const components = [
  component('application', 'node', process.versions.node, 'pkg:generic/node'),
  ...npmPackages(),
  ...packagesBelow(besideNode),
  ...debianPackages(),
];
const sbom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: {
      ...component('container', name, version, `pkg:npm/${name}`),
      ...licensed(license),
    },
  },
  components: [...new Map(components.map((one) => [one.purl, one])).values()],
};
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);

/** What the lock names and the image still has: packages that nothing loads were left out of it. */
function npmPackages() {
  const { packages } = read(join(folder, 'package-lock.json'));
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .filter(([path]) => existsSync(join(folder, path, 'package.json')))
    .map(([path, locked]) => {
      const known = locked.name ?? path.split('node_modules/').at(-1);
      const hash = /^sha512-(.+)$/.exec(locked.integrity ?? '')?.[1];
      return {
        ...npmPackage(known, locked.version),
        ...licensed(locked.license),
        ...(hash && {
          hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
        }),
      };
    });
}

function packagesBelow(parent) {
  if (!existsSync(parent)) return [];
  return readdirSync(parent).flatMap((entry) => {
    const path = join(parent, entry);
    if (entry.startsWith('@')) return packagesBelow(path);
    if (!existsSync(join(path, 'package.json'))) return [];
    const found = read(join(path, 'package.json'));
    return [npmPackage(found.name, found.version), ...packagesBelow(join(path, 'node_modules'))];
  });
}

function npmPackage(known, at) {
  return component('library', known, at, `pkg:npm/${known.replace(/^@/, '%40')}`);
}

function debianPackages() {
  if (!existsSync('/var/lib/dpkg/status')) return [];
  const form = '${Package} ${Version} ${Architecture}\n';
  const text = execFileSync('dpkg-query', ['--show', '--showformat', form], { encoding: 'utf8' });
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([known, at, arch]) => {
      const one = component('library', known, at, `pkg:deb/debian/${known}`);
      return { ...one, purl: `${one.purl}?arch=${arch}` };
    });
}

function component(type, known, at, purl) {
  return { type, name: known, version: at, purl: `${purl}@${encodeURIComponent(at)}` };
}

function licensed(expression) {
  return expression ? { licenses: [{ expression }] } : {};
}
