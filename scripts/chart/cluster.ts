// Plays upgrades by the chart on the cluster that kubectl is set to: what stays of older builds, and what restarts pods.
// An API server and a controller manager are enough: nothing here waits for a pod, and hooks are left out.
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { leastValues } from './values-sets.ts';

const run = promisify(execFile);

export interface Check {
  what: string;
  /** What was found in place of what was wanted; null: it is as wanted. */
  fault: string | null;
}

const Listed = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), generation: z.number().optional() }),
      spec: z.object({ replicas: z.number().optional() }).optional(),
    }),
  ),
});

/** @param folder for copies of the chart @param namespace is made, and deleted at the end */
export async function playUpgrades(
  chart: string,
  folder: string,
  namespace: string,
): Promise<Check[]> {
  const checks: Check[] = [];
  const check = (what: string, found: unknown, wanted: unknown) => {
    const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
    checks.push({ what, fault: is === should ? null : `found ${is}, wanted ${should}` });
  };
  const kubectl = async (...args: string[]) =>
    (await run('kubectl', ['--namespace', namespace, ...args])).stdout;
  const listed = async (kind: string, selector = 'app.kubernetes.io/component=worker') =>
    Listed.parse(JSON.parse(await kubectl('get', kind, '--selector', selector, '--output', 'json')))
      .items;
  const names = async (kind: string) =>
    (await listed(kind)).map(({ metadata: { name } }) => name).toSorted();
  /** A number that changes with the description of the workers of a build, not with their state. */
  const generation = async (name: string) =>
    (await listed('deployment')).find((one) => one.metadata.name === name)?.metadata.generation;
  const helm = (command: string, of: string, ...values: string[]) => {
    const set = [...leastValues, 'image.tag=v1', 'pipelines.imagePath=/p', ...values];
    const args = [command, 'play', of, '--namespace', namespace, '--no-hooks'];
    return run('helm', [...args, ...set.flatMap((value) => ['--set', value])]);
  };
  const version = (buildId: string) => [
    'versioning.deployment=play',
    `versioning.buildId=${buildId}`,
  ];
  const [one, two] = ['play-renderline-worker-v1', 'play-renderline-worker-v2'];

  await run('kubectl', ['create', 'namespace', namespace]);
  try {
    await helm('install', chart, ...version('v1'), 'worker.replicas=3');
    const first = await generation(one);
    await helm('upgrade', await otherVersion(chart, folder), ...version('v1'), 'worker.replicas=3');
    check('another version of the chart restarts no pod', await generation(one), first);

    await helm('upgrade', chart, ...version('v2'), 'image.tag=v2', 'settings.fields.sku=text');
    check('the workers of the build before are there', await names('deployment'), [one, two]);
    check('they are as they were', await generation(one), first);
    const [{ spec } = {}] = await listed('deployment', 'renderline/build-id=v1');
    check('as many', spec?.replicas, 3);
    check('with the settings that they know', await names('configmap'), [one, two]);
    check('each build has a budget', await names('pdb'), [one, two]);
    const jobs = await listed('job', 'app.kubernetes.io/component=setup');
    check('one job waits to apply pipelines', jobs.length, 1);

    await run('helm', ['rollback', 'play', '1', '--namespace', namespace, '--no-hooks']);
    check('a rollback leaves the newer build its workers', await names('deployment'), [one, two]);
    check('and the older ones as they were', await generation(one), first);

    await kubectl('annotate', 'deployment', two, 'helm.sh/resource-policy-');
    const refused = await helm('upgrade', chart, ...version('v1'), 'worker.replicas=3').then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    const words = `annotate deployment ${two} helm.sh/resource-policy=keep`;
    check('workers that would be deleted are named', refused.includes(words), true);
    await kubectl('annotate', 'deployment', two, 'helm.sh/resource-policy=keep');

    await kubectl('delete', 'deployment,configmap', '--selector', 'renderline/build-id=v2');
    await helm('upgrade', chart, ...version('v1'), 'worker.replicas=3');
    check('a build that was deleted is gone', await names('deployment'), [one]);
    check('its budget goes with the next upgrade', await names('pdb'), [one]);

    await run('helm', ['uninstall', 'play', '--namespace', namespace, '--no-hooks']);
    check('an uninstall leaves workers to their runs', await names('deployment'), [one]);
    await helm('install', chart, ...version('v1'), 'worker.replicas=3');
    check('another install has them again', await names('deployment'), [one]);
  } finally {
    await run('kubectl', ['delete', 'namespace', namespace, '--wait=false']);
  }
  return checks;
}

/** A copy of the chart that says another version. */
async function otherVersion(chart: string, folder: string): Promise<string> {
  const copy = join(folder, 'renderline');
  await cp(chart, copy, { recursive: true });
  const file = join(copy, 'Chart.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^version: .*/m, 'version: 99.0.0'));
  return copy;
}
