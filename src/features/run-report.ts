import type { Connector } from '../connectors/connector.ts';
import { labelsOf, mapDimensions } from '../language/dimension-names.ts';
import type { FinalizedAsset } from '../plan/contract/contract.ts';
import { groupBy } from '../plan/helpers/group-by.ts';
import { LazyList } from '../plan/helpers/lazy-list.ts';
import type { PlatformIds } from '../plan/platform-ids.ts';
import { failureConditionOf, rerunFailuresCommand } from '../plan/run/rerun-command.ts';
import { countStartPoints, type StartPoint } from '../plan/run/start-points.ts';
import type { ConnectorSpec, Failure, Plan } from '../plan/types.ts';
import type { DecisionGroup, Report, ReportedDecision, ReportedOutput } from '../report/report.ts';
import { mapBounded } from '../store/objects/map-bounded.ts';
import { modelKeyOf } from '../store/records/cell-keys.ts';
import type { Decision } from '../store/runs/pictures/approvals.ts';
import type { HeldPicture } from '../store/runs/pictures/held-pictures.ts';
import { findStartPoint } from '../store/runs/run-asset.ts';
import type { RunAssets } from '../store/runs/run-assets.ts';
import { withCostConfigs } from './cost-config.ts';
import { estimate } from './estimate.ts';
import { groupFailures } from './failure-groups.ts';
import { explainFailure, type FailureExplanation } from './failures.ts';
import type { FinishedAssets } from './results/finished-assets.ts';

type Requests = Record<string, number>;

type BuiltFields = 'startedAt' | 'endedAt' | 'failures' | 'outputs' | 'decisions';

export interface ReportInput
  extends Omit<Report, 'schema' | 'requests' | 'startPoints' | BuiltFields>,
    ReportedPlan {
  startedAtMs: number;
  /** When the run ended, epoch ms. Null while it is still running. */
  endedAtMs: number | null;
  /** Path of the pipeline file that the run was started from. Undefined if unknown. */
  file: string | undefined;
  /** Failures of assets, and of sources that never became assets. */
  failures: Parameters<typeof groupFailures>[0];
  finished: FinishedAssets;
  /** Pictures that were held back because they changed a lot. Those without a decision wait while the run is open. */
  held: readonly Pick<HeldPicture, 'key' | 'path' | 'share' | 'node' | 'decision'>[];
  /** Requests that the run sent, by operation. Null if unknown. */
  requests: Requests | null;
}

export function buildReport(facts: ReportInput): Report {
  const {
    startedAtMs,
    endedAtMs,
    file,
    failures,
    finished,
    held,
    requests,
    planned,
    startPoints,
    ...commonFacts
  } = facts;
  const { run } = commonFacts;
  const finishedKeys = new Set(finished.failures.map(({ key }) => key));
  const sources: OutputSources = {
    waiting: endedAtMs === null ? held.filter(({ decision }) => !decision) : [],
    otherFailures: failures
      .filter(({ key }) => !finishedKeys.has(key))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    finished,
    heldByKey: groupBy(held, ({ key }) => key),
    startPoints,
  };
  const count =
    sources.waiting.length +
    sources.otherFailures.length +
    finished.failures.length +
    finished.files.length;
  return {
    schema: 'renderline/report/v1',
    ...commonFacts,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    failures: groupFailures(failures).map(({ attempts: _attempts, ...group }) => ({
      ...group,
      rerunCommand:
        endedAtMs === null ? null : rerunFailuresCommand(run, file, failureConditionOf(group)),
    })),
    requests: compareRequests(requests, planned),
    decisions: groupDecisions(finished, held),
    startPoints: countStartPoints(startPoints.values()),
    outputs: new LazyList(count, () => readOutputs(sources)),
  };
}

