// Runs one round: starts all processes, injects faults, completes all pipelines without faults, stops, and checks.
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTimeoutSignal } from '../../src/api/abort.ts';
import { checkRound } from './check/check.ts';
import type { Evidence, Violation } from './check/evidence.ts';
import { possibleDuplicatesIn } from './check/possible-duplicates.ts';
import { findLeaks, readLibrary, readPipeline, readPlatformState } from './collect-evidence.ts';
import { injectFaults, type RoundContext } from './fault-injector.ts';
import { type FaultKind, hasModels, type RoundPlan } from './plan.ts';
import { createPlatform } from './platform.ts';
import { openProxy, type Proxy, type ProxyCounts } from './proxy.ts';
import { replayAll } from './replay-histories.ts';
import { createCommands, finishAll } from './runs.ts';
import { writeSources } from './sources.ts';
import { startDurableTemporal } from './temporal.ts';
import { startWorkers } from './workers.ts';
import { apiKeyOf, seedWorkspace } from './workspace.ts';

export interface RoundEnvironment {
  /** An empty folder for all files of the round. */
  folder: string;
  /** Path of the Temporal server's executable. */
  binary: string;
  signal: AbortSignal;
}

export interface RoundResult {
  violations: Violation[];
  /** Number of assets for which a report mentions a possible duplicate. */
  possibleDuplicates: number;
  proxyCounts: ProxyCounts;
  seconds: number;
}

/** Time limit of a round. A round takes this long only if it hangs. */
const maxMs = 180_000;

/** Unless it hangs, the first run creates something long before this time. */
const maxIdleMs = 20_000;

/** Faults last until enough requests have been sent, because a busy machine sends few. `maxMs` is the limit. */
const faultWindow = { requests: 120, maxMs: 18_000, pollIntervalMs: 1_500 };

type StopFunctions = (() => Promise<unknown>)[];

/** Runs a round. @throws if the round could not be run. Violated invariants are part of the result */
export async function runRound(plan: RoundPlan, setting: RoundEnvironment): Promise<RoundResult> {
  const began = performance.now();
  const stops: StopFunctions = [];
  try {
    const { evidence, book } = await runAndCollect(plan, setting, stops);
    const violations = checkRound(evidence);
    const possibleDuplicates = new Set(possibleDuplicatesIn(evidence.runs).map(({ key }) => key))
      .size;
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    return { violations, possibleDuplicates, proxyCounts: book, seconds };
  } finally {
    for (const stop of stops) await stop().catch(() => undefined);
  }
}

async function runAndCollect(
  plan: RoundPlan,
  { folder, binary, signal: leave }: RoundEnvironment,
  stops: StopFunctions,
): Promise<{ evidence: Evidence; book: ProxyCounts }> {
  const signal = createTimeoutSignal(maxMs, leave);
  // The limit is lifted, because every worker and command of the round listens to this signal.
  setMaxListeners(0, signal);
  const apiKey = apiKeyOf(plan.seed);
  const sources = await writeSources(folder, plan);
  const platform = await createPlatform({ folder, apiKey, plan, signal });
  stops.unshift(() => platform.stop('SIGKILL'));
  const dbFilename = join(folder, 'temporal.db');
  const logFile = join(folder, 'temporal.log');
  const [temporal] = await Promise.all([
    startDurableTemporal({ binary, dbFilename, logFile }),
    platform.start().then(() => seedWorkspace(platform, plan)),
  ]);
  stops.unshift(() => temporal.close());
  const proxy = await openProxy(platform.origin, plan);
  stops.unshift(() => proxy.close());
  const env = {
    ...temporal.env,
    RENDERLINE_BASE_URL: proxy.url,
    RENDERLINE_API_KEY: apiKey,
    RENDERLINE_TASK_QUEUE: 'chaos',
  };
  const commands = createCommands(folder, env);
  const workers = startWorkers(plan.workers, { env, folder, signal });
  stops.unshift(() => workers.stop());

  const count = (kind: FaultKind) => proxy.countFault(kind);
  const parts = { folder, plan, temporal, platform, workers, commands, sources, proxy };
  const context = { ...parts, countFault: count, signal };
  const outcome = await runWithTimeout(context, proxy, leave);
  await workers.stop();
  const replayed = outcome.isWhole ? await replayAll(temporal.env) : [];
  await Promise.all([temporal.close(), platform.stop('SIGTERM'), proxy.close()]);
  const evidence = await collectEvidence({ ...context, outcome: { ...outcome, replayed } });
  return { evidence, book: proxy.counts };
}

type RoundOutcome = Pick<Evidence, 'unfinished' | 'runs' | 'openRuns'> & { isWhole: boolean };

/** Runs the round. A round that takes too long is reported as unfinished. */
async function runWithTimeout(
  context: RoundContext,
  proxy: Proxy,
  leave: AbortSignal,
): Promise<RoundOutcome> {
  const { signal } = context;
  const timeout = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    // The race prevents a hanging command from delaying the end of the round.
    return { ...(await Promise.race([runWithFaults(context, proxy), timeout])), isWhole: true };
  } catch (error) {
    if (leave.aborted || !signal.aborted) throw error;
    const unfinished = [`the round did not end in ${maxMs / 1_000} s`];
    return { unfinished, runs: [], openRuns: [], isWhole: false };
  }
}

async function runWithFaults(
  context: RoundContext,
  proxy: Proxy,
): Promise<Omit<RoundOutcome, 'isWhole'>> {
  const { plan, workers, commands, signal } = context;
  // The runs wait in Temporal until the first worker polls.
  const starting = plan.pipelines.map((pipeline) => commands.start(pipeline));
  await workers.first;
  proxy.startFaults();
  await Promise.race([proxy.firstCreation, delay(maxIdleMs, undefined, { signal })]);
  const faultsEnded = waitUntilFaultsEnd(context, proxy).then(() => proxy.stopFaults());
  await Promise.all([...starting, injectFaults(context), faultsEnded]);
  return finishAll(commands, plan.pipelines);
}

/** Resolves, not before `faultsEndAtMs`, when enough requests were sent, no more arrive, or `maxMs` is reached. */
async function waitUntilFaultsEnd(
  { plan, signal }: RoundContext,
  { counts: book }: Proxy,
): Promise<void> {
  await delay(plan.faultsEndAtMs, undefined, { signal });
  let requestsBefore = 0;
  for (let ms = plan.faultsEndAtMs; ms < faultWindow.maxMs; ms += faultWindow.pollIntervalMs) {
    if (book.requests >= faultWindow.requests || book.requests === requestsBefore) return;
    requestsBefore = book.requests;
    await delay(faultWindow.pollIntervalMs, undefined, { signal });
  }
}

async function collectEvidence(
  context: RoundContext & { outcome: Omit<RoundOutcome, 'isWhole'> & Pick<Evidence, 'replayed'> },
): Promise<Evidence> {
  const { plan, folder, platform, sources, proxy, outcome } = context;
  const { unfinished, runs, openRuns, replayed } = outcome;
  const platformState = await readPlatformState(platform);
  const inputs = { root: folder, pipelines: plan.pipelines, sources, platformState };
  return {
    unfinished,
    runs,
    openRuns,
    replayed,
    pipelines: await Promise.all(
      plan.pipelines.filter(hasModels).map((pipeline) => readPipeline(pipeline, inputs)),
    ),
    libraries: await Promise.all(
      plan.pipelines
        .filter((pipeline) => !hasModels(pipeline))
        .map((pipeline) => readLibrary(pipeline, inputs)),
    ),
    platformState,
    leaks: await findLeaks(folder, platform.apiKey),
    network: proxy.counts,
  };
}
