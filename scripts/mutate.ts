// `npm run mutate -- --only FOLDER --count N --seed S`: makes small code changes and checks that tests detect them.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Area, areas, testAreaOf } from './mutate/areas.ts';
import { type Copy, copyTree } from './mutate/copy.ts';
import { choose, type Mutant, mutantsOf } from './mutate/mutants.ts';
import { checkTypes, failureIn, runTests } from './mutate/run-tests.ts';
import { wholeNumber } from './whole-number.ts';

const usage = `npm run mutate -- --only FOLDER,FOLDER --count N --seed S [--list]
Folders or files in: ${areas.map(({ folder }) => folder).join(', ')}`;
/** Time limit of tests, because a mutant may loop forever. Other mutants take about as long as unchanged code. */
const hangs = { minMs: 30_000, times: 2 };

function findArea(path: string): Area {
  const area = testAreaOf(path);
  if (area) return area;
  throw new Error(`--only: scripts/mutate/areas.ts lists no tests for "${path}"\n${usage}`);
}

async function chosenIn(copy: Copy, only: string, count: number, seed: number): Promise<Mutant[]> {
  const paths = copy.filesIn(only).filter((path) => path.endsWith('.ts'));
  if (paths.length === 0)
    throw new Error(`--only: there is no TypeScript file in "${only}"\n${usage}`);
  const mutants = await Promise.all(
    paths.map(async (path) => mutantsOf(path, await copy.read(path))),
  );
  return choose(mutants.flat(), count, seed);
}

/** Returns the duration of the tests without a change. @throws Error if they fail */
async function timeOf(copy: Copy, { tests, folder }: Area, signal: AbortSignal): Promise<number> {
  const { passed, tookMs, output } = await runTests(copy.folder, tests, {
    timeoutMs: 15 * 60_000,
    signal,
  });
  if (passed) return tookMs;
  throw new Error(`the tests of ${folder} fail without any change:\n${output}`);
}

/** Reports each mutant that neither a test nor the compiler detects. @returns the number of detected mutants */
async function score(copy: Copy, area: Area, mutants: readonly Mutant[]): Promise<number> {
  const { folder } = copy;
  const { signal } = leaving;
  const usualMs = await timeOf(copy, area, signal);
  const limits = { timeoutMs: hangs.minMs + hangs.times * usualMs, signal };
  let noticed = 0;
  for (const [index, mutant] of mutants.entries()) {
    const startedMs = performance.now();
    const notice = await copy.withMutant(mutant, async () => {
      const tested = await runTests(folder, area.tests, limits);
      if (!tested.passed) return failureIn(tested);
      return (await checkTypes(folder, limits)).passed ? null : 'the compiler';
    });
    if (notice === null) reportSurvivor(mutant);
    else noticed += 1;
    const verdict = notice === null ? 'survived' : `noticed by ${notice}`;
    const label = `${index + 1}/${mutants.length} ${mutant.path}:${mutant.line}`;
    console.error(`${label}, ${secondsSince(startedMs)} s: ${verdict}`);
  }
  return noticed;
}

function secondsSince(startedMs: number): number {
  return Math.round((performance.now() - startedMs) / 1_000);
}

function reportSurvivor({ path, line, lineBefore, lineAfter }: Mutant): void {
  console.log(`survived  ${path}:${line}\n  - ${lineBefore}\n  + ${lineAfter}`);
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: areas.map(({ folder }) => folder).join(',') },
    count: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
  },
});
const count = wholeNumber('--count', values.count, 0, usage);
const seed = wholeNumber('--seed', values.seed, 0, usage);
const leaving = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => leaving.abort());

// This file runs as dist/scripts/mutate.js.
const copy = await copyTree(fileURLToPath(new URL('../../', import.meta.url)));
try {
  for (const only of values.only.split(',')) {
    const mutants = await chosenIn(copy, only, count, seed);
    if (values.list) {
      mutants.forEach(reportSurvivor);
      continue;
    }
    const startedMs = performance.now();
    const noticed = await score(copy, findArea(only), mutants);
    const seconds = secondsSince(startedMs);
    const share = Math.round((100 * noticed) / Math.max(mutants.length, 1));
    console.log(`${only}: ${noticed} of ${mutants.length} noticed (${share} %), ${seconds} s`);
  }
} catch (error) {
  if (!leaving.signal.aborted) throw error;
  process.exitCode = 130;
} finally {
  await copy.remove();
}
