// Determines which platform objects Renderline's runs have created. Only objects created by others may start runs.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import type { EventObject } from '../../plan/contract/filter-contract.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { isOwnObject, type OwnObjects } from '../../store/calls/own-objects.ts';
import type { ListedSource } from '../../store/discovery/listed-source.ts';

export interface OwnershipContext {
  readonly client: Client;
  readonly requests: RequestCounter;
  readonly signal: AbortSignal;
}

/**
 * How a feature recognizes resources that its own calls have created. Its methods return null if the check cannot tell
 * for an object.
 */
export interface OwnershipCheck {
  /** Checks the object of an event, without requests. */
  isOwnEvent(
    object: EventObject,
    ownObjects: OwnObjects,
    context: Pick<OwnershipContext, 'client'>,
  ): boolean | null;
  /** Reads from the platform what `isOwnListed` needs. */
  prepare?(
    sources: readonly ListedSource[],
    ownObjects: OwnObjects,
    context: OwnershipContext,
  ): Promise<void>;
  isOwnListed(
    platformIds: PlatformIds,
    ownObjects: OwnObjects,
    context: Pick<OwnershipContext, 'client'>,
  ): boolean | null;
}

/** Recognizes a model or project whose id was in the response to one of our calls. */
export function createIdCheck(
  kind: 'model' | 'project',
  idField: 'modelId' | 'projectId',
): OwnershipCheck {
  return {
    isOwnEvent: ({ id }, ownObjects) => isOwnObject(ownObjects, kind, id) || null,
    isOwnListed: ({ [idField]: id }, ownObjects) =>
      id === undefined ? null : isOwnObject(ownObjects, kind, id),
  };
}

/** Returns event objects that others have created. @param checks the first one that does not return null decides */
export function filterEventsOfOthers(
  events: readonly EventObject[],
  checks: readonly OwnershipCheck[],
  ownObjects: OwnObjects,
  context: Pick<OwnershipContext, 'client'>,
): EventObject[] {
  return events.filter(
    (event) => !findFirstKnown(checks, (check) => check.isOwnEvent(event, ownObjects, context)),
  );
}

/** Returns listed objects that others have created. @param checks the first one that does not return null decides */
export async function filterCreatedByOthers(
  sources: readonly ListedSource[],
  checks: readonly OwnershipCheck[],
  ownObjects: OwnObjects,
  context: OwnershipContext,
): Promise<ListedSource[]> {
  for (const check of checks) await check.prepare?.(sources, ownObjects, context);
  return sources.filter(
    ({ platformIds = {} }) =>
      !findFirstKnown(checks, (check) => check.isOwnListed(platformIds, ownObjects, context)),
  );
}

function findFirstKnown(
  checks: readonly OwnershipCheck[],
  isOwn: (check: OwnershipCheck) => boolean | null,
): boolean {
  for (const check of checks) {
    const verdict = isOwn(check);
    if (verdict !== null) return verdict;
  }
  return false;
}
