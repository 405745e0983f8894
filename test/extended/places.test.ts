// Folders of records and pictures that fill up, become read-only, unreadable or vanish: the run pauses with a cause
// that has folder, reason and fix in all outputs, and continues after the repair.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withClient } from '../system/_histories.ts';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { inLane, type Lane } from '../system/_lane.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  type ErrorReport,
  errorOf,
  expectOnce,
  expectPictures,
  type PipelineFolder,
  reportOf,
  runToEnd,
  startRun,
} from '../system/_runs.ts';
import { type RunningCommand, useProcesses, waitWhileRunning } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

interface PlaceOfTwo extends PipelineFolder {
  records: string;
}

/** A pipeline with a separate folder for its records. */
async function placeWith(
  prefix: string,
  count: number,
  more = '',
): Promise<{ place: PlaceOfTwo; keys: string[]; files: string[] }> {
  const place = { ...(await createPipelineFolder(prefix)), records: '' };
  place.records = join(place.root, 'records');
  await mkdir(place.records);
  await mkdir(place.out);
  const yaml = await readFile(place.file, 'utf8');
  const records = `  records: { type: local, path: "${place.records}" }\n`;
  await writeFile(
    place.file,
    `records: records\n${more}${yaml.replace('connectors:\n', `connectors:\n${records}`)}`,
  );
  const keys = names(prefix, count);
  await writeModels(place.folder, keys);
  return { place, keys, files: keys.map((key) => `${key}.glb`) };
}

/** Mounts a disk of one megabyte. */
function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
}

const remount = (folder: string, options: string) =>
  execFileSync('mount', ['-o', `remount,${options}`, folder]);
const fill = (folder: string) =>
  writeFile(join(folder, 'filler'), Buffer.alloc(1024 * 1024)).catch(() => undefined);

/** The text of the run's page in the Temporal UI. */
async function pageOf(lane: Lane, id: string): Promise<string> {
  return withClient(lane.env, async ({ client }) => {
    const page = await client.workflow
      .getHandle(id)
      .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return page.currentDetails ?? '';
  });
}

/** Fails unless command, `show` and the run's page have the same cause. */
async function expectSaid(lane: Lane, paused: ErrorReport, folder: string, why: RegExp) {
  const id = paused.run ?? '';
  expect(paused.message).toContain(folder);
  expect(paused.message).toMatch(why);
  expect(paused.fix).toMatch(/then resume the run/);
  expect(paused.fix).toContain(`renderline resume ${id}`);
  const [reason = '', fix = ''] = [
    paused.message.split('is paused: ')[1],
    paused.fix.split('\n')[0],
  ];
  const shown = (await runInProcess(['show', id], lane.env)).stdout;
  for (const text of [shown, await pageOf(lane, id)]) {
    for (const part of [paused.code, reason, fix]) expect(text).toContain(part);
  }
  expect(await lane.show(id)).toMatchObject({ outcome: 'paused' });
}

interface Trouble {
  /** The damaged folder. */
  at: 'records' | 'out';
  harm: (folder: string) => unknown;
  mend: (folder: string) => unknown;
  code: string;
  why: RegExp;
}

const full: Omit<Trouble, 'at'> = {
  harm: fill,
  mend: async (folder) => {
    await rm(join(folder, 'filler'));
    remount(folder, 'size=32m');
  },
  code: 'DISK_FULL',
  why: /no space is left \(ENOSPC\)/,
};
const readOnly: Omit<Trouble, 'at'> = {
  harm: (folder) => remount(folder, 'ro'),
  mend: (folder) => remount(folder, 'rw'),
  code: 'UNWRITABLE',
  why: /the file system is read-only \(EROFS\)/,
};

const canMount = process.getuid?.() === 0 && process.platform === 'linux';

