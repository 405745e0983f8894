// Test rounds on an installation: a run, in most rounds disturbed. Every picture must exist, and nothing twice.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { boxModel } from '../../bench/box-model.ts';
import { asRecord } from '../../src/api/unknown-values.ts';
import { withBucket } from './bucket.ts';
import type { CommandResult } from './engine.ts';
import type { Installation } from './installation.ts';

const models = 12;
const pipeline = `name: containers
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: s3, bucket: renderline, endpoint: "http://object-store:8333", pathStyle: true }
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take], timeout: 10m }
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }
  - { id: shots, type: render, parentIds: [look], config: { settings: { imageQuality: 0 } } }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`;

/** Long enough for an action during the render. */
const slowRenders = [{ render: '**', do: { durationMs: 10_000 } }];
/** Long enough for a backup and a total loss. */
const slowestRenders = [{ render: '**', do: { durationMs: 60_000 } }];
const middleWithinMs = 180_000;

export interface Round {
  name: string;
  /** The disturbance while renders are in progress; absent for none. */
  trouble?: (installation: Installation) => Promise<void>;
  /** True if a command follows the run meanwhile and must survive the disturbance. */
  followed?: boolean;
  /** True if encryption keys are set from the start, so that nothing readable may be in the database. */
  hasKeys?: boolean;
  /** Fault rules of the sandbox. @default `slowRenders` */
  faults?: object[];
}

export const rounds: readonly Round[] = [
  { name: 'a run' },
  { name: 'a worker is killed', trouble: (at) => at.kill('worker') },
  { name: 'Temporal restarts', trouble: (at) => at.restart('temporal'), followed: true },
  { name: 'PostgreSQL restarts', trouble: (at) => at.restart('postgresql'), followed: true },
  {
    name: 'all goes down and comes up again',
    trouble: async (at) => {
      await at.down();
      await at.up();
    },
  },
  {
    name: 'databases and bucket are lost and restored',
    trouble: testBackupAndRestore,
    faults: slowestRenders,
  },
  {
    name: 'keys are given in the middle of a run',
    trouble: async (at) => {
      at.useKeys('read');
      await at.up();
      at.useKeys('write');
      await at.up();
    },
  },
  { name: 'a run with keys', hasKeys: true },
];

/** Backs up as docs/how-to/backup.md says: databases, then bucket. Then loses both and restores them. */
async function testBackupAndRestore(at: Installation): Promise<void> {
  const copies = join(at.data, '..', 'copies');
  await at.script('backup.sh', copies);
  const { objectStore } = at.ports;
  const objects = await withBucket(objectStore, (bucket) => bucket.copy());
  if (![...objects.keys()].some((key) => key.includes('.renderline/')))
    throw new Error('no records');
  await at.down();
  await at.deleteVolumes('postgresql', 'object-store');
  await at.script('restore.sh', copies);
  await at.start('object-store-bucket');
  await until('the bucket is there', () =>
    withBucket(objectStore, (bucket) => bucket.sizes('')).then(
      () => true,
      () => false,
    ),
  );
  await withBucket(objectStore, (bucket) => bucket.put(objects));
  await at.up();
}

/** Writes the pipeline file and the settings. */
export async function prepare(at: Installation): Promise<void> {
  await writeFile(join(at.project, 'containers.yaml'), pipeline);
  await writeFile(join(at.project, 'renderline.yaml'), 'rateLimit: 600\n');
}

/** Runs a round with its own models. @throws Error that describes the problem */
export async function runRound(
  at: Installation,
  { trouble, followed, hasKeys = false, faults = slowRenders }: Round,
  index: number,
): Promise<void> {
  const keys = Array.from({ length: models }, (_, model) => `round-${index}-${model}`);
  const folder = join(at.data, `round-${index}`);
  await mkdir(folder, { recursive: true });
  await Promise.all(
    keys.map((key, model) =>
      writeFile(join(folder, `${key}.glb`), boxModel([index / 10, model / models, 0.5])),
    ),
  );
  await set(at, 'faults', faults);
  const before = await created(at);
  const words = ['containers.yaml', '--param', `folder=/data/round-${index}`, '--json'];
  const started = outputOrThrow(await at.cli(['run', ...words]));
  const run = String(asRecord(JSON.parse(started))['run']);
  let isFollowed = followed !== true;
  const follow = () =>
    at.cli(['show', run, '--wait', '--json'], () => {
      isFollowed = true;
    });
  const following = isFollowed ? null : follow();
  if (trouble !== undefined) {
    await until(
      'renders are under way',
      async () => isFollowed && (await created(at)).renderJobs > before.renderJobs,
    );
    await trouble(at);
  }
  const report = asRecord(JSON.parse(outputOrThrow(await (following ?? follow()))));
  const { complete, total } = asRecord(report['assets']);
  equal('assets', [complete, total], [models, models]);
  equal('pictures', await pictures(at, keys), keys.length);
  const after = await created(at);
  const rows = await at.query(
    `SELECT count(*) > 0 FROM history_node WHERE position('/data/round-${index}'::bytea in data) > 0`,
  );
  // Data from before the keys were added stays unencrypted.
  equal('its folder can be read in the database', rows, hasKeys ? 'f' : 't');
  for (const kind of kinds) equal(`${kind} made`, after[kind] - before[kind], models);
}

async function set(at: Installation, path: string, body: unknown): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${at.ports.sandbox}/_sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: the sandbox answered ${answer.status}`);
}

const kinds = ['models', 'projects', 'renderJobs'] as const;
type Created = Record<(typeof kinds)[number], number>;

/** Numbers of objects ever created on the platform, from its journal: the counts of its process are lost on restart. */
async function created(at: Installation): Promise<Created> {
  const ids = new Set<string>();
  for (const line of (await at.read('sandbox', '/sandbox/state.jsonl')).split('\n').slice(0, -1)) {
    for (const [table, id] of JSON.parse(line) as [string, string][]) ids.add(`${table} ${id}`);
  }
  const of = (kind: string) => [...ids].filter((id) => id.startsWith(`${kind} `)).length;
  return { models: of('models'), projects: of('projects'), renderJobs: of('renderJobs') };
}

/** How many of the keys have a picture in the bucket. */
async function pictures(at: Installation, keys: readonly string[]): Promise<number> {
  const sizes = await withBucket(at.ports.objectStore, (bucket) => bucket.sizes('round-'));
  return keys.filter((key) => (sizes.get(`${key}.png`) ?? 0) > 0).length;
}

/** Waits for a condition. @throws Error if it does not hold within three minutes */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const startedAt = Date.now();
  while (!(await isSo())) {
    if (Date.now() - startedAt > middleWithinMs) throw new Error(`waited too long until ${what}`);
    await delay(500);
  }
}

/** The output of a command. @throws Error with the output if the command failed */
export function outputOrThrow({ code, stdout, stderr }: CommandResult): string {
  // Some engines lose the exit code, so the output counts too.
  if (code === 0 && !stdout.includes('"schema":"renderline/error/v1"')) return stdout;
  throw new Error(`the command ended with ${code}:\n${stdout}${stderr.slice(-4_000)}`);
}

function equal(what: string, found: unknown, wanted: unknown): void {
  const [is, should] = [found, wanted].map((value) => JSON.stringify(value));
  if (is !== should) throw new Error(`${what}: ${is} instead of ${should}`);
}
