// Test rounds on an installation. Each is a run, which most rounds disturb. Every picture must exist, and nothing may
// exist twice.
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

/** The render takes long enough for an action while it is in progress. */
const slowRenders = [{ render: '**', do: { durationMs: 10_000 } }];
/** The render takes long enough for a backup and a total loss. */
const slowestRenders = [{ render: '**', do: { durationMs: 60_000 } }];
const middleWithinMs = 180_000;

export interface Round {
  name: string;
  /** Causes the disturbance while renders are in progress. Absent if there is none. */
  trouble?: (installation: Installation) => Promise<void>;
  /** True if a command follows the run meanwhile and must survive the disturbance. */
  followed?: boolean;
  /** True if encryption keys are set from the start. The database must then contain nothing readable. */
  hasKeys?: boolean;
  /** Fault rules of the sandbox. @default `slowRenders` */
  faults?: object[];
}

export const rounds: readonly Round[] = [
  { name: 'a run' },
  { name: 'a worker is killed', trouble: (installation) => installation.kill('worker') },
  {
    name: 'Temporal restarts',
    trouble: (installation) => installation.restart('temporal'),
    followed: true,
  },
  {
    name: 'PostgreSQL restarts',
    trouble: (installation) => installation.restart('postgresql'),
    followed: true,
  },
  {
    name: 'all goes down and comes up again',
    trouble: async (installation) => {
      await installation.down();
      await installation.up();
    },
  },
  {
    name: 'databases and bucket are lost and restored',
    trouble: testBackupAndRestore,
    faults: slowestRenders,
  },
  {
    name: 'keys are given in the middle of a run',
    trouble: async (installation) => {
      installation.useKeys('read');
      await installation.up();
      installation.useKeys('write');
      await installation.up();
    },
  },
  { name: 'a run with keys', hasKeys: true },
];

/**
 * Backs up as docs/how-to/backup.md describes, first the databases and then the bucket. Then loses and restores both.
 */
async function testBackupAndRestore(installation: Installation): Promise<void> {
  const copies = join(installation.data, '..', 'copies');
  await installation.script('backup.sh', copies);
  const { objectStore } = installation.ports;
  const objects = await withBucket(objectStore, (bucket) => bucket.copy());
  if (![...objects.keys()].some((key) => key.includes('.renderline/')))
    throw new Error('no records');
  await installation.down();
  await installation.deleteVolumes('postgresql', 'object-store');
  await installation.script('restore.sh', copies);
  await installation.start('object-store-bucket');
  await until('the bucket is there', () =>
    withBucket(objectStore, (bucket) => bucket.sizes('')).then(
      () => true,
      () => false,
    ),
  );
  await withBucket(objectStore, (bucket) => bucket.put(objects));
  await installation.up();
}

/** Writes the pipeline file and the settings. */
export async function prepare(installation: Installation): Promise<void> {
  await writeFile(join(installation.project, 'containers.yaml'), pipeline);
  await writeFile(join(installation.project, 'renderline.yaml'), 'rateLimit: 600\n');
}

/** Runs a round with models of its own. @throws Error that describes the problem */
export async function runRound(
  installation: Installation,
  { trouble, followed, hasKeys = false, faults = slowRenders }: Round,
  index: number,
): Promise<void> {
  const keys = Array.from({ length: models }, (_, model) => `round-${index}-${model}`);
  const folder = join(installation.data, `round-${index}`);
  await mkdir(folder, { recursive: true });
  await Promise.all(
    keys.map((key, model) =>
      writeFile(join(folder, `${key}.glb`), boxModel([index / 10, model / models, 0.5])),
    ),
  );
  await set(installation, 'faults', faults);
  const countsBefore = await countCreated(installation);
  const args = ['containers.yaml', '--param', `folder=/data/round-${index}`, '--json'];
  const output = outputOrThrow(await installation.cli(['run', ...args]));
  const run = String(asRecord(JSON.parse(output))['run']);
  let isFollowed = followed !== true;
  const follow = () =>
    installation.cli(['show', run, '--wait', '--json'], () => {
      isFollowed = true;
    });
  const following = isFollowed ? null : follow();
  if (trouble !== undefined) {
    await until(
      'renders are under way',
      async () =>
        isFollowed && (await countCreated(installation)).renderJobs > countsBefore.renderJobs,
    );
    await trouble(installation);
  }
  const report = asRecord(JSON.parse(outputOrThrow(await (following ?? follow()))));
  const { complete, total } = asRecord(report['assets']);
  assertEqual('assets', [complete, total], [models, models]);
  assertEqual('pictures', await countPictures(installation, keys), keys.length);
  const countsAfter = await countCreated(installation);
  const rows = await installation.query(
    `SELECT count(*) > 0 FROM history_node WHERE position('/data/round-${index}'::bytea in data) > 0`,
  );
  // Data written before the keys were added stays unencrypted.
  assertEqual('its folder can be read in the database', rows, hasKeys ? 'f' : 't');
  for (const kind of kinds)
    assertEqual(`${kind} made`, countsAfter[kind] - countsBefore[kind], models);
}

async function set(installation: Installation, path: string, body: unknown): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${installation.ports.sandbox}/_sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: the sandbox answered ${answer.status}`);
}

const kinds = ['models', 'projects', 'renderJobs'] as const;
type Created = Record<(typeof kinds)[number], number>;

/**
 * Returns the numbers of objects ever created on the platform, read from its journal, because a restart resets the
 * counts of its process.
 */
async function countCreated(installation: Installation): Promise<Created> {
  const ids = new Set<string>();
  for (const line of (await installation.read('sandbox', '/sandbox/state.jsonl'))
    .split('\n')
    .slice(0, -1)) {
    for (const [table, id] of JSON.parse(line) as [string, string][]) ids.add(`${table} ${id}`);
  }
  const countOf = (kind: string) => [...ids].filter((id) => id.startsWith(`${kind} `)).length;
  return {
    models: countOf('models'),
    projects: countOf('projects'),
    renderJobs: countOf('renderJobs'),
  };
}

/** Counts the keys for which the bucket contains a picture. */
async function countPictures(installation: Installation, keys: readonly string[]): Promise<number> {
  const sizes = await withBucket(installation.ports.objectStore, (bucket) =>
    bucket.sizes('round-'),
  );
  return keys.filter((key) => (sizes.get(`${key}.png`) ?? 0) > 0).length;
}

/** Waits for a condition. @throws Error if the condition is not met within three minutes */
export async function until(condition: string, isSo: () => Promise<boolean>): Promise<void> {
  const startedAt = Date.now();
  while (!(await isSo())) {
    if (Date.now() - startedAt > middleWithinMs)
      throw new Error(`waited too long until ${condition}`);
    await delay(500);
  }
}

/** Returns the output of a command. @throws Error with the output if the command failed */
export function outputOrThrow({ code, stdout, stderr }: CommandResult): string {
  // Some engines lose the exit code, so the output is checked too.
  if (code === 0 && !stdout.includes('"schema":"renderline/error/v1"')) return stdout;
  throw new Error(`the command ended with ${code}:\n${stdout}${stderr.slice(-4_000)}`);
}

function assertEqual(label: string, actual: unknown, expected: unknown): void {
  const [actualText, expectedText] = [actual, expected].map((value) => JSON.stringify(value));
  if (actualText !== expectedText)
    throw new Error(`${label}: ${actualText} instead of ${expectedText}`);
}