inLane('a folder', temporal, (lane) => {
  /** Damages the folder while projects are created, or while renders are polled. */
  async function harmDuring(
    running: RunningCommand,
    made: 'projects' | 'renderJobs',
    count: number,
    harm: () => unknown,
  ) {
    const before = (await lane.sandbox.stats()).created[made];
    await waitWhileRunning(running, `${made} are made`, async () => {
      return (await lane.sandbox.stats()).created[made] >= before + count;
    });
    await harm();
  }

  test.skipIf(!canMount).each<[string, string, 'projects' | 'renderJobs', Trouble]>([
    [
      'for records that becomes full during the run',
      'full',
      'projects',
      { at: 'records', ...full },
    ],
    ['for records that is read-only', 'shut', 'projects', { at: 'records', ...readOnly }],
    ['for records that becomes full at the end', 'late', 'renderJobs', { at: 'records', ...full }],
    ['for pictures that is read-only', 'out', 'renderJobs', { at: 'out', ...readOnly }],
  ])('a folder %s pauses the run, and resuming completes it', async (_, prefix, made, trouble) => {
    const { place, keys, files } = await placeWith(prefix, 5);
    const folder = place[trouble.at];
    mount(folder);
    const held = [
      { match: 'createProjects', nth: 1, do: { delayMs: 1_500 } },
      { render: '**', do: { durationMs: 3_000 } },
    ];
    const before = await lane.sandbox.stats();
    const finished = await lane.withFaults(held, async () => {
      const running = startRun(place, lane.env);
      await harmDuring(running, made, keys.length, () => trouble.harm(folder));
      return running.finished;
    });
    const paused = errorOf(finished, 75);
    expect(paused.code).toBe(trouble.code);
    await expectSaid(lane, paused, folder, trouble.why);
    await trouble.mend(folder);
    await expectPictures(await lane.resumeAndWait(paused.run ?? ''), keys);
    expectOnce(before, await lane.sandbox.stats(), files);
  });

  test('a records folder that cannot be read at the start pauses the run, and resuming completes it', async () => {
    const { place, keys } = await placeWith('loop', 3);
    await rename(place.records, `${place.records}.away`);
    await symlink(place.records, place.records);
    const paused = errorOf(await startRun(place, lane.env).finished, 75);
    expect(paused.code).toBe('RECORDS_UNREADABLE');
    await expectSaid(lane, paused, place.records, /reading failed \(ELOOP\)/);
    await rm(place.records);
    await rename(`${place.records}.away`, place.records);
    await expectPictures(await lane.resumeAndWait(paused.run ?? ''), keys);
  });

  test('a run whose records are not mounted pauses before it pays, and uses them once they are back', async () => {
    const { place, keys, files } = await placeWith('unmounted', 3);
    const before = await lane.sandbox.stats();
    await expectPictures(await runToEnd(place, lane.env), keys);
    expectOnce(before, await lane.sandbox.stats(), files);
    await rename(place.records, `${place.records}.away`);
    await mkdir(place.records);
    const paused = errorOf(await startRun(place, lane.env).finished, 75);
    expect(paused.code).toBe('RECORDS_MISSING');
    await expectSaid(lane, paused, place.records, /there are no records of pipeline/);
    expect(await readdir(place.records)).toEqual([]);
    const run = paused.run ?? '';
    const again = await lane.resumeAndWait(run).catch((error: unknown) => error);
    expect(again).toMatchObject({ message: expect.stringContaining('RECORDS_MISSING') as string });
    await rm(place.records, { recursive: true });
    await rename(`${place.records}.away`, place.records);
    const resumed = await lane.resumeAndWait(run);
    expect(resumed.assets).toMatchObject({ total: 3, unchanged: 3 });
    expectOnce(before, await lane.sandbox.stats(), files);
  });

  test('a person starts new records where the earlier ones are lost', async () => {
    const { place, keys } = await placeWith('lost', 2);
    await expectPictures(await runToEnd(place, lane.env), keys);
    await rm(place.records, { recursive: true });
    const { run = '', code } = errorOf(await startRun(place, lane.env).finished, 75);
    expect(code).toBe('RECORDS_MISSING');
    await runInProcess(['resume', run, '--new-records'], lane.env);
    const shown = await runInProcess(['show', run, '--wait', '--json'], lane.env);
    await expectPictures(reportOf(shown), keys);
    expect((await runToEnd(place, lane.env)).assets).toMatchObject({ unchanged: 2 });
  });

  test('a records folder that is missing for the next worker pauses the run, and no asset is lost', async () => {
    const { place, keys } = await placeWith('away', 4, 'canary: { assets: 1 }\n');
    const waiting = errorOf(await startRun(place, lane.env).finished, 7);
    expect(waiting.code).toBe('CANARY_WAITING');
    await lane.worker.stop();
    await rename(place.records, `${place.records}.away`);
    const other = await startWorkerInProcess(lane.env);
    await runInProcess(['approve', waiting.run ?? '', '--yes'], lane.env);
    const paused = errorOf(
      await runInProcess(['show', waiting.run ?? '', '--wait', '--json'], lane.env),
      75,
    );
    expect(paused.code).toBe('RECORDS_UNREADABLE');
    await expectSaid(lane, paused, place.records, /the asset list of run .* is missing/);
    await rm(place.records, { recursive: true, force: true });
    await rename(`${place.records}.away`, place.records);
    await expectPictures(await lane.resumeAndWait(paused.run ?? ''), keys);
    await other.stop();
  });
});
