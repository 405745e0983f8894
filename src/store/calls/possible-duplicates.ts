// Warnings about calls that may have done their work twice or left a resource behind. No result reports them, because
// the asset failed or its run closed first. Pure.
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { callKeysOf } from '../records/cell-keys.ts';
import { type Intent, isInheritableIntent } from './intents.ts';

/** Creates additional warnings for the report of an incomplete asset. @param calls calls of its shard, oldest first */
export function findDuplicateWarnings(
  { key, source, warnings }: Pick<FinalizedAsset, 'key' | 'source' | 'warnings'>,
  calls: readonly Intent[],
): string[] {
  const names = callKeysOf({ key, source });
  const nameOf = ({ assets }: Intent) => assets.find((asset) => names.includes(asset));
  const ownCalls = calls.filter((call) => {
    const { assets, versions, of, isInherited } = call;
    const name = nameOf(call);
    // A call that only ends the work of another call is skipped, because it creates nothing that could exist twice.
    if (name === undefined || of !== undefined) return false;
    // An inherited call is skipped, because the run that sent it has reported the possible duplicate.
    if (isInherited && !isInheritableIntent(call)) return false;
    return versions === undefined || versions[assets.indexOf(name)] === source.version;
  });
  const unreported = ownCalls.flatMap((call, index) => {
    const isCoveredLater = ownCalls.slice(index + 1).some((later) => isSuccessorOf(later, call));
    const warning = isCoveredLater ? undefined : findDuplicateWarning(call, nameOf(call) ?? key);
    return warning === undefined || warnings.includes(warning) ? [] : [warning];
  });
  return [...new Set(unreported)];
}

/** True if `laterIntent` repeats the ambiguous call. It has then inherited the ambiguity, and reports it. */
export function isSuccessorOf(laterIntent: Intent, { ambiguousSince }: Intent): boolean {
  if (laterIntent.ambiguousSince === undefined || ambiguousSince === undefined) return false;
  return laterIntent.ambiguousSince <= ambiguousSince;
}

function findDuplicateWarning({ operation, state, ambiguousSince, result }: Intent, key: string) {
  if (state === 'done' || state === 'abandoned') return result?.[key]?.possibleDuplicate;
  // A refused call did no work, unless an earlier attempt was ambiguous. An open call may have been sent.
  if (state === 'refused' && ambiguousSince === undefined) return undefined;
  return `${operation} was sent, but its outcome is unknown. If the call is repeated, its work may have been done, and counted, twice`;
}
