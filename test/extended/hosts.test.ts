// Workers on several machines: a run with local folders works where they are, or reports before it costs anything why
// it cannot. A machine is a mount namespace here: the same paths, other folders.
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { activityWorkers, allHistories } from '../system/_histories.ts';
import { writeModels } from '../system/_models.ts';
import {
  joined,
  type PipelineFolder,
  reportOf,
  runArguments,
  writePipeline,
} from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import {
  type CommandResult,
  type Env,
  type RunningProcess,
  start,
  tempFolder,
  useProcesses,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const unshare = ['unshare', '--map-root-user', '--mount'];
const mayUnshare = spawnSync(unshare[0] ?? '', [...unshare.slice(1), 'true']).status === 0;

const temporal = useTemporal();
useProcesses();

/** The command prefix that mounts a folder over another, for one process. */
function seeing(folder: string, at: string): string[] {
  const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  return [...unshare, 'sh', '-c', script, 'sh', folder, at];
}

interface Machines {
  env: Env;
  sandbox: SandboxInUse;
  place: PipelineFolder;
  workers: Record<string, RunningProcess>;
  /** Runs a command on one of the machines. */
  on(host: string, args: string[]): Promise<CommandResult>;
}

/** Two machines with a worker each. @param folders the folder of each at the root of the place */
async function machines(folders: Record<string, string>): Promise<Machines> {
  const root = await tempFolder('mounted');
  const sandbox = await startSandbox(fastSandbox);
  const env = joined(temporal.env, sandbox.env);
  const via = (host: string) => seeing(folders[host] ?? '', root);
  const workers: Record<string, RunningProcess> = {};
  for (const host of Object.keys(folders)) {
    const worker = start(['worker', '--host', host], env, undefined, undefined, via(host));
    await worker.waitForOutput('Task queue');
    workers[host] = worker;
  }
  const file = join(await tempFolder('file'), 'pictures.yaml');
  const place = { root, folder: join(root, 'models'), out: join(root, 'pictures'), file };
  await writePipeline(place);
  const on = (host: string, args: string[]) =>
    start(args, env, undefined, undefined, via(host)).finished;
  return { env, sandbox, place, workers, on };
}

/** The folder on the disk of a machine. */
async function disk(name: string, models: readonly string[] | null): Promise<string> {
  const folder = await tempFolder(`disk-${name}`);
  if (models === null) return folder;
  await writeModels(join(folder, 'models'), models);
  return folder;
}

const hostsOf = (identities: Set<string>) =>
  [...identities].map((identity) => identity.replace(/^[^@]+@/, '')).sort();

describe.skipIf(!mayUnshare)('two machines', () => {
  describe('folders that exist on only one machine', () => {
    let two: Machines;
    let disks: Record<string, string>;
    beforeAll(async () => {
      disks = { here: await disk('here', ['a', 'b']), there: await disk('there', null) };
      two = await machines(disks);
    });

    it('work runs on the machine that has the folders', async () => {
      const finished = await two.on('here', runArguments(two.place, '--wait', '--json'));
      const report = reportOf(finished);
      expect(report).toMatchObject({ outcome: 'complete', assets: { complete: 2 } });
      expect(await readdir(join(disks['here'] ?? '', 'pictures'))).toContain('a.png');
      expect(await readdir(disks['there'] ?? '')).toEqual([]);
      // The other machine may have taken the first activity, and reports its folders.
      const [run, ...shards] = await allHistories(two.env, report.run);
      const all = [run, ...shards].flatMap((one) => one?.events ?? []);
      const types = all.flatMap((event) => {
        const { activityTaskScheduledEventAttributes: scheduled } = event;
        return scheduled ? [[scheduled.activityType?.name, scheduled.taskQueue?.name]] : [];
      });
      const bound = types.filter(([, queue]) => queue?.includes('/host/here'));
      expect(bound.map(([type]) => type)).toContain('render_complete');
      const elsewhere = types.filter(([, queue]) => !queue?.includes('/host/'));
      expect(elsewhere.map(([type]) => type)).toEqual(['discover']);
    });

    it('a host without a worker is refused before anything starts', async () => {
      const args = runArguments(two.place, '--host', 'nowhere', '--json');
      const { code, stdout } = await two.on('here', args);
      expect(code).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({
        code: 'HOST_AWAY',
        message: 'No worker runs on host "nowhere"; workers run on here, there.',
      });
    });
  });

  describe('different folders at the same path', () => {
    let two: Machines;
    let disks: Record<string, string>;
    beforeAll(async () => {
      disks = { one: await disk('one', ['a']), other: await disk('other', ['b', 'c']) };
      two = await machines(disks);
    });

    it('a run ends before anything is paid for, and the error names the option that helps', async () => {
      const { code, stdout } = await two.on('one', runArguments(two.place, '--wait', '--json'));
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        code: 'FOLDERS_APART',
        message: expect.stringContaining(
          `"${two.place.folder}" is a different folder on each of one, other`,
        ),
        fix: expect.stringContaining('renderline run --host NAME'),
      });
      expect(await two.sandbox.stats()).toMatchObject({ created: { models: 0, jobs: 0 } });
    });

    it('a run works on the machine that a person specifies', async () => {
      const args = runArguments(two.place, '--host', 'other', '--wait', '--json');
      const report = reportOf(await two.on('one', args));
      expect(report).toMatchObject({ outcome: 'complete', assets: { complete: 2 } });
      expect(hostsOf(await activityWorkers(two.env, report.run))).toEqual(['other']);
    });
  });

  it('machines that share the folders work together without an option', async () => {
    const shared = await disk('shared', ['a', 'b', 'c']);
    const two = await machines({ left: shared, right: shared });
    const report = reportOf(await two.on('left', runArguments(two.place, '--wait', '--json')));
    expect(report).toMatchObject({ outcome: 'complete', assets: { complete: 3 } });
    const histories = await allHistories(two.env, report.run);
    const queues = histories.flatMap(({ events }) =>
      events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType?.name === 'probeFolders' ? [] : (scheduled?.taskQueue?.name ?? []),
      ),
    );
    expect(queues.filter((queue) => queue.includes('/host/'))).toEqual([]);
  });
});
