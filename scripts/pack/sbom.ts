// Creates the software bill of materials of the packages (CycloneDX).
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const Sbom = z.looseObject({
  components: z.array(z.looseObject({ 'bom-ref': z.string(), purl: z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      dev: z.boolean().optional(),
    }),
  ),
});

/**
 * Returns the bill of materials as JSON, created from package-lock.json without requests. @param root root of the
 * repository
 */
export async function sbomOf(root: string): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 64 * 1024 ** 2 });
  const lock = Lock.parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')));
  const shippedPurls = purlsOf(lock);
  // npm's --omit=dev would omit packages that one package ships and another uses only for tests.
  const sbom = Sbom.parse(JSON.parse(stdout));
  const components = sbom.components.filter(({ purl }) =>
    shippedPurls.has(decodeURIComponent(purl)),
  );
  const refs = new Set(components.map((component) => component['bom-ref']));
  const isOurs = ({ ref }: { ref: string }) => refs.has(ref) || ref.startsWith('renderline@');
  const dependencies = sbom.dependencies.filter(isOurs).map(({ dependsOn, ...rest }) => ({
    ...rest,
    dependsOn: dependsOn.filter((ref) => refs.has(ref)),
  }));
  return `${JSON.stringify({ ...sbom, components, dependencies }, null, 2)}\n`;
}

function purlsOf({ packages }: z.infer<typeof Lock>): ReadonlySet<string> {
  const shippedPurls = Object.entries(packages).flatMap(([path, { name, version, dev }]) => {
    const packageName = name ?? path.split('node_modules/').at(-1);
    return dev || path === '' || packageName === undefined
      ? []
      : [`pkg:npm/${packageName}@${version}`];
  });
  return new Set(shippedPurls);
}
