// A platform that was restored from a backup, or whose objects were deleted: one rerun creates the missing objects
// again, from the last stage that still exists, and pays for nothing else.
import { expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { inLaneWith, type Lane } from '../system/_lane.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectPictures,
  type PipelineFolder,
  reportOf,
  runToEnd,
  writePipeline,
} from '../system/_runs.ts';
import { type Env, type Stoppable, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { startWorkerWith } from '../system/_workers.ts';

const temporal = useTemporal();
useProcesses();

/** A worker that treats a missing object as deleted immediately; other workers wait for two minutes. */
const soonCertain = (env: Env) => startWorkerWith(env, { consistencyWindowMs: 1 });

const assets = 6;
type AnyLane = Lane<Stoppable>;
type Stats = Awaited<ReturnType<AnyLane['sandbox']['stats']>>;

interface Failed {
  place: PipelineFolder;
  keys: string[];
  run: string;
  before: Stats;
}

/** A run whose assets all failed: their renders timed out, or failed on the platform. */
async function failed(lane: AnyLane, name: string, how: 'late' | 'broken'): Promise<Failed> {
  const place = await createPipelineFolder(name, {
    renderTimeout: how === 'late' ? '1s' : '1m',
    maxRetries: 0,
  });
  const keys = names(name, assets);
  await writeModels(place.folder, keys);
  // The time is long enough that a slow machine, too, polls between the timeout and the end.
  const late = { render: '**', do: { durationMs: 6_000 } };
  const broken = { render: '**', do: { failure: 'no light' } };
  const rules = [how === 'late' ? late : broken];
  const { run, failures } = await lane.withFaults(rules, () => runToEnd(place, lane.env, 1));
  const code = how === 'late' ? 'RENDER_TIMEOUT' : 'RENDER_FAILED';
  expect(failures.map((failure) => failure.code)).toEqual(keys.map(() => code));
  if (how === 'late') {
    await waitUntil('all renders have ended', async () => {
      const { renders } = (await lane.sandbox.api('GET', '/renders?limit=100')) as {
        renders: { name: string }[];
      };
      return renders.length >= assets;
    });
  }
  await writePipeline(place, { renderTimeout: '1m', maxRetries: 0 });
  return { place, keys, run, before: await lane.sandbox.stats() };
}

async function remove(lane: AnyLane, kind: 'projects' | 'models', keys: readonly string[]) {
  for (const key of keys) {
    const id = await (kind === 'projects' ? lane.projectNamed(key) : lane.modelNamed(key));
    await lane.sandbox.api('DELETE', `/${kind}/${id}`);
  }
}

/** Expects that one rerun delivers all pictures. @returns what the platform has created for it */
async function made(lane: AnyLane, { run, keys, before }: Failed) {
  const words = ['rerun', run, '--failed', '--with', 'latest', '--yes', '--wait', '--json'];
  await expectPictures(reportOf(await runInProcess(words, lane.env)), keys);
  const { created } = await lane.sandbox.stats();
  return {
    models: created.models - before.created.models,
    projects: created.projects - before.created.projects,
    renderJobs: created.renderJobs - before.created.renderJobs,
  };
}

inLaneWith(soonCertain, 'one rerun', temporal, (lane) => {
  test('one rerun fetches late renders if nothing is missing', async () => {
    const run = await failed(lane, 'whole', 'late');
    expect(await made(lane, run)).toEqual({ models: 0, projects: 0, renderJobs: 0 });
  });

  test('one rerun creates projects and renders again if all projects are missing and no render has succeeded', async () => {
    const run = await failed(lane, 'undrawn', 'broken');
    await remove(lane, 'projects', run.keys);
    expect(await made(lane, run)).toEqual({ models: 0, projects: assets, renderJobs: assets });
  });

  test('one rerun creates projects and renders again if all projects are missing, together with their completed renders', async () => {
    const run = await failed(lane, 'drawn', 'late');
    await remove(lane, 'projects', run.keys);
    expect(await made(lane, run)).toEqual({ models: 0, projects: assets, renderJobs: assets });
  });

  test('one rerun reuses the objects that still exist if a model and three projects are missing', async () => {
    const run = await failed(lane, 'some', 'late');
    const [first = '', second = '', third = ''] = run.keys;
    await remove(lane, 'projects', [first, second, third]);
    await remove(lane, 'models', [first]);
    expect(await made(lane, run)).toEqual({ models: 1, projects: 3, renderJobs: 3 });
  });
});
