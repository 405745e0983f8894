// `npm run chaos -- --rounds N --seed S --at-once N`: runs seeded rounds with injected faults, then checks the results
// independently of the engine.
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { mapBounded } from '../src/store/objects/map-bounded.ts';
import { findTemporalServer } from '../src/temporal/server/find-server.ts';
import { type FaultKind, faultKinds, planRound } from './chaos/plan.ts';
import type { ProxyCounts } from './chaos/proxy.ts';
import { runRound } from './chaos/round.ts';
import { wholeNumber } from './whole-number.ts';

const usage = `npm run chaos -- --rounds N --seed S --at-once N --without KIND,KIND --only KIND,KIND
Kinds: ${faultKinds.join(', ')}`;

function kindsOf(name: string, text: string): FaultKind[] {
  return text.split(',').flatMap((word) => {
    if (word === '') return [];
    const kind = faultKinds.find((faultKind) => faultKind === word);
    if (kind) return [kind];
    throw new Error(`--${name}: unknown kind "${word}"\n${usage}`);
  });
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '1' },
    without: { type: 'string', default: '' },
    only: { type: 'string' },
  },
});
const rounds = wholeNumber('--rounds', values.rounds, 0, usage);
const firstSeed = wholeNumber('--seed', values.seed, 0, usage);
const atOnce = wholeNumber('--at-once', values['at-once'], 1, usage);
const choice = {
  without: kindsOf('without', values.without),
  ...(values.only === undefined ? {} : { only: kindsOf('only', values.only) }),
};

const shutdown = new AbortController();
// Every running round listens to this signal, so the default limit on listeners is too low.
setMaxListeners(0, shutdown.signal);
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => shutdown.abort());

/** Only the first violations are printed, because one fault often causes many. */
const maxLines = 5;

/** Number of rounds in which each kind of fault was planned (`due`) and in which it actually occurred (`occurred`). */
const tally = new Map<FaultKind, { due: number; occurred: number }>();

function tallyFaults(due: readonly FaultKind[], faults: ProxyCounts['faults']): void {
  for (const kind of due) {
    const counts = tally.get(kind) ?? { due: 0, occurred: 0 };
    tally.set(kind, { due: counts.due + 1, occurred: counts.occurred + (faults[kind] ? 1 : 0) });
  }
}

/** Runs one round and prints a line about it. @returns whether all invariants held */
async function runSeed(seed: number, folder: string, binary: string): Promise<boolean> {
  const plan = planRound(seed, choice);
  await writeFile(join(folder, 'plan.json'), JSON.stringify(plan, null, 2));
  const pipelines = plan.pipelines.map(({ name, models }) => `${name}(${models})`).join(' ');
  const setting = { folder, binary, signal: shutdown.signal };
  const {
    violations,
    possibleDuplicates,
    proxyCounts: book,
    seconds,
  } = await runRound(plan, setting);
  const faults = Object.entries(book.faults).map(([fault, count]) => `${fault} ${count}`);
  const met = `${book.requests} requests (${faults.join(', ')})`;
  tallyFaults(plan.faults, book.faults);
  const duplicatesNote =
    possibleDuplicates > 0 ? `; ${possibleDuplicates} possible duplicates are reported` : '';
  const verdict = violations.length === 0 ? 'held' : `${violations.length} VIOLATIONS, ${folder}`;
  const summary = `seed ${seed}: ${pipelines}; ${plan.faults.join(' ')}`;
  console.log(`${summary}; ${met}; ${seconds} s${duplicatesNote}; ${verdict}`);
  if (violations.length === 0) {
    await rm(folder, { recursive: true, force: true });
    return true;
  }
  await writeFile(join(folder, 'violations.json'), JSON.stringify(violations, null, 2));
  for (const { invariant, what } of violations.slice(0, maxLines)) {
    console.log(`  ${invariant} ${what}`);
  }
  if (violations.length > maxLines) console.log(`  and more in ${folder}/violations.json`);
  return false;
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const onProgress = (line: string) => console.error(line);
const { path: binary } = await findTemporalServer({ env: process.env, onProgress });
const seeds = Array.from({ length: rounds }, (_, index) => firstSeed + index);
const results = await mapBounded(
  seeds,
  async (seed) => {
    const folder = await mkdtemp(join(tmpdir(), `renderline-chaos-${seed}-`));
    try {
      return await runSeed(seed, folder, binary);
    } catch (error) {
      if (!shutdown.signal.aborted) throw new Error(`seed ${seed}, ${folder}`, { cause: error });
      await rm(folder, { recursive: true, force: true });
      // Commands of the round may still be running. They end together with this process.
      process.exit(130);
    }
  },
  { maxConcurrent: atOnce },
);
if (results.includes(false)) process.exitCode = 1;
const occurrences = [...tally].map(([kind, { due, occurred }]) => `${kind} ${occurred}/${due}`);
// A fault that never occurred proves nothing, so the counts are printed.
if (rounds > 1) {
  const count = results.filter(Boolean).length;
  console.log(`${count} of ${rounds} rounds held`);
  console.log(`rounds in which faults have struck: ${occurrences.join(', ')}`);
}
