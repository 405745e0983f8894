import type { Connector } from '../connectors/connector.ts';
import type { FoundAsset, FoundWork } from '../engine/cost/found-work.ts';
import { type Excess, findExcess, plannedWorkOf } from '../engine/cost/limit-excess.ts';
import { type FailureReason, failSource } from '../failures/fail.ts';
import type { ModelInspection } from '../glb/inspect-model.ts';
import { groupBy } from '../plan/helpers/group-by.ts';
import type { RunLimits } from '../plan/run/run-limits.ts';
import type { ConnectorSpec, Failure, Plan } from '../plan/types.ts';
import { mapBounded } from '../store/objects/map-bounded.ts';
import { modelKeyOf } from '../store/records/cell-keys.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { withClaimedWork } from './claimed-work.ts';
import { withCostConfigs } from './cost-config.ts';
import { createConnectorResolver, findRootFiles } from './discovery-source.ts';
import { estimate } from './estimate.ts';
import { findPictureProblem } from './library/inspect-pictures.ts';
import { libraryImport } from './library/library-import.ts';
import { findItemId, kindOf } from './library/library-kinds.ts';
import { findNodeRules, type NodeRules } from './model-rules/rule-demands.ts';
import { checkDemands, type FileInspection, inspectFile } from './models/inspect-file.ts';
import { type ReachedSteps, resolveReachedSteps } from './reached-steps.ts';
import { isBeforeColorway } from './slots/slot-demands.ts';

/** Maximum number of files to inspect, so that a plan of a million files does not take an hour. */
const maxInspected = 10_000;

export interface InspectedFiles<A> {
  /** Assets that passed, and assets whose files were not inspected. */
  accepted: A[];
  refused: Failure[];
  warnings: { key: string; message: string }[];
  inspectionByKey: ReadonlyMap<string, ModelInspection>;
  /** Number of files that were skipped because there are more than `maxInspected`. */
  uninspectedCount: number;
}

interface InspectionDeps {
  open: (spec: ConnectorSpec) => Connector;
  signal: AbortSignal;
}

/**
 * As in a run, a file that an earlier run uploaded is refused only if it does not meet the demands of later nodes.
 * @param reachedSteps the steps that `assets` reach, if they are already known
 */
export async function inspectFiles<A extends FoundAsset>(
  plan: Plan,
  assets: readonly A[],
  { open, signal }: InspectionDeps,
  reachedSteps?: ReachedSteps,
): Promise<InspectedFiles<A>> {
  const files = findRootFiles(plan.discovery);
  const [root] = plan.steps;
  const inspectionByKey = new Map<string, ModelInspection>();
  const warnings: InspectedFiles<A>['warnings'] = [];
  if (files === null || root === undefined)
    return { accepted: [...assets], refused: [], warnings, inspectionByKey, uninspectedCount: 0 };
  const connector = createConnectorResolver(plan, open)(files.connector);
  const verdicts = (reachedSteps ?? resolveReachedSteps(plan, assets)).get(root.id) ?? [];
  const skippedAssets = new Set(assets.filter((_, index) => verdicts[index] === 'no'));
  const takenAssets = assets.filter((asset) => !skippedAssets.has(asset));
  // All cells of a model share one file, so each file is read once.
  const groups = [...groupBy(takenAssets, modelKeyOf)];
  const demands = root.demands ?? [];
  const rulesOf = (asset: A) =>
    findNodeRules({ ...asset, platformIds: asset.platformIds ?? {} }, demands, plan.parameters);
  const inspections = await mapBounded(
    groups.slice(0, maxInspected),
    async ([key, group]) => {
      const rules = group.flatMap(rulesOf);
      const findings = await inspectAsset(plan, group[0], connector, { rules, signal });
      return { key, group, isAlreadyUploaded: group.some(isSourceUploaded(plan)), ...findings };
    },
    { signal },
  );
  const problems = new Map<A, FailureReason>();
  for (const { key, group, isAlreadyUploaded, inspection, khronos, problem } of inspections) {
    if (problem !== null && !isAlreadyUploaded)
      for (const asset of group) problems.set(asset, problem);
    if (inspection === null) continue;
    inspectionByKey.set(key, inspection);
    if (!isAlreadyUploaded)
      warnings.push(...inspection.warnings.map(({ message }) => ({ key, message })));
    for (const asset of group.filter(({ platformIds = {} }) => isBeforeColorway(platformIds))) {
      const { platformIds = {} } = asset;
      const check = checkDemands(
        { ...asset, platformIds },
        { inspection, khronos },
        demands,
        plan.parameters,
        rulesOf(asset),
      );
      if (check.problem !== null) problems.set(asset, check.problem);
      else warnings.push(...check.warnings.map((message) => ({ key: asset.key, message })));
    }
  }
  return {
    accepted: assets.filter((asset) => !problems.has(asset)),
    refused: [...problems].map(([{ key }, { failure, message }]) =>
      failSource(failure, key, root.node, message),
    ),
    warnings,
    inspectionByKey,
    uninspectedCount: Math.max(0, groups.length - maxInspected),
  };
}

function isSourceUploaded({ discovery }: Plan): (asset: FoundAsset) => boolean {
  return ({ source, platformIds = {} }) =>
    discovery.activity === libraryImport.type
      ? findItemId(source, platformIds) !== undefined
      : platformIds.modelId !== undefined;
}

async function inspectAsset(
  { discovery }: Plan,
  asset: FoundAsset | undefined,
  connector: Connector,
  { rules, signal }: { rules: readonly NodeRules[]; signal: AbortSignal },
): Promise<FileInspection | { inspection: null; khronos: null; problem: FailureReason | null }> {
  if (asset === undefined) return { inspection: null, khronos: null, problem: null };
  const { source } = asset;
  if (discovery.activity !== libraryImport.type || kindOf(source) === 'prop')
    return inspectFile(source, connector, signal, rules);
  const problem = await findPictureProblem(source, connector, signal);
  return { inspection: null, khronos: null, problem };
}

/**
 * Returns every limit of `limits` that the run would exceed. Files and claims are read only if a limit is exceeded,
 * because files that the run refuses, and work that earlier runs have done, may bring the run below the limit.
 * @param rateLimit requests per minute. Null if unknown
 */
export async function findExceededLimits(
  plan: Plan,
  foundWork: FoundWork,
  { limits, rateLimit }: { limits: RunLimits; rateLimit: number | null },
  { store, ...deps }: InspectionDeps & { store: RunStore },
): Promise<Excess[]> {
  const costedPlan = await withCostConfigs(plan, deps.open);
  const compare = (candidate: FoundWork) =>
    findExcess(limits, estimate(costedPlan, candidate, rateLimit), plannedWorkOf(candidate));
  const excess = compare(foundWork);
  if (excess.length === 0) return [];
  const assets = await withClaimedWork(store, plan.stages, foundWork, { signal: deps.signal });
  const { accepted } = await inspectFiles(plan, assets, deps);
  return compare({ ...foundWork, assets: accepted });
}