interface OutputSources {
  /** Pictures that wait for approval. */
  waiting: ReportInput['held'];
  /** Failures of sources and shards without a result, sorted by key. */
  otherFailures: ReportInput['failures'];
  finished: FinishedAssets;
  heldByKey: ReadonlyMap<string, ReportInput['held'][number][]>;
  startPoints: ReportedPlan['startPoints'];
}

/** Yields an output for each delivered file and each failed asset, sorted by key. Other assets are only counted. */
async function* readOutputs(sources: OutputSources): AsyncGenerator<ReportedOutput> {
  const { waiting, otherFailures, finished, heldByKey, startPoints } = sources;
  const complete = (output: ReportedOutput): ReportedOutput => ({
    ...output,
    decision:
      output.decision ?? (output.waitsFor === null ? findDecision(output, heldByKey) : null),
    startStage: startPoints.get(output.key)?.startStage ?? null,
  });
  yield* waiting.map(toWaitingOutput).map(complete);
  let next = 0;
  const failuresBefore = function* (key: string | null) {
    for (; next < otherFailures.length; next += 1) {
      const failure = otherFailures[next];
      if (failure === undefined || (key !== null && failure.key >= key)) return;
      yield complete(toFailedOutput(failure));
    }
  };
  for await (const asset of finished.assetsByKey) {
    yield* failuresBefore(asset.key);
    // A result replaces a failure that the run listed for the same asset.
    while (otherFailures[next]?.key === asset.key) next += 1;
    yield* outputsOfAsset(asset).map(complete);
  }
  yield* failuresBefore(null);
}

/** Merges the failures of all finalized assets with the run's own short list, which also contains failed shards. */
export function explainAllFailures(
  finalizedFailures: readonly Failure[],
  listedFailures: readonly Failure[],
): (Failure & FailureExplanation)[] {
  const keys = new Set(finalizedFailures.map(({ key }) => key));
  const others = new Map(listedFailures.map((failure) => [failure.key, failure]));
  const unfinalizedFailures = [...others.values()].filter(({ key }) => !keys.has(key));
  return [...unfinalizedFailures, ...finalizedFailures].map(explainFailure);
}

export interface ReportedPlan {
  /** Estimated requests for the assets found. Null if unknown. */
  planned: Requests | null;
  /** The first stage that the run repeats, by asset key. */
  startPoints: ReadonlyMap<string, StartPoint>;
}

export const noPlannedWork: ReportedPlan = { planned: null, startPoints: new Map() };

export async function readPlannedWork(
  runAssets: RunAssets,
  plan: Plan | null,
  open: (spec: ConnectorSpec) => Connector,
): Promise<ReportedPlan> {
  const discovery = await runAssets.readDiscovery();
  if (discovery === null) return noPlannedWork;
  const shards = Array.from({ length: discovery.pages }, (_, shard) => shard);
  const assets = (await mapBounded(shards, (shard) => runAssets.page(shard))).flat();
  const startPoints = assets.flatMap((asset) => {
    const startPoint = findStartPoint(asset);
    return startPoint === null ? [] : [[asset.key, startPoint] as const];
  });
  const costedPlan = plan && (await withCostConfigs(plan, open));
  const plannedRequests = costedPlan && estimate(costedPlan, { assets }, null).requests.byOperation;
  return { planned: plannedRequests, startPoints: new Map(startPoints) };
}

function compareRequests(
  sentRequests: Requests | null,
  plannedRequests: Requests | null,
): Report['requests'] {
  const sum = (counts: Requests) =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  const names = Object.keys({ ...sentRequests, ...plannedRequests }).sort();
  return {
    total: sentRequests && sum(sentRequests),
    planned: plannedRequests && sum(plannedRequests),
    byOperation: names.map((operation) => ({
      operation,
      sent: sentRequests && (sentRequests[operation] ?? 0),
      planned: plannedRequests && (plannedRequests[operation] ?? 0),
    })),
  };
}

