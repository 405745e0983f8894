// The activity that finds the assets of a run and writes the run assets.

import type { Connector } from '../../src/connectors/connector.ts';
import {
  assertOwnRecords,
  bindRecordsToWorkspace,
} from '../../src/engine/bind-records-to-workspace.ts';
import type { FoundWork } from '../../src/engine/cost/found-work.ts';
import { formatExcess } from '../../src/engine/cost/limit-excess.ts';
import { chooseUnfinished } from '../../src/engine/discovery/choose-unfinished.ts';
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import { dropRowsOfRun } from '../../src/engine/rows/open-rows.ts';
import { runFailures } from '../../src/failures/runs.ts';
import { removeRenamed } from '../../src/features/delivery/remove-renamed.ts';
import { checkDestinations } from '../../src/features/destinations.ts';
import {
  createConnectorResolver,
  openDiscoverySource,
} from '../../src/features/discovery-source.ts';
import { withTableLines } from '../../src/features/grid/table-lines.ts';
import { findExceededLimits } from '../../src/features/inspect-files.ts';
import { collectLookUps, lookUpNames } from '../../src/features/look-up-names.ts';
import { openQuotaConnector } from '../../src/features/quota-counts.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { DiscoverInput, DiscoverResult } from '../../src/plan/contract/contract.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import { findMissingSecrets } from '../../src/settings/secrets/find-missing-secrets.ts';
import type { AssertLease } from '../../src/store/claims/assert-lease.ts';
import {
  canDiscoverInPages,
  discoverPage,
  discoverRun,
} from '../../src/store/discovery/discover-run.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import type { AssetRecord } from '../../src/store/records/records.ts';
import type { Deps } from '../deps.ts';
import { runEngineActivity } from '../run-engine-activity.ts';
import { assertRecordsPresent } from './assert-records-present.ts';
import { assertPipelineNotPaused } from './general-pause.ts';
import { assertSingleHost } from './hosts.ts';

