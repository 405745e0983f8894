// Handles calls whose response was lost or is incomplete. Before a call is sent again, its outcome is read, and an
// outcome that stays ambiguous is reported. The contract of an operation specifies the reads (`verifiedBy`).
import type { OperationId } from '../../api/operations/index.ts';
import { asRecord } from '../../api/unknown-values.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { OutcomePendingError } from '../engine-errors.ts';
import type { NodeContext } from '../node-context.ts';
import { type CallOutcome, canBeUnderWay, type IdsByAsset, readOrElse } from './call-outcome.ts';
import { type Creation, parseCall, type ResponseTo } from './creation.ts';
import { findPossibleDuplicates } from './find-possible-duplicates.ts';

/**
 * Reads whether a call without a response succeeded.
 * @throws OutcomePendingError for a partial result, while the platform may still be working
 */
export async function resolveOutcome<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  context: NodeContext,
): Promise<CallOutcome> {
  const findOutcome = async () => creation.findOutcome?.(parseCall(creation, intent), context);
  const outcome = (await readOrElse(undefined, findOutcome)) ?? { state: 'unknown' as const };
  const isPartial = outcome.state === 'done' && intent.assets.some((key) => !outcome.created[key]);
  if (isPartial && canBeUnderWay(intent, context)) throw new OutcomePendingError(intent);
  return outcome;
}

/** Adds platform ids, found by reads, for assets that the response mentions neither as created nor as failed. */
export async function addUnmentioned<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  { response, platformIds }: { response: ResponseTo<Id>; platformIds: IdsByAsset },
  context: NodeContext,
): Promise<IdsByAsset> {
  const unmentioned = intent.assets.filter((key) => platformIds[key] === undefined);
  if (unmentioned.length <= countErrors(response)) return platformIds;
  const read = async () =>
    creation.readUnmentioned?.(parseCall(creation, intent), response, context);
  return { ...(await readOrElse({}, read)), ...platformIds };
}

function countErrors(response: unknown): number {
  const { errors } = asRecord(response);
  return Array.isArray(errors) ? errors.length : 0;
}

/**
 * Marks the platform ids of a call that was sent again.
 * @param earlierState what reads showed before the call was sent again
 */
export async function markAmbiguous(
  intent: Intent,
  creation: Creation,
  platformIds: IdsByAsset,
  earlierState: 'not-done' | 'unknown',
  context: NodeContext,
): Promise<IdsByAsset> {
  const isUnknown = earlierState === 'unknown';
  const possibleDuplicates = isUnknown
    ? await findPossibleDuplicates(intent, creation, platformIds, context)
    : null;
  const entries = Object.entries(platformIds).map(([key, idsOfAsset]): [string, PlatformIds] => {
    const possibleDuplicate = isUnknown
      ? describePossibleDuplicate(intent, possibleDuplicates?.get(key))
      : null;
    const ids = { ...idsOfAsset, ...creation.idsWhenAmbiguous };
    return [key, possibleDuplicate === null ? ids : { ...ids, possibleDuplicate }];
  });
  return Object.fromEntries(entries);
}

/**
 * Describes a possible duplicate. Returns null if nothing suggests one.
 * @param possibleDuplicates other resources with the same name that were created in the meantime. Undefined if unknown
 */
function describePossibleDuplicate(
  { operation, ambiguousSince }: Intent,
  possibleDuplicates: readonly string[] | undefined,
): string | null {
  const hasFailed = ambiguousSince !== undefined;
  const reason = hasFailed
    ? 'a lost response or an error of the platform'
    : 'its worker had stopped';
  const description = `${operation} was sent again after ${reason}`;
  const twice = 'may have been done, and counted, twice';
  // If no failure was seen, the idempotency key probably replayed the response. Only visible duplicates are reported.
  if (possibleDuplicates === undefined)
    return hasFailed ? `${description}, so its work ${twice}` : null;
  if (possibleDuplicates.length === 0) return null;
  return `${description}, and ${possibleDuplicates.join(' and ')} of the same name appeared in the meantime, so its work ${twice}; delete the unused ones on the platform`;
}
