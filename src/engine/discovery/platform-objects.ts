// Asset keys of platform objects. A key is the object's name, made unique by its id.
import { assetFailures } from '../../failures/assets.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { failSource } from '../../failures/fail.ts';
import type { Failure } from '../../plan/types.ts';
import { findKeyProblem, type UnkeyedSource } from '../../store/discovery/asset-keys.ts';
import type { IdLookupResult } from './find-by-ids.ts';

export function toUnkeyedObject(id: string, name: string): UnkeyedSource {
  const short = name.normalize('NFC').trim();
  if (findKeyProblem(short) !== null) return { id, label: id, shortKey: id, longKey: id };
  return { id, label: `${short} (${id})`, shortKey: short, longKey: `${short}-${id}` };
}

/** Returns the creation time of an object as a field, which is absent if the time is unreadable. */
export function toCreationTime(createdAt: string | undefined): { madeAtMs?: number } {
  const madeAtMs = Date.parse(createdAt ?? '');
  return Number.isNaN(madeAtMs) ? {} : { madeAtMs };
}

/** Creates the failure for an object that was selected by id. A rerun selects the object by this id, too. */
export function objectFailure(
  failure: KnownFailure,
  id: string,
  node: string,
  message: string,
): Failure {
  return { ...failSource(failure, id, node, message), sourceId: id };
}

/** Creates the failure for an object that was selected by id and whose response is unreadable. */
export function unreadableFailure(id: string, message: string, node: string): Failure {
  return objectFailure(assetFailures.API_UNEXPECTED, id, node, message);
}

/** Creates the failures for objects that were not found by their ids. */
export function failRefusedIds(
  { missingIds, unreadable }: Pick<IdLookupResult<unknown>, 'missingIds' | 'unreadable'>,
  { failure, what, node }: { failure: KnownFailure; what: string; node: string },
): Failure[] {
  return [
    ...missingIds.map((id) => missingFailure(failure, what, id, node)),
    ...unreadable.map(({ id, message }) => unreadableFailure(id, message, node)),
  ];
}

/** Creates the failure for an object that was selected by id and does not exist. */
export function missingFailure(
  failure: KnownFailure,
  label: string,
  id: string,
  node: string,
): Failure {
  const message = `${label} ${id} does not exist in this workspace; check the id and the API key`;
  return objectFailure(failure, id, node, message);
}