/** Lists the sources of the pipeline's root, or one discovery page of them, and writes the run assets. */
export async function discover(input: DiscoverInput, deps: Deps): Promise<DiscoverResult> {
  const { context, discovery, deliveries, shardSize, canary, caps, verify } = input;
  const { stages, freshness } = input;
  const requests = deps.requestsOf(context.run);
  const { client, pollerContext } = deps.platformOf(context);
  let listedCount = 0;
  const find = async (signal: AbortSignal, assertLease: AssertLease): Promise<DiscoverResult> => {
    await assertPipelineNotPaused(context, deps);
    await assertSingleHost(input, deps);
    await checkDestinations(context, input.connectorUses ?? [], deps.connectorOf);
    const records = deps.connectorOf(context.records);
    const recordsGuard = await guardOwnRecords(records, context, deps);
    if (!input.newRecords && !input.discoveryPage) {
      const restOfFix = `, then resume the run. If the pipeline should start again with new records and pay for all its work again: renderline resume ${context.run} --new-records`;
      await assertRecordsPresent(records, context, deps, restOfFix);
    }
    const quotaRecords = openQuotaConnector(context, deps.connectorOf) ?? records;
    const quotaGuard =
      quotaRecords === records ? null : await guardOwnRecords(quotaRecords, context, deps);
    const names = {
      pollerContext,
      run: context,
      requests,
      signal,
      getConnector: createConnectorResolver(context, deps.connectorOf),
      promisedMaterials: new Set<string>(),
    };
    const rerunSelection = await readRerunSelection(input, deps, signal);
    const source = await openDiscoverySource(
      {
        ...context,
        discovery,
        stages,
        ...omitUndefined({ freshness, withdrawn: input.withdrawn?.rules }),
      },
      {
        open: deps.connectorOf,
        ids: rerunSelection?.ids ?? input.ids ?? null,
        mayWrite: true,
        rerunSelection,
        deliveries,
        selection: input.selection,
        verify,
        withdrawAll: input.withdrawn?.all,
        ...(input.discoveryPage !== undefined && { pagesOf: context.run }),
        client: () => client,
        requests,
        now: deps.now,
        signal,
      },
    );
    const run = {
      ...source,
      shardSize,
      ...omitUndefined({ canary }),
      parameters: context.parameters,
      check: async (foundWork: FoundWork) => {
        const { assets } = foundWork;
        const reading = { open: deps.connectorOf, signal, store: deps.storeOf(context) };
        if (caps) await assertWithinLimits(caps, foundWork, reading);
        // The check keeps a run without assets from sending lookup requests.
        if (assets.length > 0)
          await withTableLines(source.grid, () =>
            lookUpNames(collectLookUps(discovery, assets), names),
          );
      },
      // Called for moves that dead runs have left, after missing folders were reported and before anything is written.
      removeOldFiles: (record: AssetRecord) =>
        removeRenamed(record, {
          store: deps.storeOf(context),
          getConnector: createConnectorResolver(context, deps.connectorOf),
          signal,
          assertLease,
        }),
      assertLease: async () => {
        await assertLease();
        await recordsGuard.claim();
        await quotaGuard?.claim();
      },
    };
    const store = deps.storeOf(context);
    // Caps count all assets before any of them is started, so they need the whole listing.
    const isWhole =
      input.discoveryPage === undefined || caps !== undefined || !canDiscoverInPages(run);
    const result = isWhole
      ? await discoverRun(store, run)
      : await discoverPage(store, run, input.discoveryPage ?? 0, {
          onListed(count) {
            listedCount = count;
          },
        });
    if (result.nextDiscoveryPage === undefined) dropRowsOfRun(context.run);
    const secretWarnings = findMissingSecrets(
      input.receivers ?? [],
      deps.operatorRules.lookUpSecret,
      'a worker',
    );
    const warnings = [...(result.warnings ?? []), ...secretWarnings];
    const requestCounts = requests.take();
    return {
      ...result,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(requestCounts.total > 0 ? { requests: requestCounts.byOperation } : {}),
    };
  };
  return runEngineActivity(deps, find, () => ({ listed: listedCount }));
}

/**
 * Checks that the records belong to the run's workspace. If the workspace is not known, nothing is refused or marked.
 * @returns `claim`, which tests the records' location and marks it for the workspace if no run has done so
 * @throws RunCauseError if the records belong to another workspace
 */
async function guardOwnRecords(
  records: Connector,
  { workspace: id }: RunContext,
  deps: Deps,
): Promise<{ claim: () => Promise<void> }> {
  const workspace = deps.workspace ?? (id === undefined ? null : { id, name: null });
  const mark = workspace === null ? null : await assertOwnRecords(records, async () => workspace);
  let isClaimed = false;
  return {
    async claim() {
      if (!isClaimed) await bindRecordsToWorkspace(records, workspace, mark);
      isClaimed = true;
    },
  };
}

/** Returns the unfinished assets that a rerun processes again, or null for other runs. */
async function readRerunSelection(
  { context, rerun }: DiscoverInput,
  deps: Deps,
  signal: AbortSignal,
): Promise<RerunSelection | null> {
  if (!rerun) return null;
  // A new store is opened, because the worker's cached store of the earlier run has that run's recipe.
  const earlierStore = openRunStore(deps.connectorOf(context.records), {
    ...context,
    run: rerun.of,
  });
  return new RerunSelection(rerun.of, await chooseUnfinished(earlierStore, rerun, signal));
}

/** @throws RunCauseError if the assets need more than the limits of the run allow */
async function assertWithinLimits(
  { limits, plan }: NonNullable<DiscoverInput['caps']>,
  foundWork: FoundWork,
  reading: Parameters<typeof findExceededLimits>[3],
): Promise<void> {
  const excess = await findExceededLimits(plan, foundWork, { limits, rateLimit: null }, reading);
  if (excess.length === 0) return;
  const message = formatExcess(excess).replaceAll('\n', '; ');
  throw new RunCauseError(runFailures.LIMIT_EXCEEDED, message);
}
