import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { waitForAbort } from '../../api/abort.ts';
import { compileFile } from '../../compile/compile.ts';
import { readShared } from '../../compile/shared/read-shared.ts';
import type { CheckedTests } from '../../compile/test-file/check-tests.ts';
import type { PipelineTest, TestFile, TestRun } from '../../compile/test-file/test-file.ts';
import type { Path } from '../../compile/yaml/document.ts';
import { commandFailures } from '../../failures/commands.ts';
import { toDurationMs } from '../../language/duration.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { SandboxPackage } from '../../sandbox/interface.ts';
import type { Environment } from '../../settings/environment.ts';
import { TemporalServerNotFoundError } from '../../temporal/server/server-search.ts';
import { CleanupStack } from '../cleanup-stack.ts';
import { explainError, RenderlineError } from '../renderline-error.ts';
import { readFreshProgress } from '../runs/fresh-progress.ts';
import {
  checkExpectations,
  checkStarts,
  type Mismatch,
  type PipelineTestResult,
  type PlacedMismatch,
} from './check-expectations.ts';
import { type ExecutedRun, executeRun } from './execute-run.ts';
import { startNoticeRecorder } from './notice-recorder.ts';
import { preparePlatform, uploadModels } from './platform-state.ts';
import type { Snapshots } from './snapshots.ts';
import { openTestBed, type TestBed } from './workers/test-bed.ts';

export interface TestCase {
  checkedFile: CheckedTests;
  tests: TestFile;
  test: PipelineTest;
  path: Path;
}

export interface TestResult extends PipelineTestResult {
  runs: ExecutedRun[];
}

export interface RunTestOptions {
  /** Returns the path of the start script of the time-skipping Temporal server. */
  server: () => Promise<string>;
  maker: SandboxPackage;
  environment: Environment;
  timeoutMs: number;
  stop: AbortSignal;
  note: (text: string) => void;
  snapshots: Snapshots;
}

/** Runs a test. Failures are part of the result. Throws only if the person interrupts, or if there is no server. */
export async function runTest(testCase: TestCase, options: RunTestOptions): Promise<TestResult> {
  const { checkedFile, test, path } = testCase;
  const { line } = positionOf(checkedFile, [...path, 'name']);
  const base = { name: test.name, file: checkedFile.file, line, mismatches: [], runs: [] };
  if (test.skip !== undefined) return { ...base, outcome: 'skipped', ms: 0, reason: test.skip };
  options.stop.throwIfAborted();
  const startedAtMs = performance.now();
  const startedTest: StartedTest = { opening: null, testBed: null, run: null, runs: [] };
  const end = (findings: Pick<TestResult, 'mismatches' | 'reason'>): TestResult => {
    const isFine = findings.mismatches.length === 0 && findings.reason === '';
    const outcome = isFine ? 'passed' : 'failed';
    const ms = Math.round(performance.now() - startedAtMs);
    return { ...base, ...findings, runs: startedTest.runs, outcome, ms };
  };
  const resources = new CleanupStack(options.note);
  try {
    const timeoutMs = test.timeout === undefined ? options.timeoutMs : toDurationMs(test.timeout);
    const mismatches = await Promise.race([
      executeRuns(testCase, options, resources, startedTest),
      rejectAfter(timeoutMs, startedTest),
      waitForAbort(options.stop).then((): never => {
        throw options.stop.reason;
      }),
    ]);
    return end({ mismatches, reason: '' });
  } catch (error) {
    if (options.stop.aborted || error instanceof TemporalServerNotFoundError) throw error;
    const { message, fix } = explainError(error);
    return end({ mismatches: [], reason: fix === '' ? message : `${message}\n${fix}` });
  } finally {
    // A resource can be stopped only after it has started, so its start is awaited first.
    await startedTest.opening?.catch(() => undefined);
    await resources.stopAll();
  }
}

async function executeRuns(
  { checkedFile, tests, test, path: testPath }: TestCase,
  options: RunTestOptions,
  resources: CleanupStack,
  startedTest: StartedTest,
): Promise<PlacedMismatch[]> {
  const steps: { run: TestRun; path: Path }[] = [
    { run: { ...test, remove: [] }, path: [...testPath, 'expect'] },
    ...test.again.map((run, index) => ({ run, path: [...testPath, 'again', index, 'expect'] })),
  ];
  const placedMismatches: PlacedMismatch[] = [];
  const add = (mismatches: readonly Mismatch[], path: Path) => {
    for (const mismatch of mismatches) {
      const position = positionOf(checkedFile, [...path, ...mismatch.path]);
      placedMismatches.push({ ...mismatch, ...position });
    }
  };
  for (const { run, path } of steps) {
    if (run.expect.starts === undefined) continue;
    const { folder: cwd, channels } = checkedFile;
    const settings = { cwd, environment: options.environment, channels, parameters: null };
    const compiled = await compileFile(checkedFile.pipeline, { ...settings, opensNothing: true });
    add(checkStarts(run.expect.starts, compiled.schedules), path);
  }
  const runnable = steps.filter(({ run }) => isRunNeeded(run));
  if (runnable.length === 0) return placedMismatches;
  const { pipeline } = checkedFile;
  const notices = await startNoticeRecorder(resources);
  const environment = await createEnvironment(options.environment, pipeline, notices.redirect);
  const { platform } = test;
  startedTest.opening = openTestBed(resources, {
    server: await options.server(),
    sandbox: options.maker,
    rateLimit: platform.rateLimit,
    notifications: platform.notifications || runnable.some(({ run }) => run.uploads.length > 0),
    killRules: runnable
      .flatMap(({ run }) => run.faults)
      .filter(({ worker }) => worker !== undefined),
    environment,
  });
  const testBed = await startedTest.opening;
  startedTest.testBed = testBed;
  const { client, sandbox, advanceTime } = testBed;
  const access = { client, origin: sandbox.origin, maker: options.maker, advanceTime };
  const tags = await preparePlatform(platform, access);
  for (const [index, { run, path }] of runnable.entries()) {
    const runParameters = { ...tests.parameters, ...test.parameters, ...run.parameters };
    const request = {
      run,
      checkedFile,
      parameters: withTags(runParameters, tags),
      maker: options.maker,
      environment,
      upload: () => uploadModels(run.uploads, tags, access),
      number: index + 1,
      notices,
      onStart: (runId: string) => {
        startedTest.run = runId;
      },
    };
    const executed = await testBed.runScoped(() => executeRun(testBed, request));
    startedTest.runs.push(executed);
    add(checkExpectations(run.expect, executed.facts), path);
    if (run.expect.snapshot)
      add(options.snapshots.compare(snapshotNameOf(test, index), executed.facts), path);
    // Later runs build on this one, so their results would be meaningless.
    if (placedMismatches.length > 0) break;
  }
  return placedMismatches;
}

