import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import { type CompileResult, compileText } from '../../compile/compile.ts';
import type { Limits, Pipeline } from '../../compile/pipeline.ts';
import { readShared } from '../../compile/shared/read-shared.ts';
import type { CheckedTests } from '../../compile/test-file/check-tests.ts';
import type { TestRun } from '../../compile/test-file/test-file.ts';
import { readPipelineFile } from '../../compile/yaml/read-file.ts';
import {
  type RunInput,
  type RunProgress,
  workflowIds,
  workflowNames,
} from '../../plan/contract/contract.ts';
import { runMemoOf } from '../../plan/run/run-memo.ts';
import type { ConnectorSpec, Plan } from '../../plan/types.ts';
import type { SandboxPackage } from '../../sandbox/interface.ts';
import type { Environment } from '../../settings/environment.ts';
import { isAwaitingPictures } from '../approvals/approval.ts';
import { decide, decidePictures } from '../approvals/decide.ts';
import { signalRun } from '../runs/control.ts';
import { readFreshProgress } from '../runs/fresh-progress.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { type RunDetails, readRunDetails } from '../runs/run-details.ts';
import { zeroAssetCounts } from '../runs/run-shape.ts';
import { type RunSnapshot, readSnapshot } from '../runs/run-snapshot.ts';
import { findAwaitedDecision } from '../runs/run-waits.ts';
import { readWaitingAssets } from '../runs/waiting-assets.ts';
import type { TestedRun } from './check-expectations.ts';
import { executeEventRuns } from './execute-event-runs.ts';
import type { NoticeRecorder } from './notice-recorder.ts';
import { callSandbox } from './platform-state.ts';
import { createFiles } from './test-files.ts';
import { toFaultRules } from './to-fault-rules.ts';
import type { TestBed } from './workers/test-bed.ts';
import { taskQueue } from './workers/test-worker.ts';

export interface RunRequest {
  run: TestRun;
  checkedFile: Pick<CheckedTests, 'folder' | 'pipeline' | 'channels'>;
  /** Parameters of the test file, merged with those of the test. */
  parameters: Readonly<Record<string, unknown>>;
  maker: SandboxPackage;
  environment: Environment;
  /** Uploads the models of the test as another user would, without a run. */
  upload: () => Promise<void>;
  onStart: (run: string) => void;
  /** Number of the run within the test, starting at 1. */
  number: number;
  notices: NoticeRecorder;
}

export interface ExecutedRun {
  facts: TestedRun;
  /** One report per run. Contains none if no run was started, and any number if events start the runs. */
  reports: RunDetails[];
  /** Problems of an invalid pipeline, for which no run was started. Otherwise empty. */
  problems: CompileResult['problems'];
}

/** Executes the run without a timeout. The caller must set one. */
export async function executeRun(testBed: TestBed, request: RunRequest): Promise<ExecutedRun> {
  const { run, checkedFile, maker, notices } = request;
  const { folder } = testBed;
  for (const path of run.remove) await rm(join(folder, path), { recursive: true, force: true });
  await createFiles(run.files, { folder, copyFolder: checkedFile.folder, maker });
  await callSandbox(testBed.sandbox, '/faults', toFaultRules(run.faults));
  const compiled = await compileForTest(request, folder);
  const { plan } = compiled;
  if (plan === null) return toInvalidRun(compiled);
  const relocated = withTestConnectors(plan, compiled.pipeline?.records, { folder, notices });
  const testPlan = testBed.isKillable ? relocated : removeTimeouts(relocated);
  const { limits } = compiled;
  const snapshots =
    testPlan.eventTrigger === undefined
      ? [await executeOneRun(testBed, testPlan, { limits, request })]
      : await executeEventRuns(testBed, { plan: testPlan, limits, upload: request.upload });
  const reports = await Promise.all(
    snapshots.map((snapshot) => readRunDetails(testBed.temporal, snapshot, testBed.now())),
  );
  // Notices about a whole run come from separate workflows that no run waits for, so the test waits here.
  const expectedCount = run.expect.notices?.length ?? 0;
  for (let nth = 0; nth < noticeSlices && request.notices.count() < expectedCount; nth += 1) {
    await testBed.advanceTime(1_000);
  }
  return { facts: await combineRuns(snapshots, reports, request), reports, problems: [] };
}

