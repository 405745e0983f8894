// Tests upgrades of the chart on kubectl's current cluster: what remains of older builds, and what restarts pods. An
// API server and a controller manager are enough, because nothing waits for pods and hooks are left out.
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { minValues } from './values-sets.ts';

const run = promisify(execFile);

export interface Check {
  what: string;
  /** The difference between the found and the expected state. Null if there is none. */
  fault: string | null;
}

const Listed = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z
        .object({ replicas: z.number().optional(), template: z.unknown().optional() })
        .optional(),
    }),
  ),
});

/**
 * Tests upgrades of the chart, and autoscaling if the cluster has KEDA's definitions.
 * @param folder folder for copies of the chart
 * @param namespace namespace that is created, and deleted at the end
 */
export async function testUpgrades(
  chart: string,
  folder: string,
  namespace: string,
): Promise<Check[]> {
  const testRelease = new TestRelease(namespace);
  await run('kubectl', ['create', 'namespace', namespace]);
  try {
    await testBuilds(testRelease, chart, await otherVersion(chart, folder));
    await testRelease.kubectl('delete', 'deployment,configmap', '--all');
    await testScaling(testRelease, chart);
  } catch (error) {
    testRelease.checks.push({ what: 'all steps', fault: String(error) });
  } finally {
    await run('kubectl', ['delete', 'namespace', namespace, '--wait=false']);
  }
  return testRelease.checks;
}

