// The files of an installation use existing commands and settings. These tests start no container.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { searchAttributes } from '../../src/temporal/search-attributes.ts';
import { findUnknownOptions } from './_unknown-options.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(`${root}${name}`, 'utf8');

interface Service {
  image: string;
  restart?: string;
  build?: string | { target: string };
  command?: string | string[];
  entrypoint?: string[];
  secrets?: (string | { source: string })[];
  healthcheck?: { test?: string[]; disable?: boolean };
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  logging?: { driver?: string; options?: Record<string, string> };
  mem_limit?: string;
  read_only?: boolean;
  user?: string;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  secrets: Record<string, { environment: string }>;
};
const services = Object.entries(compose.services);
const ours = services.filter(
  ([, { image, entrypoint }]) => image.startsWith('renderline') && entrypoint === undefined,
);
const isOnce = ([name]: [string, Service]) =>
  services.some(
    ([, { depends_on = {} }]) => depends_on[name]?.condition === 'service_completed_successfully',
  );

describe('docker-compose.yml', () => {
  test.each(ours)(
    'the service %s runs an existing command with existing options',
    async (_name, { command }) => {
      expect(await findUnknownOptions([command ?? []].flat())).toEqual([]);
    },
  );

  test('the images start with existing commands', async () => {
    const commands = [...read('Dockerfile').matchAll(/^CMD (\[.*\])$/gm)];
    expect(commands.length).toBe(2);
    for (const [, words = '[]'] of commands) {
      expect(await findUnknownOptions(JSON.parse(words) as string[])).toEqual([]);
    }
  });

  test('only the sandbox uses the image that contains the sandbox; the last image does not contain it', () => {
    const targets = ours.map(([name, { image, build }]) => [name, image, build]);
    const sandbox = ['sandbox', 'renderline-sandbox', { context: '.', target: 'sandbox' }];
    expect(targets.filter(([, image]) => image !== 'renderline')).toEqual([sandbox]);
    const stages = read('Dockerfile').split(/^FROM /m);
    expect(
      stages.filter((stage) => stage.includes('COPY --from=build /app/packages/sandbox')),
    ).toEqual([expect.stringMatching(/^base AS sandbox$/m)]);
    expect(stages.at(-1)).not.toContain('sandbox');
  });

  test('each image contains the list of its packages', () => {
    const stages = read('Dockerfile').split(/^FROM /m);
    const images = stages.filter((stage) => /^CMD /m.test(stage));
    const list = /^COPY --from=(\w+)-list \/tmp\/sbom.cdx.json \/usr\/share\/doc\/renderline\/$/m;
    const modules = /^COPY --from=(\w+)-modules \/app\/node_modules node_modules$/m;
    expect(images.map((stage) => list.exec(stage)?.[1])).toEqual(['sandbox', 'program']);
    for (const stage of [
      ...images,
      ...stages.filter((one) => one.includes('node /image-sbom.mjs')),
    ]) {
      expect(modules.exec(stage)?.[1]).toBe(
        list.exec(stage)?.[1] ?? /AS (\w+)-list/.exec(stage)?.[1],
      );
    }
  });

  test.each(ours)('the service %s uses only documented settings', (_name, { environment = {} }) => {
    const settings = Object.keys(environment).filter((name) => name.startsWith('RENDERLINE_'));
    const withDocsLinks = read('docs/commands.md');
    expect(settings.filter((name) => !withDocsLinks.includes(`\`${name}\``))).toEqual([]);
  });

  test('services and mounted files that others depend on exist', () => {
    const names = services.map(([name]) => name);
    const awaited = services.flatMap(([, { depends_on = {} }]) => Object.keys(depends_on));
    expect(awaited.filter((name) => !names.includes(name))).toEqual([]);
    const files = services
      .flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''))
      .filter((path) => path.startsWith('./deploy/'));
    expect(files).not.toEqual([]);
    expect(files.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  });

  test('the `cli` service waits for no other service, because that would repeat one-time services', () => {
    expect(compose.services['cli']?.depends_on).toBeUndefined();
  });

  test('secrets have no defaults and do not appear on a command line', () => {
    const text = read('docker-compose.yml');
    const secrets = [...text.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|KEY)\w*)(:[-?])?/g)];
    expect(secrets.length).toBeGreaterThan(4);
    expect(secrets.filter(([, , rule]) => rule !== ':?').map(([, name]) => name)).toEqual([]);
    const words = services.flatMap(([, { command = [] }]) => [command].flat());
    expect(words.filter((word) => /\$\{|key|secret|password/i.test(word))).toEqual([]);
  });

  test('deploy/sandbox.env contains all required variables, and no unknown ones', () => {
    const text = read('docker-compose.yml');
    const asked = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    const known = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const set = [...read('deploy/sandbox.env').matchAll(/^(\w+)=.+$/gm)].map(([, name]) => name);
    expect(asked.filter((name) => !set.includes(name))).toEqual([]);
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('a secret is passed only to the services that need it', () => {
    const holders = (found: (service: Service) => boolean) =>
      services.filter(([, service]) => found(service)).map(([name]) => name);
    const fileOf = (source: string) =>
      holders(({ secrets = [] }) =>
        secrets.some((one) => (typeof one === 'string' ? one : one.source) === source),
      );
    const valueOf = (name: string) =>
      holders(({ environment = {} }) => JSON.stringify(environment).includes(`\${${name}`));
    expect(compose.secrets).toMatchObject({
      'api-key': { environment: 'RENDERLINE_API_KEY' },
      'postgres-password': { environment: 'POSTGRES_PASSWORD' },
    });
    expect(fileOf('api-key')).toEqual(['worker', 'receiver', 'cli']);
    expect(valueOf('RENDERLINE_API_KEY')).toEqual(['sandbox']);
    expect(fileOf('postgres-password')).toEqual(['postgresql']);
    expect(valueOf('POSTGRES_PASSWORD')).toEqual(['temporal-schema', 'temporal']);
    const files = ['object-store', 'worker', 'cli'];
    expect(valueOf('OBJECT_STORE_SECRET')).toEqual(files);
  });

  test('every long-running service has a health check that neither starts Node nor has a space within a word', () => {
    const lasting = services.filter((one) => !isOnce(one) && one[0] !== 'cli');
    const checks = lasting.map(
      ([name, { healthcheck }]) => [name, healthcheck?.test ?? []] as const,
    );
    expect(checks.filter(([, words]) => words.length < 2)).toEqual([]);
    const odd = checks.filter(([, words]) => words.some((word) => /\s|^node$/.test(word)));
    expect(odd).toEqual([]);
  });

  test.each(services)(
    'the service %s has limits for log size and memory, and only the rights that it needs',
    (_name, service) => {
      const { logging, mem_limit, cap_drop, security_opt } = service;
      expect(logging?.options).toEqual({ 'max-size': expect.any(String), 'max-file': '3' });
      expect(mem_limit).toMatch(/^\d+[mg]$/);
      expect(cap_drop).toEqual(['ALL']);
      expect(security_opt).toEqual(['no-new-privileges:true']);
    },
  );

  test('all services are read-only except those with a secret from the environment, which Docker Compose would refuse', () => {
    const hasSecret = ({ secrets = [] }: Service) => secrets.length > 0;
    for (const [name, service] of services) {
      expect([name, service.read_only === true]).toEqual([name, !hasSecret(service)]);
    }
    // A worker stages files in /tmp, which would count towards its memory.
    expect(compose.services['worker']).not.toHaveProperty('tmpfs');
    expect(compose.services['postgresql']?.user).toBe('postgres');
    expect(read('Dockerfile')).toMatch(/^USER node$/m);
  });

  test("capabilities are granted only where needed, and a worker's heap fits its memory", () => {
    const given = services.flatMap(([name, { cap_add = [] }]) =>
      cap_add.map((capability) => `${name} ${capability}`),
    );
    expect(given).toEqual(['data-owner CHOWN']);
    const { mem_limit, environment } = compose.services['worker'] ?? {};
    const heapMb = Number(
      /--max-old-space-size=(\d+)/.exec(environment?.['NODE_OPTIONS'] ?? '')?.[1],
    );
    expect(heapMb).toBeLessThanOrEqual((Number.parseInt(mem_limit ?? '', 10) * 1024) / 2);
  });

  test('only the services whose completion others wait for end by themselves; all others are restarted', () => {
    const ends = services.filter(isOnce).map(([name]) => name);
    expect(ends).not.toEqual([]);
    const keepsRunning = ([, { restart }]: [string, Service]) => restart === 'unless-stopped';
    const notKeptRunning = services.filter((one) => !keepsRunning(one)).map(([name]) => name);
    // A person starts `cli` for one command.
    expect(notKeptRunning.toSorted()).toEqual([...ends, 'cli'].toSorted());
  });

  test("a team's secrets and files are excluded from the build", () => {
    const left = read('.dockerignore').split('\n');
    expect(left).toEqual(
      expect.arrayContaining(['.git', '.env', '*.env', 'data', '**/node_modules']),
    );
  });

  test('images have exact versions, except Node and PostgreSQL, which are updated with each build', () => {
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+:\S+)/gm)].map(
      ([, image = '']) => image,
    );
    const others = services
      .map(([, { image }]) => image)
      .filter((image) => !/^renderline(-|$)/.test(image));
    expect([bases.length, others.length > 3]).toEqual([3, true]);
    const isExact =
      /^(node:24-bookworm-slim|postgres:16|.+:\d+\.\d+\.\d+|.+:\d+\.\d+)(@sha256:[0-9a-f]{64})?$/;
    expect([...bases, ...others].filter((image) => !isExact.test(image))).toEqual([]);
  });

  test('no port is published beyond this machine', () => {
    const ports = [...read('docker-compose.yml').matchAll(/^\s+- (\S+:\d+)$/gm)].map(
      ([, port]) => port,
    );
    expect(ports.length).toBeGreaterThan(3);
    expect(ports.filter((port) => !port?.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

test('the namespace gets the search attributes that runs use', () => {
  const script = read('deploy/temporal-namespace.sh');
  const made = [...script.matchAll(/^attribute (\w+) (\w+)$/gm)].map(([, name, type]) => ({
    name,
    type,
  }));
  expect(made).toEqual(searchAttributes);
});
