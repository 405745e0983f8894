// Decides which platform objects our own runs have created. Only objects of others may start runs.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import type { Refs } from '../../plan/refs.ts';
import type { ToldOf } from '../../plan/sift-contract.ts';
import type { OwnObjects } from '../../store/calls/own-objects.ts';
import type { ListedSource } from '../../store/discovery/lister.ts';

export interface OwnContext {
  readonly client: Client;
  readonly requests: RequestCounter;
  readonly signal: AbortSignal;
}

/** How a feature recognises its own resources. Null: the object is none of this feature's kinds. */
export interface OwnCheck {
  /** For an object of an event, without requests. */
  told(told: ToldOf, own: OwnObjects, context: Pick<OwnContext, 'client'>): boolean | null;
  /** Reads from the platform what `found` needs. */
  learn?(found: readonly ListedSource[], own: OwnObjects, context: OwnContext): Promise<void>;
  /** For an object of a list. */
  found(refs: Refs, own: OwnObjects, context: Pick<OwnContext, 'client'>): boolean | null;
}

/** The event objects that others have created. @param checks the first one that does not return null decides */
export function toldByOthers(
  told: readonly ToldOf[],
  checks: readonly OwnCheck[],
  own: OwnObjects,
  context: Pick<OwnContext, 'client'>,
): ToldOf[] {
  return told.filter((one) => !firstKnown(checks, (check) => check.told(one, own, context)));
}

/** The listed objects that others have created. @param checks the first one that does not return null decides */
export async function madeByOthers(
  found: readonly ListedSource[],
  checks: readonly OwnCheck[],
  own: OwnObjects,
  context: OwnContext,
): Promise<ListedSource[]> {
  for (const check of checks) await check.learn?.(found, own, context);
  return found.filter(
    ({ refs = {} }) => !firstKnown(checks, (check) => check.found(refs, own, context)),
  );
}

function firstKnown(
  checks: readonly OwnCheck[],
  isOurs: (check: OwnCheck) => boolean | null,
): boolean {
  for (const check of checks) {
    const known = isOurs(check);
    if (known !== null) return known;
  }
  return false;
}
