// The engine activities of a shard: claims its assets, compacts its asset updates, and finalizes its assets.
import { Context } from '@temporalio/activity';
import { truncate } from '../../src/api/responses/plain-text.ts';
import { toSafeMessage } from '../../src/api/responses/scrub.ts';
import { deleteResources } from '../../src/engine/cleaning/delete-resources.ts';
import { removeRenamed } from '../../src/features/delivery/remove-renamed.ts';
import { createConnectorResolver } from '../../src/features/discovery-source.ts';
import { takeDuplicateWarnings } from '../../src/plan/duplicate-warnings.ts';
import { takeFitting } from '../../src/plan/helpers/bytes.ts';
import { groupBy } from '../../src/plan/helpers/group-by.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import type {
  CompactedPages,
  CompactInput,
  FinalizeInput,
  FinalizeReport,
  OpenedShard,
  OpenShardInput,
  OtherRunAssets,
} from '../../src/plan/shard/step-contract.ts';
import { computeGridCells } from '../../src/store/discovery/grid/compute-grid-cells.ts';
import { compactUpdateOf } from '../../src/store/runs/asset-states.ts';
import { type CompletedAsset, finalizePart } from '../../src/store/runs/finalize-part.ts';
import { formatNamesake, namesakeCode } from '../../src/store/runs/namesakes.ts';
import { openShard as claimShard, type TakenAsset } from '../../src/store/runs/open-shard.ts';
import type { AssetUpdate } from '../../src/store/runs/shard-pages.ts';
import { createFinalizedAssets, warningsOf } from '../../src/store/runs/step-report.ts';
import type { Deps } from '../deps.ts';
import { emitFinalized } from '../emit-events.ts';
import { runClock } from '../run-clock.ts';
import { runEngineActivity } from '../run-engine-activity.ts';
import { readLoadIfHigh } from '../worker-load.ts';
import { readAssetStates, writeAssetUpdates } from './asset-states.ts';
import { dropDeletedWork, dropLostWork, recheckMissingWork } from './check-earlier-work.ts';

/** Maximum length of an asset key in the workflow, which only displays keys. The records contain the whole keys. */
const maxKeyLength = 160;
const maxKeys = { count: 10_000, bytes: 40_000 };

/**
 * Claims the assets of a shard, adopts the work of dead runs, and drops ids of work that the platform no longer has.
 */
export async function openShard(input: OpenShardInput, deps: Deps): Promise<OpenedShard> {
  const { context, shard, takeOverMs = null } = input;
  return runEngineActivity(deps, async (signal, assertLease) => {
    const store = deps.storeOf(context);
    // The run assets must exist. Without them the shard would open empty and its assets would be skipped silently.
    await store.runAssets.assertStored();
    const claimedShard = await claimShard(store, shard, {
      isAlive: (holder) => deps.workflows.isAlive(holder),
      takeOverMs,
      assertLease,
      signal,
    });
    const presentAssets = await dropLostWork(claimedShard.assets, deps, context.run);
    const recheckedAssets = await recheckMissingWork(presentAssets, deps, context, signal);
    const assets = await dropDeletedWork(recheckedAssets, deps, { context, shard }, signal);
    const allAssets = [...assets, ...claimedShard.complete];
    const namesakes = new Map(
      claimedShard.namesakes.map((namesake) => [namesake.assetIndex, namesake]),
    );
    const updates = allAssets.flatMap(
      ({ assetIndex, platformIds: adopted, files }): AssetUpdate[] => {
        // The adopted ids may come from a dead run with unreported possible duplicates.
        const { platformIds, warnings } = takeDuplicateWarnings(adopted);
        const update = {
          assetIndex,
          ...(Object.keys(platformIds).length > 0 ? { platformIds } : {}),
          ...omitUndefined({ files }),
          ...(warnings.length > 0 ? { warnings } : {}),
          ...omitUndefined({ failure: namesakeFailure(namesakes.get(assetIndex)) }),
        };
        return Object.keys(update).length > 1 ? [update] : [];
      },
    );
    const cells = computeGridCells(assets);
    return {
      assets: assets.map(({ assetIndex }) => assetIndex),
      ...(cells ? { cells } : {}),
      complete: claimedShard.complete.map(({ assetIndex }) => assetIndex),
      keys: takeFitting(
        allAssets.map(({ key }) => truncate(key, maxKeyLength)),
        maxKeys,
      ),
      takenByOtherRuns: countTakenByRun(claimedShard.taken),
      pages: await writeAssetUpdates(input, { node: '' }, updates, deps),
      ...readLoadIfHigh(deps),
    };
  });
}