type RunPart = Pick<TestRun, 'expect' | 'files'>;
type NamedRuns = RunPart & Pick<PipelineTest, 'name'> & { again: readonly RunPart[] };

function snapshotNameOf({ name }: Pick<PipelineTest, 'name'>, run: number): string {
  return run === 0 ? name : `${name}, run ${run + 1}`;
}

/** Returns the names of the snapshots that a test compares if it runs to its end. */
export function snapshotNamesOf(test: NamedRuns): string[] {
  const runs = [test, ...test.again].filter((run) => isRunNeeded(run));
  return runs.flatMap(({ expect }, run) => (expect.snapshot ? [snapshotNameOf(test, run)] : []));
}

/** False for a test that only checks the start times of schedules, because it needs no run. */
function isRunNeeded({ expect: { starts, ...others }, files }: RunPart): boolean {
  return starts === undefined || files.length > 0 || Object.keys(others).length > 0;
}

/** Allows the local receiver of notices, and replaces the secrets that sign notices and the addresses of chats. */
async function createEnvironment(
  baseEnvironment: Environment,
  pipeline: string,
  redirect: (url: string) => string,
): Promise<Environment> {
  const text = await readFile(pipeline, 'utf8');
  const sharedTexts = await readShared(text, dirname(pipeline), undefined);
  const otherTexts = sharedTexts.map((shared) => ('text' in shared ? shared.text : ''));
  const texts = [text, ...otherTexts].join('\n');
  const matches = [...texts.matchAll(/\b(secretFrom|urlFrom):\s*["']?([A-Z][A-Z0-9_]*)/g)];
  const secrets = matches.map(([, field, name = '']): [string, string] => [
    name,
    field === 'urlFrom' ? redirect(name) : 'secret of a test',
  ]);
  const extend = (variable: string, names: readonly string[]) => ({
    [variable]: [baseEnvironment[variable], ...names].filter(Boolean).join(','),
  });
  return {
    ...baseEnvironment,
    ...Object.fromEntries(secrets),
    ...extend(
      'RENDERLINE_ALLOW_SECRETS',
      secrets.map(([name]) => name),
    ),
    ...extend('RENDERLINE_ALLOW_HOSTS', ['127.0.0.1']),
  };
}

function withTags(
  parameters: Readonly<Record<string, unknown>>,
  tags: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const entries = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string'
      ? value.replaceAll(/\{\{\s*tags\.(.+?)\s*\}\}/g, (text, tag: string) => tags.get(tag) ?? text)
      : value,
  ]);
  return Object.fromEntries(entries);
}

/** Maximum delay of a timer. A longer one would fire immediately. */
const maxTimerMs = 2 ** 31 - 1;

function rejectAfter(ms: number, watchedTest: StartedTest): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(
      () => {
        void formatTimeout(ms, watchedTest).then((message) =>
          reject(new RenderlineError(commandFailures.TEST_TIMEOUT, message)),
        );
      },
      Math.min(ms, maxTimerMs),
    ).unref();
  });
}

export function positionOf({ document }: CheckedTests, path: Path): { line: number; col: number } {
  if (document === null) return { line: 1, col: 1 };
  const { line, col } = document.source.positionOf(document.valueRange(path));
  return { line, col };
}

/** Everything that a test has started so far. `run` is its latest run. */
interface StartedTest {
  /** The start of the test bed, pending or finished. */
  opening: Promise<TestBed> | null;
  testBed: TestBed | null;
  run: string | null;
  runs: ExecutedRun[];
}

async function formatTimeout(
  ms: number,
  { testBed, run }: Pick<StartedTest, 'testBed' | 'run'>,
): Promise<string> {
  const head = `Timeout: the test did not end within ${ms / 1_000} s of real time.`;
  if (testBed === null || run === null) return `${head}\nNo run has started.`;
  const read = () => readFreshProgress(testBed.temporal, run);
  const progress = await testBed.runScoped(read).catch(() => null);
  if (progress === null) return `${head}\nIts run ${run} does not respond.`;
  return `${head}\n${formatProgress(progress)}`;
}

function formatProgress({ state, totals, steps, discovery }: RunProgress): string {
  if (discovery === null) return 'Its run is still discovering assets.';
  const openSteps = Object.entries(steps).flatMap(([id, { running }]) =>
    running > 0 ? [`${formatCount(running, 'asset')} at ${id}`] : [],
  );
  const stepList = openSteps.length === 0 ? '' : `: ${openSteps.join(', ')}`;
  return `Its run is ${state}, ${totals.complete} of ${formatCount(totals.total, 'asset')} complete${stepList}.`;
}
