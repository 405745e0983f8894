// The Helm chart uses existing options and contains no secrets. Objects are validated by `npm run chart`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { valuesPage } from '../../scripts/chart/values-page.ts';
import { chart, containersOf, hasHelm, podsOf, type Rendered, render } from './_helm.ts';
import { findUnknownOptions } from './_unknown-options.ts';

const root = join(chart, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const schema = JSON.parse(read('deploy/helm/renderline/values.schema.json')) as object;
const defaults = parse(read('deploy/helm/renderline/values.yaml')) as Record<string, object>;
const examples = readdirSync(join(root, 'deploy/helm/examples'));
const isValid = new Ajv({ allErrors: true, strict: false }).compile(schema);
const faultsOf = (values: unknown) =>
  isValid(values) ? [] : (isValid.errors ?? []).map(({ instancePath }) => instancePath);

describe('values of the chart', () => {
  test('exactly three values have no default', () => {
    expect(faultsOf(defaults)).toEqual([
      '/platform/baseUrl',
      '/platform/existingSecret',
      '/temporal/address',
    ]);
  });

  test.each(examples)('the values in the file %s are valid', (name) => {
    expect(faultsOf(parse(read(`deploy/helm/examples/${name}`)))).toEqual([]);
  });

  test.each([
    ['a key in place of the name of its Secret', { platform: { apiKey: 'x' } }, '/platform'],
    ['an unknown field', { worker: { replcias: 2 } }, '/worker'],
    [
      'zero workers although runs may be waiting',
      { autoscaling: { minReplicas: 0 } },
      '/autoscaling/minReplicas',
    ],
    [
      'a grace period too short for uploads',
      { worker: { terminationGracePeriodSeconds: 30 } },
      '/worker/terminationGracePeriodSeconds',
    ],
    [
      'a proxy password in place of the name of its Secret',
      { proxy: { https: 'http://me:secret@proxy.example.com:3128' } },
      '/proxy/https',
    ],
    [
      'an older build without its image',
      { versioning: { keep: [{ buildId: 'a' }] } },
      '/versioning/keep/0',
    ],
  ])('the value "%s" is refused, and the error gives its path', (_what, values, place) => {
    expect(faultsOf(values)).toContain(place);
  });

  test('the page that lists the values is up to date', () => {
    const [path, text] = valuesPage(
      read('deploy/helm/renderline/values.schema.json'),
      read('deploy/helm/renderline/values.yaml'),
    );
    expect(read(path)).toBe(text);
  });

  test('appVersion is the version of the package', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const { appVersion } = parse(read('deploy/helm/renderline/Chart.yaml')) as {
      appVersion: string;
    };
    expect(appVersion).toBe(version);
  });
});

const cloud = join(root, 'deploy/helm/examples/temporal-cloud.yaml');
const of = (objects: readonly Rendered[], kind: string, name: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === name);

