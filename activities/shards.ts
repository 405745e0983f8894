// The engine activities of a shard: claims its assets, compacts its pages, and finalizes its assets.
import { Context } from '@temporalio/activity';
import { safeMessage } from '../src/api/scrub.ts';
import { removeRenamed } from '../src/capabilities/delivery/remove-renamed.ts';
import { connectorsOf } from '../src/capabilities/discovery-source.ts';
import { deleteThings } from '../src/machinery/cleaning/delete-things.ts';
import { firstFitting } from '../src/plan/bytes.ts';
import { groupBy } from '../src/plan/group-by.ts';
import { tellTwice } from '../src/plan/perhaps-twice.ts';
import type { Refs } from '../src/plan/refs.ts';
import type {
  Folded,
  FoldInput,
  OpenedShard,
  OpenShardInput,
  SettleInput,
  SettleReport,
  TakenBy,
} from '../src/plan/step-contract.ts';
import type { Asset } from '../src/plan/types.ts';
import { withoutUndefined } from '../src/plan/without-undefined.ts';
import { openShard as openClaims, type TakenAsset } from '../src/store/claims/open-shard.ts';
import { cellsOf } from '../src/store/discovery/cells-of.ts';
import { foldedPatch } from '../src/store/runs/asset-sheets.ts';
import type { RunStore } from '../src/store/runs/run-store.ts';
import { type Delivered, settleAssets } from '../src/store/runs/settle.ts';
import type { AssetPatch } from '../src/store/runs/shard-pages.ts';
import { settledAssets, warningsOf } from '../src/store/runs/step-report.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';
import { loadIfHigh } from './load.ts';
import { withoutGone, withoutLost, withoutMissing } from './missing.ts';
import { runClock } from './run-clock.ts';
import { readSheets, writePatches } from './shard-sheets.ts';
import { tellSettled } from './tell.ts';

/** Keys are sent only for people who look at the run; the records store has the real ones. */
const keyChars = 160;
const keysAtMost = { count: 10_000, bytes: 40_000 };

/** Claims the assets of a shard and adopts the work of dead runs. */
export async function openShard(input: OpenShardInput, deps: Deps): Promise<OpenedShard> {
  const { context, shard, takeOverMs = null } = input;
  return bookkeeping(deps, async (signal, hold) => {
    const store = deps.store(context);
    await mustBeFound(store);
    const opened = await openClaims(store, shard, {
      isAlive: (holder) => deps.workflows.isAlive(holder),
      takeOverMs,
      hold,
      signal,
    });
    const present = await withoutLost(opened.assets, deps, context.run);
    const shown = await withoutMissing(present, deps, context);
    const assets = await withoutGone(shown, deps, { context, shard });
    const all = [...assets, ...opened.complete];
    const patches = all.flatMap(({ at, refs: adopted, files }): AssetPatch[] => {
      // A run that died with its responses has not reported their possible duplicates.
      const { refs, warnings } = tellTwice(adopted);
      const patch = {
        at,
        ...(isEmpty(refs) ? {} : { refs }),
        ...withoutUndefined({ files }),
        ...(warnings.length > 0 ? { warnings } : {}),
      };
      return Object.keys(patch).length > 1 ? [patch] : [];
    });
    const cells = cellsOf(assets);
    return {
      assets: assets.map(({ at }) => at),
      ...(cells ? { cells } : {}),
      complete: opened.complete.map(({ at }) => at),
      keys: firstFitting(all.map(shortKey), keysAtMost),
      taken: countTaken(opened.taken),
      pages: await writePatches(input, { node: '' }, patches, deps),
      ...loadIfHigh(deps),
    };
  });
}

/** Without the manifest the shard would open empty, and its assets would be skipped silently. */
async function mustBeFound({ manifest }: RunStore): Promise<void> {
  if (!(await manifest.isThere())) throw manifest.gone();
}

function isEmpty(refs: Refs): boolean {
  return Object.keys(refs).length === 0;
}

function shortKey({ key }: Asset): string {
  return key.length <= keyChars ? key : `${key.slice(0, keyChars)}…`;
}

function countTaken(taken: readonly TakenAsset[]): TakenBy[] {
  const byRun = groupBy(taken, ({ by }) => by);
  return [...byRun].map(([run, assets]) => {
    const elsewhere = assets.some((asset) => asset.elsewhere);
    return { run, assets: assets.length, ...(elsewhere ? { elsewhere } : {}) };
  });
}

/** Replaces the many pages about a shard's open assets by one set of pages. */
export async function fold(input: FoldInput, deps: Deps): Promise<Folded> {
  return bookkeeping(deps, async (signal) => {
    const sheets = await readSheets(input, deps, signal);
    const warned = new Map(input.warned);
    const patches = sheets.map((sheet) => {
      const more = warningsOf(warned.get(sheet.at), input.causes);
      return foldedPatch({ ...sheet, warnings: [...sheet.warnings, ...more] });
    });
    return { pages: await writePatches(input, { node: '' }, patches, deps) };
  });
}

/** Writes the records, claims and results of finished assets, and deletes what these assets supersede. */
export async function settle(input: SettleInput, deps: Deps): Promise<SettleReport | undefined> {
  const { context, shard, part, superseded } = input;
  return bookkeeping(deps, async (signal, hold) => {
    const store = deps.store(context);
    const assets = input.settled.map(({ at }) => at);
    const sheets = await readSheets({ ...input, assets }, deps, signal);
    const settled = settledAssets(sheets, input.settled, { ...input, book: store.refs });
    const connectorNamed = connectorsOf(context, deps.connector);
    const renamed = { store, connectorNamed, signal, hold };
    const tidy = (asset: Delivered) => removeRenamed(asset, renamed);
    if (superseded === undefined) {
      await settleAssets(store, { shard, part, settled }, { signal, hold, tidy });
      tellSettled(input, settled);
      return undefined;
    }
    const activity = Context.current();
    const { attempt, scheduledTimestampMs } = activity.info;
    const requests = deps.requestsOf(context.run);
    const deletion = {
      client: deps.platformOf(context).client,
      requests,
      signal,
      isEnding: () =>
        superseded === 'later' || activity.cancellationDetails?.cancelRequested === true,
      attempt: { number: attempt, firstAtMs: scheduledTimestampMs },
      runNow: runClock(deps),
    };
    await settleAssets(
      store,
      { shard, part, settled },
      {
        hold,
        tidy,
        remove: async (things) => {
          await hold();
          const left = await deleteThings(things, deletion);
          return left && { ...left, why: safeMessage(left.why, deps.secrets) };
        },
      },
    );
    tellSettled(input, settled);
    return { requests: requests.take().byOperation };
  });
}