/** A release in its own namespace, with the results of its checks. */
class TestRelease {
  readonly checks: Check[] = [];
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  check(label: string, actual: unknown, expected: unknown): void {
    const [actualText, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.checks.push({
      what: label,
      fault: actualText === expectedText ? null : `found ${actualText}, wanted ${expectedText}`,
    });
  }

  async kubectl(...args: string[]): Promise<string> {
    return (await run('kubectl', ['--namespace', this.#namespace, ...args])).stdout;
  }

  async helm(command: string, ...args: string[]): Promise<void> {
    await run('helm', [command, 'play', '--namespace', this.#namespace, '--no-hooks', ...args]);
  }

  /** Installs the chart, or upgrades to a build. */
  async release(command: string, chart: string, buildId: string, ...values: string[]) {
    const set = [
      ...minValues,
      `image.tag=${buildId}`,
      'pipelines.imagePath=/p',
      'versioning.deployment=play',
      `versioning.buildId=${buildId}`,
      ...values,
    ];
    await this.helm(command, chart, ...set.flatMap((value) => ['--set', value]));
  }

  async listed(kind: string, selector = 'app.kubernetes.io/component=worker') {
    const text = await this.kubectl('get', kind, '--selector', selector, '--output', 'json');
    return Listed.parse(JSON.parse(text)).items;
  }

  async names(kind: string): Promise<string[]> {
    return (await this.listed(kind)).map(({ metadata: { name } }) => name).toSorted();
  }

  /** Returns the pod template of a Deployment, or `none` if the Deployment does not exist. */
  async pods(name: string): Promise<unknown> {
    return (await this.#worker(name))?.spec?.template ?? 'none';
  }

  async replicas(name: string): Promise<number | undefined> {
    return (await this.#worker(name))?.spec?.replicas;
  }

  async #worker(name: string) {
    return (await this.listed('deployment')).find(({ metadata }) => metadata.name === name);
  }
}

const [firstWorker, secondWorker] = ['play-renderline-worker-v1', 'play-renderline-worker-v2'];

async function testBuilds(
  testRelease: TestRelease,
  chart: string,
  otherChart: string,
): Promise<void> {
  const three = 'worker.replicas=3';
  await testRelease.release('install', chart, 'v1', three);
  const first = await testRelease.pods(firstWorker);
  await testRelease.release('upgrade', otherChart, 'v1', three);
  testRelease.check(
    'another version of the chart restarts no pod',
    await testRelease.pods(firstWorker),
    first,
  );

  await testRelease.release('upgrade', chart, 'v2', 'settings.fields.sku=text');
  const workers = [firstWorker, secondWorker];
  testRelease.check(
    'workers of the build before are there',
    await testRelease.names('deployment'),
    workers,
  );
  testRelease.check('they are as they were', await testRelease.pods(firstWorker), first);
  testRelease.check('as many', await testRelease.replicas(firstWorker), 3);
  testRelease.check(
    'with the settings that they know',
    await testRelease.names('configmap'),
    workers,
  );
  testRelease.check('each build has a budget', await testRelease.names('pdb'), workers);
  const jobs = await testRelease.listed('job', 'app.kubernetes.io/component=setup');
  testRelease.check('one job waits to apply pipelines', jobs.length, 1);

  await testRelease.helm('rollback', '1');
  testRelease.check(
    'a rollback leaves a newer build its workers',
    await testRelease.names('deployment'),
    workers,
  );
  testRelease.check('and the older ones as they were', await testRelease.pods(firstWorker), first);

  await testRelease.kubectl('annotate', 'deployment', secondWorker, 'helm.sh/resource-policy-');
  const refusal = await testRelease.release('upgrade', chart, 'v1', three).then(
    () => 'nothing',
    (error: unknown) => String(error),
  );
  const instruction = `annotate deployment ${secondWorker} helm.sh/resource-policy=keep`;
  testRelease.check('workers that would be deleted are named', refusal.includes(instruction), true);
  await testRelease.kubectl('annotate', 'deployment', secondWorker, 'helm.sh/resource-policy=keep');

  await testRelease.kubectl(
    'delete',
    'deployment,configmap',
    '--selector',
    'renderline/build-id=v2',
  );
  await testRelease.release('upgrade', chart, 'v1', three);
  testRelease.check('a build that was deleted is gone', await testRelease.names('deployment'), [
    firstWorker,
  ]);
  testRelease.check('its budget goes with the next upgrade', await testRelease.names('pdb'), [
    firstWorker,
  ]);

  await testRelease.helm('uninstall');
  testRelease.check(
    'an uninstall leaves workers to their runs',
    await testRelease.names('deployment'),
    [firstWorker],
  );
  await testRelease.release('install', chart, 'v1', three);
  testRelease.check('another install has them again', await testRelease.names('deployment'), [
    firstWorker,
  ]);
  await testRelease.helm('uninstall');
}

/** Tests autoscaling, but only if the cluster has KEDA's definitions. */
async function testScaling(testRelease: TestRelease, chart: string): Promise<void> {
  const crdNames = await testRelease.kubectl('get', 'crd', '--output', 'name');
  if (!crdNames.includes('scaledobjects.keda.sh')) return;
  const scaling = ['taskQueue=play', 'autoscaling.enabled=true'];
  await testRelease.release('install', chart, 'v1', 'worker.replicas=3');
  await testRelease.release('upgrade', chart, 'v1', ...scaling);
  testRelease.check(
    'workers stay as many where scaling begins',
    await testRelease.replicas(firstWorker),
    3,
  );
  // Scales the Deployment as KEDA would.
  await testRelease.kubectl('scale', 'deployment', firstWorker, '--replicas=4');
  await testRelease.release('upgrade', chart, 'v2', ...scaling);
  testRelease.check('a build keeps its scaling', await testRelease.names('scaledobject'), [
    firstWorker,
    secondWorker,
  ]);
  testRelease.check('and its workers', await testRelease.replicas(firstWorker), 4);
  await testRelease.release('upgrade', chart, 'v1', ...scaling);
  testRelease.check('one that comes back too', await testRelease.replicas(firstWorker), 4);
  await testRelease.helm('uninstall');
  testRelease.check('an uninstall takes the scaling', await testRelease.names('scaledobject'), []);
}

async function otherVersion(chart: string, folder: string): Promise<string> {
  const copy = join(folder, 'renderline');
  await cp(chart, copy, { recursive: true });
  const file = join(copy, 'Chart.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^version: .*/m, 'version: 99.0.0'));
  return copy;
}
