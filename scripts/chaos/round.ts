// Runs one round: starts all processes, injects faults, completes all pipelines without faults, stops, and checks.
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkRound } from './check/check.ts';
import { doubtsOf } from './check/doubts.ts';
import type { Evidence, Violation } from './check/evidence.ts';
import { findLeaks, readBooks, readLibrary, readPipeline } from './gather.ts';
import { replayAll } from './histories.ts';
import { haunt, type Victims } from './nemesis.ts';
import { type FaultKind, isOfModels, type RoundPlan } from './plan.ts';
import { makePlatform } from './platform.ts';
import { openProxy, type Proxy, type ProxyBook } from './proxy.ts';
import { commandsOf, endAll } from './runs.ts';
import { writeSources } from './sources.ts';
import { startDurableTemporal } from './temporal.ts';
import { startWorkers } from './workers.ts';
import { apiKeyOf, furnish } from './workspace.ts';

export interface RoundSetting {
  /** An empty folder for all files of the round. */
  folder: string;
  /** Path of the Temporal server's executable. */
  binary: string;
  /** Aborts the round. */
  signal: AbortSignal;
}

export interface RoundResult {
  violations: Violation[];
  /** Number of assets for which a report names a possible duplicate. */
  doubts: number;
  book: ProxyBook;
  seconds: number;
}

/** No round takes longer unless it hangs. */
const mostMs = 180_000;

/** The first run creates something long before this, unless it hangs. */
const mostIdleMs = 20_000;

/** Faults last until enough requests have met them, since a busy machine sends few; `mostMs` is the limit. */
const storm = { requests: 120, mostMs: 18_000, pieceMs: 1_500 };

type Stops = (() => Promise<unknown>)[];

/** Runs a round. @throws if it could not be run; violated invariants are in the result */
export async function playRound(plan: RoundPlan, setting: RoundSetting): Promise<RoundResult> {
  const began = performance.now();
  const stops: Stops = [];
  try {
    const { evidence, book } = await leaveEvidence(plan, setting, stops);
    const violations = checkRound(evidence);
    const doubts = new Set(doubtsOf(evidence.runs).map(({ key }) => key)).size;
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    return { violations, doubts, book, seconds };
  } finally {
    for (const stop of stops) await stop().catch(() => undefined);
  }
}

async function leaveEvidence(
  plan: RoundPlan,
  { folder, binary, signal: leave }: RoundSetting,
  stops: Stops,
): Promise<{ evidence: Evidence; book: ProxyBook }> {
  const signal = AbortSignal.any([leave, AbortSignal.timeout(mostMs)]);
  // Every worker and command of the round listens to this signal.
  setMaxListeners(0, signal);
  const apiKey = apiKeyOf(plan.seed);
  const sources = await writeSources(folder, plan);
  const platform = await makePlatform({ folder, apiKey, plan, signal });
  stops.unshift(() => platform.stop('SIGKILL'));
  const dbFilename = join(folder, 'temporal.db');
  const logFile = join(folder, 'temporal.log');
  const [temporal] = await Promise.all([
    startDurableTemporal({ binary, dbFilename, logFile }),
    platform.start().then(() => furnish(platform, plan)),
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
  const commands = commandsOf(folder, env);
  const workers = startWorkers(plan.workers, { env, folder, signal });
  stops.unshift(() => workers.stop());

  const count = (kind: FaultKind) => proxy.count(kind);
  const parts = { folder, plan, temporal, platform, workers, commands, sources, proxy };
  const victims = { ...parts, count, signal };
  const left = await play(victims, proxy, leave);
  await workers.stop();
  const replayed = left.isWhole ? await replayAll(temporal.env) : [];
  await Promise.all([temporal.close(), platform.stop('SIGTERM'), proxy.close()]);
  const evidence = await collect({ ...victims, left: { ...left, replayed } });
  return { evidence, book: proxy.book };
}

type Left = Pick<Evidence, 'unfinished' | 'runs' | 'open'> & { isWhole: boolean };

/** Runs the round; a round that takes too long is reported as unfinished. */
async function play(victims: Victims, proxy: Proxy, leave: AbortSignal): Promise<Left> {
  const { signal } = victims;
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    // The race keeps a hanging command from delaying the end of the round.
    return { ...(await Promise.race([inWeather(victims, proxy), late])), isWhole: true };
  } catch (error) {
    if (leave.aborted || !signal.aborted) throw error;
    const unfinished = [`the round did not end in ${mostMs / 1_000} s`];
    return { unfinished, runs: [], open: [], isWhole: false };
  }
}

async function inWeather(victims: Victims, proxy: Proxy): Promise<Omit<Left, 'isWhole'>> {
  const { plan, workers, commands, signal } = victims;
  // The runs wait in Temporal until the first worker polls.
  const starting = plan.pipelines.map((pipeline) => commands.start(pipeline));
  await workers.first;
  proxy.storm();
  await Promise.race([proxy.begun, delay(mostIdleMs, undefined, { signal })]);
  const calm = untilFine(victims, proxy).then(() => proxy.calm());
  await Promise.all([...starting, haunt(victims), calm]);
  return endAll(commands, plan.pipelines);
}

/** Resolves when enough requests have met faults, or when no requests come any more. */
async function untilFine({ plan, signal }: Victims, { book }: Proxy): Promise<void> {
  await delay(plan.fineAtMs, undefined, { signal });
  let before = 0;
  for (let ms = plan.fineAtMs; ms < storm.mostMs; ms += storm.pieceMs) {
    if (book.requests >= storm.requests || book.requests === before) return;
    before = book.requests;
    await delay(storm.pieceMs, undefined, { signal });
  }
}

async function collect(
  from: Victims & { left: Omit<Left, 'isWhole'> & Pick<Evidence, 'replayed'> },
): Promise<Evidence> {
  const { plan, folder, platform, sources, proxy, left } = from;
  const { unfinished, runs, open, replayed } = left;
  const books = await readBooks(platform);
  const known = { root: folder, pipelines: plan.pipelines, sources, books };
  return {
    unfinished,
    runs,
    open,
    replayed,
    pipelines: await Promise.all(
      plan.pipelines.filter(isOfModels).map((one) => readPipeline(one, known)),
    ),
    libraries: await Promise.all(
      plan.pipelines.filter((one) => !isOfModels(one)).map((one) => readLibrary(one, known)),
    ),
    books,
    leaks: await findLeaks(folder, platform.apiKey),
    network: proxy.book,
  };
}
