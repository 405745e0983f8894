// Which of the platform's objects runs with records in the same place have made themselves: only others may start runs.
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

/** What a capability knows of its own things; null says that something is none of them. */
export interface OwnCheck {
  /** Of what an event told; nothing is asked. */
  told(told: ToldOf, own: OwnObjects, context: Pick<OwnContext, 'client'>): boolean | null;
  /** Asks the platform what `found` has to know. */
  learn?(found: readonly ListedSource[], own: OwnObjects, context: OwnContext): Promise<void>;
  /** Of what a list shows. */
  found(refs: Refs, own: OwnObjects, context: Pick<OwnContext, 'client'>): boolean | null;
}

/** @param checks the first that knows decides */
export function toldByOthers(
  told: readonly ToldOf[],
  checks: readonly OwnCheck[],
  own: OwnObjects,
  context: Pick<OwnContext, 'client'>,
): ToldOf[] {
  return told.filter((one) => !firstKnown(checks, (check) => check.told(one, own, context)));
}

/** @param checks the first that knows decides */
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
