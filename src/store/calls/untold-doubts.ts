// Warnings about calls that may have done their work twice, or left a resource behind, and that no result reports because
// the asset failed or its run closed first. Pure.
import type { SettledAsset } from '../../plan/contract.ts';
import { namesOf } from '../records/asset-names.ts';
import { type Intent, isBuiltOn } from './intents.ts';

/**
 * Warnings for the report of an incomplete asset, in addition to its own.
 * @param calls of its shard, oldest first
 */
export function untoldDoubts(
  { key, source, warnings }: Pick<SettledAsset, 'key' | 'source' | 'warnings'>,
  calls: readonly Intent[],
): string[] {
  const names = namesOf({ key, source });
  const nameOf = ({ assets }: Intent) => assets.find((one) => names.includes(one));
  const ours = calls.filter((call) => {
    const { assets, versions, of, isInherited } = call;
    const name = nameOf(call);
    // A call that only ends the work of another call creates nothing that could exist twice.
    if (name === undefined || of !== undefined) return false;
    // The run that sent the call has reported it.
    if (isInherited && !isBuiltOn(call)) return false;
    return versions === undefined || versions[assets.indexOf(name)] === source.version;
  });
  const untold = ours.flatMap((call, index) => {
    const isPassedOn = ours.slice(index + 1).some((later) => hasTakenOver(later, call));
    const words = isPassedOn ? undefined : doubtOf(call, nameOf(call) ?? key);
    return words === undefined || warnings.includes(words) ? [] : [words];
  });
  return [...new Set(untold)];
}

/** A call that repeats an ambiguous call inherits the ambiguity and reports it. */
export function hasTakenOver(later: Intent, { doubtSince }: Intent): boolean {
  if (later.doubtSince === undefined || doubtSince === undefined) return false;
  return later.doubtSince <= doubtSince;
}

function doubtOf({ operation, state, doubtSince, answer }: Intent, key: string) {
  if (state === 'done' || state === 'abandoned') return answer?.[key]?.perhapsTwice;
  // An open intent was written before its call was sent, and no response was read.
  if (state === 'refused' && doubtSince === undefined) return undefined;
  return `${operation} was sent and its outcome is unknown, so if it is repeated its work may have been done, and counted, twice`;
}
