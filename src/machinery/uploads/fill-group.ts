// Sorts the records of one creating call by upload status, uploads the missing files, and deletes useless records.

import { idFields, type ThingKind } from '../../api/things.ts';
import { LinkExpiredError } from '../../api/transfer-errors.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { removeThing } from '../cleaning/remove-thing.ts';
import type { NodeContext } from '../node-context.ts';
import type { Answers } from '../submit/finding.ts';
import { isLargeFile } from '../transfer-slots.ts';
import { mustBeOld } from '../visibility.ts';
import type { Filled, Group } from './into-records.ts';

/**
 * Upload status of a record:
 * - `up`: its file is uploaded and confirmed.
 * - `open`: its file is not uploaded yet.
 * - `gone`: the record does not exist.
 * - `spent`: the record cannot take a file any more.
 */
export type Standing = { is: 'up'; refs?: Refs } | { is: 'open' | 'gone' | 'spent' };

/**
 * Returns the assets whose files must be uploaded in `open`. Deletes the records of refused assets whose files are not uploaded.
 * @param standings upload status by asset key; missing for new records
 */
export async function sortGroup<A extends StepAsset>(
  { call, assets }: Pick<Group<A>, 'assets'> & { call: { refs: Answers } },
  kind: ThingKind,
  standings: ReadonlyMap<string, Standing>,
  refused: ReadonlySet<string>,
  context: NodeContext,
): Promise<Filled<A> & { open: A[] }> {
  const sorted: Filled<A> & { open: A[] } = { results: [], unfilled: [], open: [] };
  for (const asset of assets) {
    const { key } = asset;
    const standing = standings.get(key) ?? { is: 'open' };
    if (standing.is === 'up') {
      const refs = { ...call.refs[key], ...standing.refs };
      sorted.results.push({ key, outcome: 'done', refs });
    } else if (refused.has(key)) await removeMade(kind, call.refs[key], context);
    else if (standing.is === 'gone' || standing.is === 'spent') {
      const refs = call.refs[key] ?? {};
      // A record that is just not visible yet must not be created again.
      if (standing.is === 'gone') {
        mustBeOld(`${kind} ${refs[idFields[kind]] ?? ''} is not there`, refs, context);
      }
      sorted.unfilled.push({ asset, refusal: null });
    } else sorted.open.push(asset);
  }
  return sorted;
}

/** Result of one file. `up`: uploaded, but one more call confirms all files together. `unfilled`: it has no link. */
type Put = AssetResult | 'up' | 'unfilled';

/** Uploads files to storage. A refused link affects only its own file. */
export async function putEach<A extends StepAsset>(
  assets: readonly A[],
  put: (asset: A) => Promise<Put>,
  { transfers }: NodeContext,
): Promise<Filled<A> & { up: A[] }> {
  const filled: Filled<A> & { up: A[] } = { results: [], unfilled: [], up: [] };
  const ends = await transfers.each(
    assets,
    async (asset) => {
      const end = await put(asset).catch((error: unknown) => {
        if (error instanceof LinkExpiredError) return error;
        throw error;
      });
      return { asset, end };
    },
    ({ source }) => isLargeFile(source),
  );
  for (const { asset, end } of ends) {
    if (end === 'up') filled.up.push(asset);
    else if (end === 'unfilled') filled.unfilled.push({ asset, refusal: null });
    else if (end instanceof LinkExpiredError) filled.unfilled.push({ asset, refusal: end });
    else filled.results.push(end);
  }
  return filled;
}

/** Deletes records that will never get a file: they would stay PENDING forever. */
export async function removeUnused(
  kind: ThingKind,
  made: Answers,
  { results, unfilled }: Filled<StepAsset>,
  context: NodeContext,
): Promise<void> {
  for (const { key, outcome } of results) {
    if (outcome === 'failed') await removeMade(kind, made[key], context);
  }
  for (const { asset } of unfilled) await removeMade(kind, made[asset.key], context);
}

async function removeMade(
  kind: ThingKind,
  refs: Refs | undefined,
  { client, requests, signal }: NodeContext,
): Promise<void> {
  const id = refs?.[idFields[kind]];
  if (id === undefined) return;
  await removeThing(client, { kind, id }, { priority: 'create', scope: requests, signal });
}