describe.skipIf(!hasHelm)(
  'the objects of the chart (skipped without helm)',
  { timeout: 60_000 },
  () => {
    const everything = hasHelm ? render([], [cloud]) : [];

    // Each command is loaded from its sources with all modules.
    test('every container runs an existing command with existing options', async () => {
      const commands = containersOf(everything).map(({ args }) =>
        args.filter((one) => one !== '--json'),
      );
      expect(commands.map(([name = '']) => name).sort((a, b) => a.localeCompare(b))).toEqual([
        'apply',
        'apply',
        'doctor',
        'doctor',
        'webhooks',
        'worker',
      ]);
      for (const words of commands) expect(await findUnknownOptions(words)).toEqual([]);
    }, 90_000);

    test('settings are documented', () => {
      const tuning = ['worker.tuning={"maxActivities":50,"targetMemory":0.8}'];
      const names = containersOf([...everything, ...render(tuning)]).flatMap(({ env }) =>
        env.map(({ name }) => name),
      );
      const withDocsLinks = `${read('docs/commands.md')}${read('docs/kubernetes.md')}${read('docs/kubernetes-values.md')}`;
      const ours = [...new Set(names)].filter((name) => name.startsWith('RENDERLINE_'));
      expect(ours.length).toBeGreaterThan(8);
      expect(ours.filter((name) => !withDocsLinks.includes(`\`${name}\``))).toEqual([]);
    });

    test('renderline.yaml is valid', async () => {
      const text = of(everything, 'ConfigMap', 'trial-renderline')?.data?.['renderline.yaml'] ?? '';
      expect(parse(text)).toEqual({
        baseUrl: 'https://platform.example.com/api/v1',
        wakeUpsUrl: 'http://trial-renderline-receiver:8099/wake-ups',
        rateLimit: 600,
        taskQueue: 'renderline-production',
        temporalUi: 'https://cloud.temporal.io',
      });
    });

    test("secrets are references, the receiver gets none of the pipelines' secrets, and secret files are private", () => {
      const values = containersOf(everything).flatMap(({ env }) =>
        env.filter(({ value }) => value !== undefined),
      );
      expect(values.filter(({ name }) => /KEY$|SECRET|PASSWORD/.test(name))).toEqual([]);
      const taken = containersOf(everything).filter(({ envFrom }) => envFrom !== undefined);
      expect(taken.map(({ name }) => name)).not.toContain('receiver');
      expect(taken.map(({ name }) => name)).toContain('worker');
      const modes = podsOf(everything).flatMap(([, { volumes }]) =>
        volumes.flatMap(({ secret }) => (secret === undefined ? [] : [secret.defaultMode])),
      );
      expect(new Set(modes)).toEqual(new Set([0o440]));
    });

    test("an encryption key is a file in every pod, including the receiver's", () => {
      const objects = render(['encryption={"existingSecret":"codec","keyId":"2026b"}'], [cloud]);
      const containers = containersOf(objects);
      for (const { name, env, volumeMounts } of containers) {
        const set = new Map(env.map((one) => [one.name, one.value]));
        const path = set.get('RENDERLINE_CODEC_KEYS_FILE') ?? '';
        expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain(dirname(path));
        expect([name, set.get('RENDERLINE_CODEC_KEY_ID')]).toEqual([name, '2026b']);
      }
      expect(containers.map(({ name }) => name)).toContain('receiver');
      for (const [, { volumes }] of podsOf(objects)) {
        const codec = volumes.find(({ secret }) => secret?.secretName === 'codec');
        expect(codec?.secret?.defaultMode).toBe(0o440);
      }
    });

    test('with `encryption.write: false`, every pod uses the keys only to decrypt', () => {
      const values = ['encryption={"existingSecret":"codec","write":false}'];
      for (const { name, env } of containersOf(render(values, [cloud]))) {
        const write = env.find((one) => one.name === 'RENDERLINE_CODEC_WRITE');
        expect([name, write?.value]).toEqual([name, 'off']);
      }
    });

    test('variables, volumes and mounts for all pods reach every pod, and those for one kind reach only that kind', () => {
      const kinds = ['worker', 'receiver', 'setup'];
      const extra = (name: string, prefix: string) =>
        Object.entries({
          extraEnv: [{ name: name.toUpperCase(), value: 'x' }],
          envFrom: [{ configMapRef: { name } }],
          extraVolumes: [{ name, emptyDir: {} }],
          extraVolumeMounts: [{ name, mountPath: `/extra/${name}` }],
        }).map(([list, value]) => `${prefix}${list}=${JSON.stringify(value)}`);
      const ofKinds = kinds.flatMap((name) => extra(name, `${name}.`));
      const objects = render([...extra('all', ''), ...ofKinds], [cloud]);
      for (const [{ metadata }, pod] of podsOf(objects)) {
        const own = metadata.labels?.['app.kubernetes.io/component'] ?? '';
        const wanted = ['all', own];
        const known = (names: string[]) =>
          names.filter((name) => ['all', ...kinds].includes(name.toLowerCase()));
        expect(known(pod.volumes.map(({ name }) => name))).toEqual(wanted);
        for (const { env, envFrom, volumeMounts } of [
          ...(pod.initContainers ?? []),
          ...pod.containers,
        ]) {
          expect(known(env.map(({ name }) => name.toLowerCase()))).toEqual(wanted);
          expect(known((envFrom ?? []).map((one) => one.configMapRef?.name ?? ''))).toEqual(wanted);
          expect(known(volumeMounts.map(({ name }) => name))).toEqual(wanted);
        }
      }
      expect(podsOf(objects).length).toBeGreaterThan(4);
    });

    test('all pods trust the authority and use the proxy, except for requests to the receiver', () => {
      const objects = render(
        [
          'proxy={"https":"http://proxy.example.com:3128","noProxy":["inside.example.com"],"existingSecret":"proxy"}',
          'ca={"existingConfigMap":"company-ca","key":"bundle.pem","temporal":true}',
        ],
        [cloud],
      );
      for (const { env, envFrom, volumeMounts } of containersOf(objects)) {
        const set = Object.fromEntries(env.map(({ name, value }) => [name, value]));
        expect(set).toMatchObject({
          HTTPS_PROXY: 'http://proxy.example.com:3128',
          NO_PROXY: 'inside.example.com,trial-renderline-receiver',
          NODE_EXTRA_CA_CERTS: '/etc/renderline/ca/ca.crt',
          TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/etc/renderline/ca/ca.crt',
        });
        expect(envFrom).toContainEqual({ secretRef: { name: 'proxy' } });
        expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain('/etc/renderline/ca');
      }
    });

    test("the backlog is read from all of the workers' queues, for the build of this release", () => {
      const scaled = everything.find(({ kind }) => kind === 'ScaledObject');
      const asked = (scaled?.spec.triggers ?? []).map(({ metadata }) => metadata);
      expect(asked).toMatchObject([
        {
          taskQueue: 'renderline-production',
          queueTypes: 'workflow,activity',
          enableTLS: 'true',
          workerDeploymentBuildId: '1.0.0',
        },
        { taskQueue: 'renderline-production/urgent', queueTypes: 'activity' },
      ]);
      const { spec } =
        everything.find(
          ({ kind, metadata: { name } }) => kind === 'Deployment' && name.includes('worker'),
        ) ?? {};
      expect(spec?.replicas).toBeUndefined();
    });

    test.each([
      ['a typo', ['worker.replcias=3'], /'replcias' not allowed/],
      ['autoscaling without a queue', ['autoscaling.enabled=true'], /autoscaling needs taskQueue/],
      [
        'a deployment without a build',
        ['versioning.deployment=x'],
        /versioning\.buildId is missing/,
      ],
      [
        'two sources of pipelines',
        ['pipelines.imagePath=/p', 'pipelines.existingClaim=c'],
        /one of existingClaim and imagePath/,
      ],
      [
        'an encryption key id without keys',
        ['encryption.keyId=2026b'],
        /encryption\.existingSecret/,
      ],
      [
        'two sources of certificates',
        ['ca.existingSecret=a', 'ca.existingConfigMap=b'],
        /one of existingSecret and existingConfigMap/,
      ],
      [
        'an ingress without a receiver',
        ['receiver.ingress.enabled=true'],
        /needs receiver\.enabled/,
      ],
      [
        'a different path in the public URL',
        ['receiver.enabled=true', 'receiver.publicUrl=https://a.example/x'],
        /must end in receiver\.path/,
      ],
      [
        'a setting that has a value of its own',
        ['settings={"rateLimit":5}'],
        /settings\.rateLimit has a value/,
      ],
    ])('%s in the values is refused with an error', (_what, values, words) => {
      expect(() => render(values)).toThrow(words);
    });
  },
);