/** Each step fails the asset with it, see `failRefused`. */
function namesakeFailure(
  namesake: { key: string; by: string } | undefined,
): AssetUpdate['failure'] {
  return (
    namesake && {
      code: namesakeCode,
      message: formatNamesake(namesake.key, namesake.by),
      attempts: 0,
    }
  );
}

function countTakenByRun(takenAssets: readonly TakenAsset[]): OtherRunAssets[] {
  const byRun = groupBy(takenAssets, ({ by }) => by);
  return [...byRun].map(([run, assets]) => {
    const isElsewhere = assets.some((asset) => asset.elsewhere);
    return { run, assets: assets.length, ...(isElsewhere ? { elsewhere: isElsewhere } : {}) };
  });
}

/** Merges the many updates of a shard's open assets, so that few pages replace many. */
export async function compactPages(input: CompactInput, deps: Deps): Promise<CompactedPages> {
  return runEngineActivity(deps, async (signal) => {
    const states = await readAssetStates(input, deps, signal);
    const causesByAsset = new Map(input.warningCauses);
    const updates = states.map((state) => {
      const causeWarnings = warningsOf(causesByAsset.get(state.assetIndex), input.causes);
      return compactUpdateOf({ ...state, warnings: [...state.warnings, ...causeWarnings] });
    });
    return { pages: await writeAssetUpdates(input, { node: '' }, updates, deps) };
  });
}

/** Writes the records, claims and results of finished assets, and deletes on request what they supersede. */
export async function finalizeAssets(
  input: FinalizeInput,
  deps: Deps,
): Promise<FinalizeReport | undefined> {
  const { context, shard, part, superseded } = input;
  return runEngineActivity(deps, async (signal, assertLease) => {
    const store = deps.storeOf(context);
    await store.runAssets.assertStored();
    const assets = input.outcomes.map(({ assetIndex }) => assetIndex);
    const states = await readAssetStates({ ...input, assets }, deps, signal);
    const finalized = createFinalizedAssets(states, input.outcomes, {
      ...input,
      idRules: store.idRules,
    });
    const getConnector = createConnectorResolver(context, deps.connectorOf);
    const removalContext = { store, getConnector, signal, assertLease };
    const removeOldFiles = (asset: CompletedAsset) => removeRenamed(asset, removalContext);
    const partOfShard = { shard, part, finalized };
    if (superseded === undefined) {
      await finalizePart(store, partOfShard, { signal, assertLease, removeOldFiles });
      emitFinalized(input, finalized);
      return undefined;
    }
    const activity = Context.current();
    const { attempt, scheduledTimestampMs } = activity.info;
    const requests = deps.requestsOf(context.run);
    const deletion = {
      client: deps.platformOf(context).client,
      requests,
      signal,
      assertLease,
      isEnding: () =>
        superseded === 'later' || activity.cancellationDetails?.cancelRequested === true,
      attempt: { number: attempt, firstAtMs: scheduledTimestampMs },
      runNow: runClock(deps),
    };
    await finalizePart(store, partOfShard, {
      assertLease,
      removeOldFiles,
      deleteResources: async (resources) => {
        const remainingResources = await deleteResources(resources, deletion);
        return (
          remainingResources && {
            ...remainingResources,
            reason: toSafeMessage(remainingResources.reason, deps.secrets),
          }
        );
      },
    });
    emitFinalized(input, finalized);
    return { requests: requests.take().byOperation };
  });
}