async function executeOneRun(
  testBed: TestBed,
  plan: Plan,
  { limits, request }: { limits: Limits; request: RunRequest },
): Promise<RunSnapshot> {
  const run = `${plan.pipeline}-${request.number}`;
  const capped = Object.keys(limits).length > 0 ? { limits } : {};
  const input: RunInput = { plan, run, lineage: run, epoch: 0, searchable: false, ...capped };
  await testBed.temporal.workflow.start(workflowNames.run, {
    taskQueue,
    workflowId: workflowIds.run(run),
    args: [input],
    memo: { renderline: runMemoOf(plan) },
  });
  request.onStart(run);
  return waitForEnd(testBed, run, request.run.approve === true);
}

/** Compiles the pipeline. Relative paths start at the test's folder, and folders in it replace default folders. */
export async function compileForTest(
  request: Pick<RunRequest, 'checkedFile' | 'parameters' | 'environment'>,
  folder: string,
): Promise<CompileResult> {
  const { checkedFile, parameters, environment } = request;
  const { pipeline, channels } = checkedFile;
  const fileText = await readPipelineFile(pipeline, pipeline);
  if (!fileText.ok) throw new Error(fileText.problem.message);
  const sharedTexts = await readShared(fileText.text, dirname(pipeline), undefined);
  const sourceOptions = { cwd: folder, fileFolder: folder, shared: sharedTexts };
  const options = { ...sourceOptions, environment, channels, opensNothing: true } as const;
  const declared = compileText(fileText.text, pipeline, { ...options, parameters: null });
  const folders = Object.entries(declared.pipeline?.parameters ?? {}).flatMap(
    ([name, { type, default: preset = '' }]) => {
      const isFolder = type === 'path' && extname(String(preset)) === '';
      return isFolder && !Object.hasOwn(parameters, name) ? name : [];
    },
  );
  for (const name of folders) await mkdir(join(folder, name), { recursive: true });
  const folderParameters = Object.fromEntries(folders.map((name) => [name, name]));
  return compileText(fileText.text, basename(pipeline), {
    ...options,
    parameters: { ...folderParameters, ...parameters },
  });
}

/** Timeout of steps in a test. It is longer than any wait. */
const weekMs = 7 * 86_400_000;

/** Makes step timeouts longer than any test, because waits sleep inside an attempt and this test kills no worker. */
function removeTimeouts(plan: Plan): Plan {
  const quiet = { startToCloseMs: weekMs, heartbeatMs: weekMs };
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, ...quiet })) };
}

function toInvalidRun({ problems }: CompileResult): ExecutedRun {
  const none = { runs: 0, files: [], failures: [], warnings: [], requests: {}, notices: [], ms: 0 };
  const cause = problems.find(({ severity }) => severity === 'error')?.code ?? null;
  const facts: TestedRun = { outcome: 'invalid', cause, assets: zeroAssetCounts, ...none };
  return { facts, reports: [], problems };
}

/** Number of one-second slices during which the notices that a test expects may still arrive. */
const noticeSlices = 10;
const firstSliceMs = 5_000;
const maxSliceMs = 3_600_000;

/**
 * Skips time in growing slices until the run ends, pauses or waits for a person. With `approves`, approves the run and
 * continues.
 */
async function waitForEnd(testBed: TestBed, run: string, approves: boolean): Promise<RunSnapshot> {
  for (let sliceMs = firstSliceMs; ; sliceMs = Math.min(sliceMs * 1.5, maxSliceMs)) {
    await Promise.race([testBed.advanceTime(sliceMs), testBed.workerFailure]);
    const snapshot = await readSnapshot(testBed.temporal, run);
    if (snapshot.status !== 'running') return snapshot;
    const progress = await readFreshProgress(testBed.temporal, run);
    if (progress === null) continue;
    const isDecided = findAwaitedDecision(progress) === null;
    if (progress.state !== 'paused' && isDecided) continue;
    const isWaitingForApproval =
      !isDecided || progress.canary?.state === 'waiting' || isAwaitingPictures(progress);
    if (!approves || !isWaitingForApproval) return snapshot;
    await approve(testBed, snapshot, progress);
    sliceMs = firstSliceMs;
  }
}

