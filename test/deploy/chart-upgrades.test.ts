// Upgrades by the chart: its objects for older builds and for another version of itself, and the order of steps.
// Tests in a real cluster: `npm run chart -- --cluster`.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { chart, hasHelm, type PodSpec, podsOf, type Rendered, render } from './_helm.ts';

const cloud = join(chart, '../examples/temporal-cloud.yaml');
const strandedByBuild = (buildId: string, keep: object[] = []) =>
  `versioning=${JSON.stringify({ deployment: 'renderline', buildId, keep })}`;
const workersIn = (objects: readonly Rendered[]) =>
  objects.filter(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels?.['app.kubernetes.io/component'] === 'worker',
  );

/** The chart with another version. */
async function chartOfVersion(version: string): Promise<string> {
  const folder = join(await tempFolder(), 'renderline');
  await cp(chart, folder, { recursive: true });
  const file = join(folder, 'Chart.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^(version|appVersion): .*/gm, `$1: ${version}`));
  return folder;
}

describe.skipIf(!hasHelm)('upgrades with helm (skipped without helm)', { timeout: 60_000 }, () => {
  test('an upgrade to another chart version does not change pods', async () => {
    const values = ['image.tag=1.0.0'];
    const templates = async (version: string) => {
      const objects = render(values, [cloud], await chartOfVersion(version));
      return objects.flatMap(({ spec }) => spec?.template ?? []);
    };
    const [one, other] = [await templates('1.0.0'), await templates('1.1.0')];
    expect(one.length).toBeGreaterThan(2);
    expect(other).toEqual(one);
  });

  test("an upgrade keeps the objects that a build's workers need", () => {
    const objects = render([strandedByBuild('v1')], []);
    const [worker] = workersIn(objects);
    const kept = (object: Rendered | undefined) => object?.metadata.annotations;
    expect(kept(worker)).toMatchObject({
      'helm.sh/resource-policy': 'keep',
      'argocd.argoproj.io/sync-options': 'Prune=false',
    });
    const volumes = podsOf(worker === undefined ? [] : [worker]).flatMap(([, pod]) => pod.volumes);
    const settings = volumes.find(({ name }) => name === 'settings');
    expect(settings).toMatchObject({ configMap: { name: 'trial-renderline-worker-v1' } });
    const map = objects.find(
      ({ kind, metadata: { name } }) =>
        kind === 'ConfigMap' && name === 'trial-renderline-worker-v1',
    );
    expect(kept(map)).toEqual(kept(worker));
    // Each build has its own objects, and workers without versions belong to their release.
    expect(workersIn(render([strandedByBuild('v2')]))[0]?.metadata.name).toBe(
      'trial-renderline-worker-v2',
    );
    expect(kept(workersIn(render())[0])).toBeUndefined();
  });

  test('an upgrade keeps the number of workers of the listed older builds, each with its own label', () => {
    const keep = [
      { buildId: 'v1', tag: '0.0.9', replicas: 3 },
      { buildId: 'v0', tag: '0.0.8' },
    ];
    const workers = workersIn(render([strandedByBuild('v2', keep)]));
    expect(
      workers.map(({ metadata: { name }, spec: { replicas, selector } }) => [
        name,
        replicas,
        selector?.matchLabels['renderline/build-id'],
      ]),
    ).toEqual([
      ['trial-renderline-worker-v2', 2, 'v2'],
      ['trial-renderline-worker-v1', 3, 'v1'],
      ['trial-renderline-worker-v0', 2, 'v0'],
    ]);
  });

  test('each build is scaled by its own backlog', () => {
    const values = [
      'taskQueue=q',
      'autoscaling.enabled=true',
      strandedByBuild('v2', [{ buildId: 'v1', tag: '0.0.9' }]),
    ];
    const objects = render(values);
    const scaled = objects.filter(({ kind }) => kind === 'ScaledObject');
    expect(
      scaled.map(({ spec }) => [
        spec.scaleTargetRef?.name,
        new Set(spec.triggers?.map(({ metadata }) => metadata['workerDeploymentBuildId'])),
      ]),
    ).toEqual([
      ['trial-renderline-worker-v2', new Set(['v2'])],
      ['trial-renderline-worker-v1', new Set(['v1'])],
    ]);
    expect(workersIn(objects).map(({ spec }) => spec.replicas)).toEqual([undefined, undefined]);
  });

  test("Temporal's Worker Controller manages the workers instead of the chart, under its own names", () => {
    const objects = render([], [join(chart, '../examples/worker-controller.yaml')]);
    expect(workersIn(objects)).toEqual([]);
    const of = (kind: string) => objects.find((one) => one.kind === kind);
    expect(of('Connection')?.spec).toEqual({
      hostPort: 'temporal:7233',
      mutualTLSSecretRef: { name: 'temporal-client' },
    });
    const { metadata, spec } = of('WorkerDeployment') ?? {};
    expect(spec).toMatchObject({
      workerOptions: {
        connectionRef: { name: of('Connection')?.metadata.name },
        temporalNamespace: 'renderline.a1b2c',
        unsafeCustomBuildID: '1.0.0',
      },
      rollout: { strategy: 'Progressive' },
      replicas: 2,
    });
    const envOf = (pod: PodSpec | undefined) =>
      Object.fromEntries(pod?.containers[0]?.env.map(({ name, value }) => [name, value]) ?? []);
    const version = {
      RENDERLINE_DEPLOYMENT: `default/${metadata?.name}`,
      RENDERLINE_BUILD_ID: '1.0.0',
    };
    const worker = envOf(spec?.template?.spec);
    expect(worker).toMatchObject(version);
    // The controller adds these variables, and a name may occur only once.
    expect(Object.keys(worker).filter((name) => name.startsWith('TEMPORAL_'))).toEqual([]);
    const job = objects.find(
      ({ kind, metadata: { name } }) => kind === 'Job' && /apply/.test(name),
    );
    expect(envOf(job?.spec.template?.spec)).toMatchObject(version);
    // All builds have one budget, since only the controller knows the builds.
    const budgets = objects.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map((one) => one.spec.selector?.matchLabels['renderline/build-id'])).toEqual([
      undefined,
    ]);
    const scaled = ['versioning.controller=temporal', 'versioning.buildId=v2', 'taskQueue=q'];
    const template = render([...scaled, 'autoscaling.enabled=true']).find(
      ({ kind }) => kind === 'WorkerResourceTemplate',
    );
    expect(template?.spec).toMatchObject({
      workerDeploymentRef: { name: metadata?.name },
      template: {
        kind: 'ScaledObject',
        spec: {
          scaleTargetRef: {},
          triggers: [
            { metadata: { workerDeploymentBuildId: '{{temporal_worker_build_id}}' } },
            { metadata: { workerDeploymentName: `default/${metadata?.name}` } },
          ],
        },
      },
    });
    expect(() => render([...scaled, 'versioning.deployment=x'])).toThrow(/names the deployment/);
  });

  test("pipelines are applied only after new runs use the release's build", () => {
    const applying = (values: string[]) =>
      podsOf(render(['pipelines.imagePath=/p', ...values])).flatMap(
        ([{ metadata }, { containers }]) =>
          containers
            .filter(({ args }) => args[0] === 'apply')
            .map(({ args, env }) => ({
              args,
              hook: metadata.annotations?.['helm.sh/hook'],
              build: env.find(({ name }) => name === 'RENDERLINE_BUILD_ID')?.value,
            })),
      );
    const hook = 'post-install,post-upgrade,post-rollback';
    expect(applying([])).toEqual([{ args: ['apply', '/p'], hook, build: undefined }]);
    // The hook only checks whether the files can be applied. Helm does not wait for the other job.
    expect(applying([strandedByBuild('v2')])).toEqual([
      { args: ['apply', '/p', '--when-current'], hook: undefined, build: 'v2' },
      { args: ['apply', '/p', '--dry-run'], hook, build: 'v2' },
    ]);
  });
});