function groupDecisions(
  { decisions: ofAssets }: FinishedAssets,
  heldPictures: ReportInput['held'],
): DecisionGroup[] {
  // An asset counts once per node and outcome, even if several of its pictures were held back.
  const ofPictures = new Map(
    heldPictures.flatMap(({ key, node, decision }) =>
      decision ? [[JSON.stringify([key, node, decision.outcome]), { node, ...decision }]] : [],
    ),
  );
  const decisions = [...ofAssets, ...ofPictures.values()];
  const groups = groupBy(decisions, ({ node, outcome, by, reason }) =>
    JSON.stringify([node, outcome, by, reason]),
  );
  return [...groups.values()].flatMap((group) => {
    const byTime = group.toSorted((a, b) => (a.at < b.at ? -1 : 1));
    const [first, last] = [byTime[0], byTime.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { node, outcome, by, reason = null } = first;
    return [{ node, outcome, by, reason, from: first.at, until: last.at, assets: group.length }];
  });
}

function toWaitingOutput({ key, path, share }: ReportInput['held'][number]): ReportedOutput {
  const waitingFields = {
    outcome: 'waiting',
    failure: null,
    waitsFor: path,
    change: share,
  } as const;
  return { ...withoutFile, key, model: key, ...waitingFields };
}

function toFailedOutput({ key, ...reason }: ReportInput['failures'][number]): ReportedOutput {
  const failure = toReportedFailure(reason);
  return { ...withoutFile, key, model: key, failure, outcome: 'failed' };
}

const withoutFile = {
  ...mapDimensions(() => null),
  path: null,
  waitsFor: null,
  bytes: 0,
  sha256: '',
  width: 0,
  height: 0,
  change: null,
  startStage: null,
  decision: null,
} satisfies Partial<ReportedOutput>;

function outputsOfAsset(asset: FinalizedAsset): ReportedOutput[] {
  const { key, source, platformIds, outcome, files, failure } = asset;
  const labels = labelsOf(source);
  // Without a grid, the platform ids may show the variant and the view.
  const { variantName: colorway, bookmark, shot } = platformIds;
  const requestedNames = { colorway, view: bookmark ?? shot };
  const commonFields = {
    ...withoutFile,
    key,
    model: modelKeyOf(asset),
    ...mapDimensions((name) => labels[name] || (requestedNames[name] ?? null)),
    outcome,
    failure: null,
    decision: decisionOf(platformIds),
  };
  const fileOutputs = files.map(({ key: _key, change = null, ...file }) => ({
    ...commonFields,
    ...file,
    change,
  }));
  if (failure === null) return fileOutputs;
  // Only one entry of the asset is marked as failed, so that readers do not count the failure twice.
  return [
    { ...commonFields, failure: toReportedFailure(failure) },
    ...fileOutputs.map((file) => ({ ...file, outcome: 'complete' as const })),
  ];
}

function decisionOf({ decisions = [] }: PlatformIds): ReportedDecision | null {
  const last = decisions.at(-1);
  return last === undefined ? null : toReportedDecision(last.node, last);
}

/** Finds the decision about a changed picture: the rejection for a failed output, or the approval for any other. */
function findDecision(
  { key, path, failure }: Pick<ReportedOutput, 'key' | 'path' | 'failure'>,
  picturesByKey: ReadonlyMap<string, ReportInput['held'][number][]>,
): ReportedDecision | null {
  const outcome = failure === null ? 'approved' : 'rejected';
  const isDecided = (picture: ReportInput['held'][number]) =>
    picture.decision?.outcome === outcome && (path === null || path === picture.path);
  const picture = picturesByKey.get(key)?.find(isDecided);
  return picture?.decision ? toReportedDecision(picture.node, picture.decision) : null;
}

function toReportedDecision(node: string, { outcome, by, at, reason }: Decision): ReportedDecision {
  return { node, outcome, by, at, reason: reason ?? null };
}

function toReportedFailure({ code, node, message }: Pick<Failure, 'code' | 'node' | 'message'>) {
  return { code, node, message };
}