async function approve(
  { temporal, now }: TestBed,
  snapshot: RunSnapshot,
  progress: RunProgress,
): Promise<void> {
  const store = openStoreOfRun(snapshot);
  const cause = { reason: undefined, nowMs: now() };
  const approveAll = <Waiting>(waiting: readonly Waiting[]) =>
    waiting.map((asset) => ({ asset, verdict: 'approve' as const }));
  if (findAwaitedDecision(progress)) {
    const verdicts = approveAll(await readWaitingAssets(store, () => false));
    await decide(temporal, snapshot.run, store, verdicts, cause);
  } else if (isAwaitingPictures(progress)) {
    await decidePictures(temporal, store, approveAll(await store.heldPictures.waiting()), cause);
    await signalRun(temporal, 'resume', snapshot.run);
  } else await signalRun(temporal, 'approve', snapshot.run);
}

/** Returns the final shape of a run. If only people can advance the run, the test ends as if the run were paused. */
function finalShapeOf({ shape, progress }: RunDetails): RunDetails['shape'] {
  const cause = shape.outcome === 'running' && progress ? findAwaitedDecision(progress) : null;
  return cause === null ? shape : { ...shape, outcome: 'paused', cause };
}

/** Outcomes of runs, worst first. */
const severity: readonly TestedRun['outcome'][] = [
  'failed',
  'terminated',
  'cancelled',
  'paused',
  'partial_failure',
  'running',
  'complete',
];

/** Combines several runs into one result, with the sums of their figures and the worst outcome. */
export async function combineRuns(
  snapshots: readonly RunSnapshot[],
  reports: readonly RunDetails[],
  { notices }: Pick<RunRequest, 'notices'>,
): Promise<TestedRun> {
  const shapes = reports
    .map(finalShapeOf)
    .toSorted((a, b) => severity.indexOf(a.outcome) - severity.indexOf(b.outcome));
  const paths: string[] = [];
  for (const { files } of shapes) for await (const { path } of files) paths.push(path);
  return {
    outcome: shapes[0]?.outcome ?? 'complete',
    cause: shapes.find(({ cause }) => cause !== null)?.cause?.code ?? null,
    runs: shapes.length,
    assets: shapes.map(({ assets }) => assets).reduce(sumOf, zeroAssetCounts),
    files: paths.toSorted(),
    failures: shapes
      .flatMap(({ failures }) => failures)
      .map(({ key, code, node, message }) => ({ key, code, node, message }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    warnings: shapes
      .flatMap(({ warnings }) => warnings.map(({ key, message }) => `${key}: ${message}`))
      .toSorted(),
    requests: shapes.map(({ requests }) => requests.byOperation).reduce(sumOf, {}),
    notices: notices.take(),
    ms: snapshots.reduce(
      (sum, { startedAtMs, endedAtMs }) => sum + (endedAtMs ?? startedAtMs) - startedAtMs,
      0,
    ),
  };
}

function sumOf<Counts extends object>(a: Counts, b: Counts): Counts {
  const sum: Record<string, number> = Object.fromEntries(Object.entries(a));
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + Number(count);
  return sum as Counts;
}

interface TestPlaces {
  folder: string;
  /** Local addresses for receivers of notices. */
  notices: { redirect: (url: string) => string };
}

/** Replaces connectors outside the test's folder with folders, and receivers of notices with local addresses. */
export function withTestConnectors(
  plan: Plan,
  records: Pipeline['records'],
  { folder, notices }: TestPlaces,
): Plan {
  const testRecords = toLocalRecords(records, plan.records, folder);
  let text = JSON.stringify(testRecords ? { ...plan, records: testRecords } : plan);
  for (const [name, spec] of Object.entries(plan.connectors)) {
    if (isTestConnector(spec, folder)) continue;
    const local = JSON.stringify({ type: 'local', path: join(folder, name) });
    text = text.replaceAll(JSON.stringify(spec), local);
  }
  return JSON.parse(text, function (this: object, key, value: unknown) {
    const isReceiver = key === 'url' && typeof value === 'string' && 'secretFrom' in this;
    return isReceiver ? notices.redirect(value) : value;
  }) as Plan;
}

/**
 * Returns a local spec for records in a subfolder of a connector, because the records' spec differs from the
 * connector's. Returns null for other records, and for records in the test's folder.
 */
function toLocalRecords(
  records: Pipeline['records'],
  spec: ConnectorSpec,
  folder: string,
): ConnectorSpec | null {
  if (typeof records !== 'object' || records.folder === undefined || isTestConnector(spec, folder))
    return null;
  return { type: 'local', path: join(folder, records.connector, records.folder) };
}

function isTestConnector(spec: ConnectorSpec, folder: string): boolean {
  const path = spec.type === 'local' ? spec['path'] : undefined;
  return typeof path === 'string' && !relative(folder, path).startsWith('..');
}
