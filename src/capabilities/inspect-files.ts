// Inspects the source files of a plan before upload, by the same rules as the upload steps.
import type { Connector } from '../connectors/connector.ts';
import type { Fault } from '../failures/fail.ts';
import type { Look } from '../glb/look.ts';
import { type Excess, findExcess, workOf } from '../machinery/cost/check-limits.ts';
import type { FoundAsset, FoundWork } from '../machinery/cost/found-work.ts';
import { groupBy } from '../plan/group-by.ts';
import type { RunLimits } from '../plan/run-limits.ts';
import type { ConnectorSpec, Failure, Plan } from '../plan/types.ts';
import { mapBounded } from '../store/objects/bounded.ts';
import { modelKeyOf } from '../store/records/asset-names.ts';
import { connectorsOf, filesOf } from './discovery-source.ts';
import { estimate } from './estimate.ts';
import { libraryImport } from './library/library-import.ts';
import { itemIdOf, kindOf } from './library/library-kinds.ts';
import { pictureFault } from './library/look-at-pictures.ts';
import { inspectFile } from './models/look-at-file.ts';
import { reachedSteps } from './reached-steps.ts';
import { checkSlots, isBeforeColorway } from './variants/slot-demands.ts';

/** Only file headers are read, but a plan of a million files must not take an hour. */
const maxInspected = 10_000;

export interface InspectedFiles<A> {
  /** Assets that passed, and assets whose files were not inspected. */
  sound: A[];
  refused: Failure[];
  warnings: { key: string; message: string }[];
  /** Inspections of models by model key. */
  looks: ReadonlyMap<string, Look>;
  /** Number of files that were skipped because there are more than `maxInspected`. */
  left: number;
}

interface Where {
  open: (spec: ConnectorSpec) => Connector;
  signal: AbortSignal;
}

/** As in a run, files that an earlier run uploaded are not refused. */
export async function inspectFiles<A extends FoundAsset>(
  plan: Plan,
  assets: readonly A[],
  { open, signal }: Where,
): Promise<InspectedFiles<A>> {
  const files = filesOf(plan.discovery);
  const [root] = plan.steps;
  const none = { sound: [...assets], refused: [], warnings: [], looks: new Map(), left: 0 };
  if (files === null || root === undefined) return none;
  const connector = connectorsOf(plan, open)(files.connector);
  const verdicts = reachedSteps(plan, assets).get(root.id) ?? [];
  const passedOver = new Set(assets.filter((_, index) => verdicts[index] === 'no'));
  const taken = assets.filter((asset) => !passedOver.has(asset));
  // All colorways of a model share one file, so each file is read once.
  const groups = [...groupBy(taken, modelKeyOf)].map(([key, group]) => ({ key, group }));
  const inspections = await mapBounded(
    groups.slice(0, maxInspected),
    async ({ key, group }) => {
      const isUp = group.some(({ source, refs = {} }) => isUploaded(plan, source, refs));
      return { key, group, isUp, ...(await inspected(plan, group[0], connector, signal)) };
    },
    { signal },
  );
  const looks = new Map<string, Look>();
  const warnings: InspectedFiles<A>['warnings'] = [];
  const faults = new Map<A, Fault>();
  for (const { key, group, isUp, look, fault } of inspections) {
    if (fault !== null && !isUp) for (const asset of group) faults.set(asset, fault);
    if (look === null) continue;
    looks.set(key, look);
    if (!isUp) warnings.push(...look.warnings.map(({ message }) => ({ key, message })));
    for (const asset of group.filter(({ refs = {} }) => isBeforeColorway(refs))) {
      const { refs = {} } = asset;
      const { fault: noSlot } = checkSlots(
        { ...asset, refs },
        look,
        root.slots ?? [],
        plan.parameters,
      );
      if (noSlot !== null) faults.set(asset, noSlot);
    }
  }
  return {
    sound: assets.filter((asset) => !faults.has(asset)),
    refused: [...faults].map(([{ key }, { failure, message }]) => {
      return { key, node: root.node, code: failure.code, message, attempts: 0 };
    }),
    warnings,
    looks,
    left: Math.max(0, groups.length - maxInspected),
  };
}

function isUploaded(
  { discovery }: Plan,
  source: FoundAsset['source'],
  refs: NonNullable<FoundAsset['refs']>,
): boolean {
  if (discovery.activity === libraryImport.type) return itemIdOf(source, refs) !== undefined;
  return refs.modelId !== undefined;
}

async function inspected(
  { discovery }: Plan,
  asset: FoundAsset | undefined,
  connector: Connector,
  signal: AbortSignal,
): Promise<{ look: Look | null; fault: Fault | null }> {
  if (asset === undefined) return { look: null, fault: null };
  const { source } = asset;
  if (discovery.activity !== libraryImport.type || kindOf(source) === 'prop')
    return inspectFile(source, connector, signal);
  return { look: null, fault: await pictureFault(source, connector, signal) };
}

/**
 * Every limit of `limits` that the run would exceed. Files are inspected only if a limit is exceeded, because files that the
 * run refuses cost nothing and may bring the run below the limit.
 * @param rateLimit requests per minute; null if unknown
 */
export async function excessOf(
  plan: Plan,
  found: FoundWork,
  { limits, rateLimit }: { limits: RunLimits; rateLimit: number | null },
  where: Where,
): Promise<Excess[]> {
  const compare = (work: FoundWork) =>
    findExcess(limits, estimate(plan, work, rateLimit), workOf(work));
  const excess = compare(found);
  if (excess.length === 0) return [];
  const { sound } = await inspectFiles(plan, found.assets, where);
  return sound.length < found.assets.length ? compare({ ...found, assets: sound }) : excess;
}
