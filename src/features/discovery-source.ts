// Builds the discovery of a plan's assets, for runs, previews (`plan`) and sweeps.
import type { Connector } from '../connectors/connector.ts';
import { compileSelection } from '../engine/discovery/compile-selection.ts';
import { createKeyMaker } from '../engine/discovery/key-maker.ts';
import type { ListDeps } from '../engine/discovery/list-deps.ts';
import type { RootRole } from '../engine/node-type.ts';
import { parseOptions } from '../engine/parse-options.ts';
import { type OpenRows, openRows, openRowsOfRun } from '../engine/rows/open-rows.ts';
import { computeShortSha256 } from '../language/hash.ts';
import { memoize } from '../plan/helpers/memoize.ts';
import type { Delivery } from '../plan/run/deliveries.ts';
import type { Selection } from '../plan/run/selection.ts';
import type { AssetSource, ConnectorSpec, Plan } from '../plan/types.ts';
import type { DiscoverySource } from '../store/discovery/discover-run.ts';
import type { Grid } from '../store/discovery/grid/grid.ts';
import type { RerunSelection } from '../store/discovery/rerun-selection.ts';
import type { RunAsset } from '../store/runs/run-assets.ts';
import { findEmptyNameWarnings } from './delivery/empty-name-columns.ts';
import { hasNamesToCompare, predictPaths } from './delivery/file-names.ts';
import {
  createMissingSourceFinder,
  createSourceLocation,
  hashSourceLocation,
} from './delivery/withdrawal/find-missing-sources.ts';
import { openPlanGrid } from './grid/dimensions.ts';
import { findNodeType } from './index.ts';
import { isBrokenFile } from './models/inspect-file.ts';

/** The part of a plan that decides which assets it finds. A run's context has the same fields. */
type DiscoveryPlan = Pick<
  Plan,
  'discovery' | 'parameters' | 'connectors' | 'stages' | 'withdrawn' | 'freshness'
>;

type OpenConnector = (spec: ConnectorSpec) => Connector;

export interface SourceContext extends Omit<ListDeps, 'node' | 'getConnector' | 'rows'> {
  readonly open: OpenConnector;
  /** The assets that a rerun repeats. Null for other runs. */
  readonly rerunSelection: RerunSelection | null;
  /** Deliveries of the plan's exports. They determine the predicted paths of files. */
  readonly deliveries?: readonly Delivery[] | undefined;
  /** The assets that a person selected for this run. @default all assets */
  readonly selection?: Selection | undefined;
  /** True to compare sources that look unchanged, and their delivered files, by content. @default false */
  readonly verify?: boolean | undefined;
  /** True to list all missing assets as withdrawn, even above `limits.withdrawn` or if the source is empty. */
  readonly withdrawAll?: boolean | undefined;
  /**
   * Id of a run that is discovered page by page. Its tables stay open between the pages (`openRowsOfRun`). If absent,
   * the tables are opened for this call.
   */
  readonly pagesOf?: string | undefined;
  readonly signal: AbortSignal;
}

export interface PlanSource extends DiscoverySource {
  readonly grid: Grid | null;
  readonly rows: OpenRows | null;
  readonly category: string | null;
  /** Returns true if the run would reject the file of an asset. Absent for roots that do not list files. */
  readonly isBroken?: (asset: RunAsset) => Promise<boolean>;
}

/**
 * @throws TypeError if the plan's first node type cannot start a pipeline
 * @throws OnlyError, WhereError for an invalid selection
 * @throws RunCauseError if the positions of a grid cannot be read
 */
export async function openDiscoverySource(
  plan: DiscoveryPlan,
  { open, rerunSelection, selection, verify, pagesOf, ...otherOptions }: SourceContext,
): Promise<PlanSource> {
  const { discovery, parameters, stages, withdrawn: rules, freshness } = plan;
  const { node, key } = discovery;
  const { root, config } = findRoot(discovery);
  const { deliveries = [], withdrawAll = false, signal, ...context } = otherOptions;
  const getConnector = createConnectorResolver(plan, open);
  const files = root.files?.(config) ?? null;
  const connector = files && getConnector(files.connector);
  const { rows: tables, grid = [] } = discovery;
  const openTables = () => openRows(tables, { getConnector, grid });
  const rows = await (pagesOf === undefined ? openTables() : openRowsOfRun(pagesOf, openTables));
  const location = files && connector && createSourceLocation(plan, files.connector, connector);
  return {
    lister: root.list(config, { ...context, node, getConnector, rows }),
    node,
    keyOf: rows?.listing ? rowKeyOf : key === null ? null : createKeyMaker(key, parameters),
    rows,
    grid: await openPlanGrid(discovery, { parameters, getConnector }),
    category: root.category?.(config) ?? null,
    identity: root.identity?.(config) ?? 'path',
    rerunSelection,
    stages,
    ...(freshness && { freshness: { rules: freshness, nowMs: context.now() } }),
    ...(hasNamesToCompare(deliveries) ? { comparesAllNames: true } : {}),
    planPaths: (asset) => predictPaths(deliveries, plan.connectors, asset),
    findNameWarnings: (assets) =>
      findEmptyNameWarnings(assets, { deliveries, connectors: plan.connectors, rows, node }),
    ...(selection ? { selector: compileSelection(selection) } : {}),
    getConnector: (name) => (name in plan.connectors ? getConnector(name) : null),
    ...(verify ? { verify } : {}),
    location: location?.mark ?? hashSourceLocation(plan, ''),
    parametersHash: computeShortSha256([parameters]).slice(0, 16),
    readsCellNames: discovery.readsCellNames ?? false,
    ...(files && { sources: files.connector }),
    ...(location &&
      rules && {
        findMissingSources: createMissingSourceFinder({ node, rules, location, withdrawAll }),
      }),
    ...(connector && { isBroken: ({ source }) => isBrokenFile(source, connector, signal) }),
    signal,
  };
}

function rowKeyOf({ rowKey = '' }: AssetSource): string {
  return rowKey;
}

/** Returns a function that opens each connector of the plan once, by its name in the pipeline file. */
export function createConnectorResolver(
  { connectors }: Pick<Plan, 'connectors'>,
  open: OpenConnector,
): (name: string) => Connector {
  return memoize((name) => {
    const spec = connectors[name];
    if (spec === undefined) throw new TypeError(`the plan has no connector "${name}"`);
    return open(spec);
  });
}

/** Finds the connector and path filter of the plan's source files. Null if the plan starts with platform objects. */
export function findRootFiles(discovery: Plan['discovery']) {
  const { root, config } = findRoot(discovery);
  return root.files?.(config) ?? null;
}

/** Returns whether the plan's assets come from files or from the platform. */
export function assetOriginOf(discovery: Plan['discovery']): RootRole<unknown>['from'] {
  return findRoot(discovery).root.from;
}

function findRoot({ activity, config }: Plan['discovery']) {
  const type = findNodeType(activity);
  if (!type?.root) throw new TypeError(`a pipeline cannot start with ${activity}`);
  return { root: type.root, config: parseOptions(type, config) };
}
