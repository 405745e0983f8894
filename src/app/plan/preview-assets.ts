// Finds the assets that the next run of a plan would process. Read-only.
import type { Client } from '../../api/client.ts';
import { RequestCounter } from '../../api/request-counter.ts';
import { openConnector } from '../../connectors/index.ts';
import type { OpenRows } from '../../engine/rows/open-rows.ts';
import { maxClaimsRead, withClaimedWork } from '../../features/claimed-work.ts';
import {
  assetOriginOf,
  createConnectorResolver,
  findRootFiles,
  openDiscoverySource,
} from '../../features/discovery-source.ts';
import type { RunWarning } from '../../plan/contract/contract.ts';
import { deliveriesOf } from '../../plan/run/deliveries.ts';
import type { Selection } from '../../plan/run/selection.ts';
import type { Plan } from '../../plan/types.ts';
import type { DiscoveredAssets } from '../../store/discovery/discover.ts';
import { previewDiscovery } from '../../store/discovery/discover-run.ts';
import type { Grid } from '../../store/discovery/grid/grid.ts';
import type { MissingSources } from '../../store/discovery/moves/missing-sources.ts';
import type { RerunSelection } from '../../store/discovery/rerun-selection.ts';
import { compareWithLastRun, type PlanDifference } from '../../store/runs/last-run.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { App } from '../app.ts';
import { withPlatform } from '../platform-client.ts';
import { openPlanStore } from './open-plan-store.ts';

/**
 * True if the source contains at least one file that the plan accepts. Always true for sources on the platform, and for
 * files that a table lists.
 * @throws ConnectorError with the path and the fix if the folder does not exist
 */
export async function hasAnyAsset(plan: Plan): Promise<boolean> {
  const files = findRootFiles(plan.discovery);
  const hasFileTable = plan.discovery.rows?.tables.some(({ file }) => file !== undefined) ?? false;
  if (files === null || hasFileTable) return true;
  const connector = createConnectorResolver(plan, openConnector)(files.connector);
  for await (const _name of connector.names('', { accept: files.takes })) return true;
  return false;
}

/** Describes where the plan's files are, such as `local folder /srv/models`. Empty for sources on the platform. */
export function describeSource(plan: Plan): string {
  const files = findRootFiles(plan.discovery);
  return files === null
    ? ''
    : createConnectorResolver(plan, openConnector)(files.connector).describe();
}

export interface Preview extends DiscoveredAssets {
  /** Assets that the run withdraws. */
  missingSources: MissingSources;
  /** Difference from the plan of the pipeline's newest run. Null before the first run. */
  sinceLastRun: PlanDifference | null;
  /** Number of API requests of this discovery, by operation. The discovery of a run sends the same number. */
  requests: Record<string, number>;
  colorways: Grid | null;
  tables: OpenRows | null;
  /** Table rows that belong to no asset, files that belong to no row, and empty cells that file names use. */
  rowWarnings: RunWarning[];
  sourceKind: 'files' | 'platform';
  /** The records of the pipeline, for reading only. */
  store: RunStore;
}

/** Restricts the preview to some of the assets that the root node lists. */
export interface PreviewOptions {
  rerunSelection?: RerunSelection | null;
  ids?: readonly string[] | null;
  selection?: Selection | null;
  /** Compares unchanged files by content. */
  verify?: boolean;
  /** Lists all missing assets as withdrawn, even above `limits.withdrawn` or if the source is empty. */
  withdrawAll?: boolean;
}

/** Lists new, changed and unchanged assets as the next run would find them. Writes nothing. */
export async function previewAssets(
  app: App,
  plan: Plan,
  options: PreviewOptions = {},
): Promise<Preview> {
  if (assetOriginOf(plan.discovery) === 'platform') {
    const previewWith = (client: Client) => preview(app, plan, options, () => client);
    return withPlatform(app, previewWith, plan.operations);
  }
  return preview(app, plan, options, () => {
    throw new TypeError('discovery of files must not use the platform');
  });
}

async function preview(
  app: App,
  plan: Plan,
  { rerunSelection = null, ids = null, selection, verify = false, withdrawAll }: PreviewOptions,
  getClient: () => Client,
): Promise<Preview> {
  const store = openPlanStore(plan);
  const lastRun = await store.lastRun();
  const requests = new RequestCounter();
  const source = await openDiscoverySource(plan, {
    open: openConnector,
    ids: rerunSelection?.ids ?? ids,
    mayWrite: false,
    rerunSelection,
    deliveries: deliveriesOf(plan.steps),
    selection: selection ?? undefined,
    verify,
    withdrawAll,
    client: getClient,
    requests,
    now: () => app.now(),
    signal: app.signal,
  });
  const discovery = await previewDiscovery(store, source);
  const bounds = { maxRead: maxClaimsRead, signal: app.signal };
  const assets = await withClaimedWork(store, plan.stages, discovery, bounds);
  const sinceLastRun = lastRun && compareWithLastRun(lastRun, plan);
  return {
    sourceKind: assetOriginOf(plan.discovery),
    ...discovery,
    assets,
    sinceLastRun,
    requests: requests.byOperation,
    colorways: source.grid,
    tables: source.rows,
    rowWarnings: [
      ...discovery.sourceWarnings,
      ...(source.rows?.unusedWarnings(source.node) ?? []),
      ...(source.findNameWarnings?.(discovery.assets) ?? []),
    ],
    store,
  };
}
