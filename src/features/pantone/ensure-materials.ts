// Ensures that the library contains the Pantone materials of a node: adopts them by name, or creates them.
import { findRefusal, itemReasons } from '../../api/errors/refusal.ts';
import { listPages } from '../../api/pages.ts';
import { isSameName, spellingsOf } from '../../api/requests/name-comparison.ts';
import {
  assertPastConsistencyWindow,
  isInConsistencyWindow,
} from '../../engine/consistency-window.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { sharePerPoller } from '../../engine/polling/poller-context.ts';
import { callOptions, writeOptions } from '../../engine/submit/call-outcome.ts';
import { finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Asset, AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { PromiseCache } from '../../store/objects/promise-cache.ts';
import type { LibraryItem } from '../../store/records/library-items.ts';
import { pantoneMaterialCreation } from './creations.ts';
import { pantoneCauses } from './failures.ts';
import { type PantoneOptions, type PantoneRow, readPantoneRows } from './pantone-rows.ts';

const maxRunsRemembered = 50;
/** Maximum number of ids that the platform accepts in one status request. */
const idsPerRequest = 100;
/** Maximum number of materials of other clients that `assertVisible` reads before it gives up. */
const maxNewerMaterials = 500;

/** The work that this worker has started, by node and run. All assets of the run wait for it. */
const startedWork = sharePerPoller(() => new PromiseCache<string[]>(maxRunsRemembered));

export async function ensureMaterials(
  options: PantoneOptions,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const started = startedWork(context.pollerContext);
  const workKey = `${context.step.id} ${context.run.run}`;
  let warnings: readonly string[] = [];
  for (let isDone = false; !isDone; ) {
    const isOwn = !started.has(workKey);
    const task = started.getOrStart(workKey, () => ensureAll(options, context));
    if (isOwn) {
      // Only the activity call that does the work reports its warnings.
      warnings = await task;
      isDone = true;
    } else {
      // If the other attempt fails, it reports its own error, and this attempt does the work.
      isDone = await task.then(
        () => true,
        () => false,
      );
      context.signal.throwIfAborted();
    }
  }
  return assets.map(({ key }, index) => ({
    key,
    outcome: 'done',
    ...(index === 0 && warnings.length > 0 ? { warnings: [...warnings] } : {}),
  }));
}

/**
 * Adopts, creates or updates the material of each row. Returns warnings.
 * @throws RunCauseError
 * @throws NotVisibleYetError if a new material is not visible yet
 */
async function ensureAll(options: PantoneOptions, context: NodeContext): Promise<string[]> {
  const rows = await readPantoneRows(options, context);
  const { libraryItems } = context.store;
  const items = await libraryItems.read(context.step.node, context.signal);
  const existingByName = await findExistingItems(items, context);
  const warnings: string[] = [];
  const subjects = rows.map(subjectOf);
  const earlierCalls = await finishEarlierCalls(subjects, [pantoneMaterialCreation], context);
  const ensuredItems = await mapBounded(
    rows,
    async (row) => {
      const createdIds = earlierCalls.platformIds[subjectOf(row).key];
      const knownItem = createdIds
        ? await recordCreated(row, createdIds, warnings, context)
        : existingByName.get(row.name);
      const item =
        knownItem?.pantone === pantoneOf(row)
          ? knownItem
          : await createOrUpdate(row, knownItem, options.update, warnings, context);
      if (typeof item !== 'string') return [item];
      warnings.push(item);
      return [];
    },
    { signal: context.signal },
  );
  const names = new Set(rows.map(({ name }) => name));
  const obsoleteItems = items.filter(({ name }) => !names.has(name));
  await mapBounded(obsoleteItems, (item) => libraryItems.remove(item));
  const newItems = ensuredItems.flat().filter((item) => isNewMaterial(item, context));
  await assertVisible(newItems, context);
  return warnings;
}

function isNewMaterial({ createdAtMs }: LibraryItem, context: NodeContext): boolean {
  return createdAtMs !== null && isInConsistencyWindow({ lastCreatedAtMs: createdAtMs }, context);
}

/** Checks that the list of materials contains the new ones, which later nodes use. @throws NotVisibleYetError */
async function assertVisible(items: readonly LibraryItem[], context: NodeContext): Promise<void> {
  const missingById = new Map(items.map((item) => [item.materialId, item]));
  if (missingById.size === 0) return;
  const list = listMaterials({}, context);
  let seenCount = 0;
  for await (const { materialId } of list) {
    missingById.delete(materialId);
    seenCount += 1;
    // The list is newest first, and other clients may have created materials since.
    if (missingById.size === 0 || seenCount > items.length + maxNewerMaterials) break;
  }
  for (const { name, createdAtMs } of missingById.values()) {
    const problem = `material "${name}" is not in the list of materials`;
    assertPastConsistencyWindow(problem, { lastCreatedAtMs: createdAtMs ?? 0 }, context);
  }
}

/** Returns the items that are still in the library, by name. Items created a moment ago count as existing. */
async function findExistingItems(
  items: readonly LibraryItem[],
  context: NodeContext,
): Promise<ReadonlyMap<string, LibraryItem>> {
  const newItems = items.filter((item) => isNewMaterial(item, context));
  const existingIds = new Set(newItems.map(({ materialId }) => materialId));
  const uncheckedItems = items.filter(({ materialId }) => !existingIds.has(materialId));
  for (const chunk of chunks(uncheckedItems, idsPerRequest)) {
    const body = { materialIds: chunk.map(({ materialId }) => materialId) };
    const { materials } = await context.client.checkMaterialStatus({ body }, callOptions(context));
    for (const { materialId } of materials) existingIds.add(materialId);
  }
  const existingItems = items.filter(({ materialId }) => existingIds.has(materialId));
  return new Map(existingItems.map((item) => [item.name, item]));
}

/** Creates or updates the material of a row. Returns a warning if an update is needed but `update` is false. */
async function createOrUpdate(
  row: PantoneRow,
  knownItem: LibraryItem | undefined,
  update: boolean,
  warnings: string[],
  context: NodeContext,
): Promise<LibraryItem | string> {
  const { name, code, hex } = row;
  const pantone = pantoneOf(row);
  const { libraryItems } = context.store;
  const { node } = context.step;
  const materialId = knownItem?.materialId ?? (await findByName(name, context));
  if (materialId === null) return createMaterial(row, warnings, context);
  // The item is looked up, because another worker may have created the material a moment ago.
  const item = knownItem ?? (await libraryItems.find({ node, name })) ?? undefined;
  const isOurs = item?.materialId === materialId;
  if (isOurs && item.pantone === pantone) return item;
  if (!update) {
    const current = isOurs ? item.pantone : 'no Pantone, or one that the platform does not show';
    return `material "${name}" (${materialId}) has ${current}, but the pipeline specifies ${pantone}; nothing was changed. To change the material, set \`update: true\``;
  }
  const request = { params: { materialId }, body: { pantoneCode: code, hex } };
  await withMaterialName(name, () =>
    context.client.setMaterialPantone(request, writeOptions(context)),
  );
  const createdAtMs = isOurs ? item.createdAtMs : null;
  return libraryItems.write({ node, name, materialId, pantone, createdAtMs });
}

function pantoneOf({ code, hex }: PantoneRow): string {
  return `${code} ${hex}`;
}

/** Returns the id of the material with the name, or null. @throws RunCauseError if several materials have the name */
async function findByName(name: string, context: NodeContext): Promise<string | null> {
  const materialIds = new Set<string>();
  for (const search of spellingsOf(name)) {
    for await (const material of listMaterials({ search }, context)) {
      // The search is fuzzy, so only exact matches of the name count.
      if (material.name !== undefined && isSameName(material.name, name))
        materialIds.add(material.materialId);
    }
    if (materialIds.size > 0) break;
  }
  const [only = null, ...others] = materialIds;
  if (others.length === 0) return only;
  const ids = [...materialIds].slice(0, 10).join(', ');
  const message = `${materialIds.size} materials are named "${name}": ${ids}`;
  throw new RunCauseError(pantoneCauses.PANTONE_AMBIGUOUS, message, { named: name });
}

function listMaterials(query: { search?: string }, context: NodeContext) {
  const call = callOptions(context);
  return listPages('listMaterials', context.client.listMaterials, query, { call });
}

/**
 * Returns a pseudo-asset that stands for the material. Its key is the same in all shards and attempts of a run. All of
 * them therefore send the same idempotency key, and the platform creates only one material.
 */
function subjectOf(row: PantoneRow): Asset {
  const version = pantoneOf(row);
  return {
    key: `material ${row.name} (${version})`,
    source: { path: row.name, bytes: 0, mtimeMs: 0, version },
    platformIds: {},
  };
}

async function createMaterial(
  row: PantoneRow,
  warnings: string[],
  context: NodeContext,
): Promise<LibraryItem> {
  const { name, code, hex } = row;
  const subject = subjectOf(row);
  const body = { name, pantoneCode: code, hex };
  const submission = { body, assets: [subject], purpose: 'pantone' };
  const { platformIds } = await withMaterialName(name, () =>
    submitOnce({ creation: pantoneMaterialCreation, ...submission }, context),
  );
  return recordCreated(row, platformIds[subject.key] ?? {}, warnings, context);
}

function recordCreated(
  row: PantoneRow,
  { materialId = '', lastCreatedAtMs, possibleDuplicate }: PlatformIds,
  warnings: string[],
  context: NodeContext,
): Promise<LibraryItem> {
  if (possibleDuplicate !== undefined)
    warnings.push(`material "${row.name}": ${possibleDuplicate}`);
  return context.store.libraryItems.write({
    node: context.step.node,
    name: row.name,
    materialId,
    pantone: pantoneOf(row),
    createdAtMs: lastCreatedAtMs ?? context.now(),
  });
}

async function withMaterialName<T>(name: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const refusal = findRefusal(error, itemReasons);
    if (refusal === null) throw error;
    const message = `material "${name}": ${refusal.error.detail}`;
    throw new RunCauseError(pantoneCauses.PANTONE_REFUSED, message, { named: name });
  }
}
