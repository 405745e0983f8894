// A run of 90 assets is cancelled in each of its phases: the report adds up, no temporary file or claim remains, and
// the next run takes all assets and pays for nothing twice.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startWorkerInProcess } from '../system/_in-process.ts';
import { inLane, type Lane } from '../system/_lane.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectPictures,
  type PipelineFolder,
  runIdOf,
  runToEnd,
  startRun,
} from '../system/_runs.ts';
import { fastSandbox, type SandboxStats } from '../system/_sandbox.ts';
import { type Env, type RunningCommand, useProcesses, waitWhileRunning } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { behindProxy, type FileProxy, temporaryFiles, truncateAt } from './_file-proxy.ts';

const temporal = useTemporal();
useProcesses();

/** Two batches of most calls, so that one may be in progress while the other waits. */
const assets = 90;

interface Started {
  lane: Lane;
  place: PipelineFolder;
  running: RunningCommand;
  before: SandboxStats;
}

interface Phase {
  /** Faults that hold the run in the phase. They are removed before the next run. */
  faults?: unknown[];
  holdFiles?: (proxy: FileProxy) => void;
  isReached: (run: Started, proxy: FileProxy | undefined) => Promise<boolean>;
  /** True if the run ends before it knows its assets. */
  knowsNothing?: true;
}

const asked = async ({ lane, before }: Started, operation: string) =>
  (await lane.requestsOf(operation)) > (before.requests[operation] ?? 0);

const phases: [name: string, Phase][] = [
  [
    'discovering',
    {
      // The template is looked up before anything is begun.
      faults: [{ match: 'listTemplates', do: { status: 503 } }],
      isReached: (run) => asked(run, 'listTemplates'),
      knowsNothing: true,
    },
  ],
  [
    'creating',
    {
      // The first call works, and is cancelled before or after its response; all other calls are refused.
      faults: [
        { match: 'createProjects', nth: 1, do: { delayMs: 1_500 } },
        { match: 'createProjects', do: { status: 503 } },
        { match: 'createRenders', do: { status: 503 } },
      ],
      isReached: (run) => asked(run, 'createProjects'),
    },
  ],
  [
    'rendering',
    {
      faults: [{ render: '**', do: { durationMs: 60_000 } }],
      isReached: async ({ lane, before }) => {
        const { created } = await lane.sandbox.stats();
        return created.renderJobs - before.created.renderJobs === assets;
      },
    },
  ],
];

const phasesOfFiles: typeof phases = [
  [
    'uploading',
    {
      holdFiles: (proxy) => proxy.holdUploadsAfter(30),
      isReached: async (_run, proxy) => (proxy?.heldUploads ?? 0) > 0,
    },
  ],
  [
    'delivering',
    {
      holdFiles: (proxy) => {
        proxy.chooseFault = () =>
          proxy.downloadCounts.size > 20 ? truncateAt(0.5, () => undefined) : null;
      },
      isReached: async (_run, proxy) => (proxy?.downloadCounts.size ?? 0) > 24,
    },
  ],
];

/** Two lanes of 90 assets are slow on a busy machine. */
const patienceMs = 300_000;

inLane(
  'a run that is cancelled',
  temporal,
  (lane) => {
    test.each(phases)(
      'the report of a run that is cancelled while it is %s adds up, and the next run takes all assets',
      (name, phase) => cancelledIn(name, phase, lane, lane.env),
      patienceMs,
    );
  },
  fastSandbox,
);

inLane(
  'a run that is cancelled while files are on their way',
  temporal,
  (lane) => {
    test.each(phasesOfFiles)(
      'the report of a run that is cancelled while it is %s files adds up, and the next run takes all assets',
      async (name, phase) => {
        const { proxy, env } = await behindProxy(lane, temporal.env);
        const worker = await startWorkerInProcess(env);
        await cancelledIn(name, phase, lane, env, proxy);
        await worker.stop();
      },
      patienceMs,
    );
  },
  fastSandbox,
);

async function cancelledIn(name: string, phase: Phase, lane: Lane, env: Env, proxy?: FileProxy) {
  const { faults = [], holdFiles, isReached, knowsNothing } = phase;
  const place = await createPipelineFolder(name);
  const keys = names(name, assets);
  await writeModels(place.folder, keys);
  const before = await lane.sandbox.stats();
  await lane.sandbox.set('faults', faults);
  if (proxy) holdFiles?.(proxy);
  const running = startRun(place, env);
  const run = await runIdOf(running);
  await waitWhileRunning(running, `it is ${name}`, () =>
    isReached({ lane, place, running, before }, proxy),
  );
  expect(await lane.control('cancel', run)).toMatchObject({ action: 'cancel' });
  await running.finished;

  const shown = await lane.show(run);
  const none = { complete: 0, failed: 0, skipped: 0, unchanged: 0 };
  expect(shown).toMatchObject({
    outcome: 'cancelled',
    discovered: knowsNothing !== true,
    assets: { ...none, total: knowsNothing ? 0 : assets, cancelled: knowsNothing ? 0 : assets },
  });
  const told = shown.results.filter(({ outcome }) => outcome === 'cancelled');
  expect(told).toHaveLength(knowsNothing ? 0 : assets);
  expect(await temporaryFiles(place.root)).toEqual([]);

  await lane.sandbox.set('faults', []);
  proxy?.releaseUploads();
  await expectPictures(await runToEnd(place, env), keys);
  expect(await temporaryFiles(place.root)).toEqual([]);
  expect(await readdir(join(place.out, '.renderline', 'pictures', 'claims'))).toEqual([]);
  const after = await lane.sandbox.stats();
  const stopped = await cancelledJobs(lane, shown.results);
  expect({
    models: after.created.models - before.created.models,
    projects: after.created.projects - before.created.projects,
    renderJobs: after.created.renderJobs - before.created.renderJobs - stopped,
  }).toEqual({ models: assets, projects: assets, renderJobs: assets });
}

/** Number of these render jobs that the platform has cancelled. */
async function cancelledJobs(lane: Lane, results: { platformIds: { jobId?: string } }[]) {
  const statuses = results.map(async ({ platformIds }) => {
    if (platformIds.jobId === undefined) return '';
    return ((await lane.sandbox.api('GET', `/renders/${platformIds.jobId}`)) as { status: string })
      .status;
  });
  return (await Promise.all(statuses)).filter((status) => status === 'CANCELLED').length;
}
