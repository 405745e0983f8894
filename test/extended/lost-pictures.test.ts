// Pictures that exist neither at their destination nor on the platform: they are rendered again if a person or the file
// allows it, and nothing else is paid.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { inLaneWith, type Lane } from '../system/_lane.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  reportOf,
  runArguments,
  runToEnd,
} from '../system/_runs.ts';
import { type Env, type Stoppable, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { startWorkerWith } from '../system/_workers.ts';

const temporal = useTemporal();
useProcesses();

/** A worker with a consistency window of one millisecond; other workers have two minutes. */
const soonCertain = (env: Env) => startWorkerWith(env, { consistencyWindowMs: 1 });

type AnyLane = Lane<Stoppable>;

/** A pipeline that has delivered three pictures and now has other file names. Of the first picture nothing is left. */
async function lost(lane: AnyLane, name: string) {
  const place = await createPipelineFolder(name);
  const keys = names(name, 3);
  await writeModels(place.folder, keys);
  await runToEnd(place, lane.env);
  const [key = ''] = keys;
  await rm(join(place.out, `${key}.png`));
  await lane.sandbox.api('DELETE', `/projects/${await lane.projectNamed(key)}`);
  await change(place, (text) => text.replace('{{ key }}.{{ ext }}', 'web/{{ key }}.{{ ext }}'));
  return { place, key, keys };
}

async function change(place: PipelineFolder, edit: (text: string) => string): Promise<void> {
  await writeFile(place.file, edit(await readFile(place.file, 'utf8')));
}

async function planned(place: PipelineFolder, { env }: AnyLane): Promise<unknown> {
  const [, ...given] = runArguments(place);
  const { stdout, stderr } = await runInProcess(['plan', ...given, '--json'], env);
  expect(stderr).not.toContain('fault');
  return JSON.parse(stdout);
}

async function created({ sandbox }: AnyLane) {
  const { models, projects, renderJobs } = (await sandbox.stats()).created;
  return { models, projects, renderJobs };
}

inLaneWith(soonCertain, 'a picture that exists nowhere any more', temporal, (lane) => {
  test('a lost picture is planned as a render, and fails with OUTPUT_GONE as long as nothing allows paying for it', async () => {
    const { place, key, keys } = await lost(lane, 'asked');
    // Of another picture only the file is gone: the platform still has the picture.
    await rm(join(place.out, `${keys[1]}.png`));
    expect(await planned(place, lane)).toMatchObject({
      renders: 1,
      startPoints: expect.arrayContaining([
        { startStage: 'composition', assets: 1 },
        { startStage: 'delivery', assets: 2 },
      ]),
      redelivery: { assets: 3, inspected: 3, missing: 2, askedPlatform: 2, lost: 1 },
    });
    const before = await created(lane);
    const { failures, files } = await runToEnd(place, lane.env, 3);
    expect(failures).toMatchObject([{ key, code: 'OUTPUT_GONE' }]);
    expect(failures[0]?.message).toContain(`"${key}.png"`);
    expect(files.map((file) => file.key)).toEqual(keys.slice(1));
    expect(await created(lane)).toEqual(before);
    // No later run renders the picture without permission, and --yes is not a permission.
    const later = await runInProcess(runArguments(place, '--yes', '--wait', '--json'), lane.env);
    expect(reportOf(later, 3).failures).toMatchObject([{ code: 'OUTPUT_GONE' }]);
    expect(await created(lane)).toEqual(before);
    const word = await runInProcess(
      runArguments(place, '--rerender-lost', '--wait', '--json'),
      lane.env,
    );
    expect(reportOf(word).files).toMatchObject([{ key, path: `web/${key}.png` }]);
    const after = { ...before, projects: before.projects + 1, renderJobs: before.renderJobs + 1 };
    expect(await created(lane)).toEqual(after);
  });

  test('a lost picture is rendered again if the file limits the number of renders', async () => {
    const { place, keys } = await lost(lane, 'capped');
    await change(place, (text) => text.replace('nodes:\n', 'limits: { renders: 5 }\nnodes:\n'));
    const before = await created(lane);
    expect((await runToEnd(place, lane.env)).files).toHaveLength(keys.length);
    const after = { ...before, projects: before.projects + 1, renderJobs: before.renderJobs + 1 };
    expect(await created(lane)).toEqual(after);
  });

  test('a rerun renders a lost picture again, but not a picture that still exists', async () => {
    const { place, keys } = await lost(lane, 'rerun');
    const [, second = ''] = keys;
    await lane.sandbox.api('DELETE', `/projects/${await lane.projectNamed(second)}`);
    const inTheWay = join(place.out, 'web', `${second}.png`);
    await mkdir(inTheWay, { recursive: true });
    const before = await created(lane);
    const { run, failures } = await runToEnd(place, lane.env, 3);
    expect(failures.map(({ key }) => key).sort()).toEqual(keys.slice(0, 2));
    await rm(inTheWay, { recursive: true });
    const words = ['rerun', run, '--failed', '--with', 'latest', '--yes', '--wait', '--json'];
    expect(reportOf(await runInProcess(words, lane.env)).assets).toMatchObject({ complete: 2 });
    const after = { ...before, projects: before.projects + 1, renderJobs: before.renderJobs + 1 };
    expect(await created(lane)).toEqual(after);
  });
});
