// A creating call as a feature describes it: which platform ids its response contains for each asset, which assets the
// call was about, and how to find its result if the response is lost.

import type { z } from 'zod';
import type { OutputOf } from '../../api/contract/operation.ts';
import type { OperationId, Operations } from '../../api/operations/index.ts';
import { toVisibleName } from '../../api/requests/name-comparison.ts';
import { parseJson } from '../../api/responses/bounded-json.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Asset, Json } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { canReuseWork } from '../../store/records/source-version.ts';
import type { NodeContext } from '../node-context.ts';
import { type CallOutcome, type IdsByAsset, toIdsByAsset } from './call-outcome.ts';

/** A creating call as stored in its intent. The asset keys are in the order of the body's items. */
export type SentCall = Pick<
  Intent,
  'params' | 'bodyText' | 'assets' | 'versions' | 'isInherited' | 'known'
>;

export type ResponseTo<Id extends OperationId> = OutputOf<Operations[Id]>;

/** Body of an operation. It is null if there is none, and any JSON if pipeline files define it. */
export type BodyOf<Id extends OperationId> = Id extends OperationId
  ? Operations[Id] extends { bodyFields: readonly string[] }
    ? Json
    : Operations[Id] extends { body: infer Body extends z.ZodType }
      ? z.input<Body>
      : null
  : never;

export type ParsedCall<Id extends OperationId, Call extends SentCall = SentCall> = Call & {
  readonly body: BodyOf<Id>;
};

export interface Creation<Id extends OperationId = OperationId> {
  readonly operation: Id;
  /** Set for calls that upload files, so that each call concerns one version of each file. */
  readonly takesFiles?: true;
  /**
   * Reads the platform ids of each asset from the response.
   * @param respondedAt the platform's time of the response, ISO 8601
   */
  readIds(sentCall: ParsedCall<Id>, response: ResponseTo<Id>, respondedAt: string): IdsByAsset;
  /** True if an item of the call concerned the asset in its current state. @default always true */
  isAboutAsset?(sentCall: ParsedCall<Id>, index: number, platformIds: PlatformIds): boolean;
  /**
   * Reads whether the call succeeded. Absent for calls that create resources with upload links, which are useless
   * without the links in the lost response (`possible-duplicates.ts`).
   * @throws OutcomePendingError if a later read may show more
   */
  findOutcome?(sentCall: ParsedCall<Id, Intent>, context: NodeContext): Promise<CallOutcome>;
  /** Reads platform ids of assets that the response does not mention. */
  readUnmentioned?(
    sentCall: ParsedCall<Id, Intent>,
    response: ResponseTo<Id>,
    context: NodeContext,
  ): Promise<IdsByAsset>;
  /** Fields that replace those of the response if the call was sent twice. */
  readonly idsWhenAmbiguous?: PlatformIds;
  /**
   * How to read ids that must not be shared by two owners, if the operation's contract does not specify the id field
   * (`creates`). Assets of the same owner may share an id.
   */
  readonly unique?: {
    readonly idOf: (platformIds: PlatformIds) => string | undefined;
    readonly ownerOf: (call: Pick<Intent, 'key' | 'params'>) => string;
  };
  /** Set for calls that count against a quota of renders. */
  readonly renders?: {
    /** Returns the maximum number of renders that the call may start. */
    requested(sentCall: ParsedCall<Id>): number;
    /** Returns the number of renders that the call has started, or null if the response does not state it. */
    started(response: ResponseTo<Id>, idsByAsset: IdsByAsset): number | null;
  };
  /** Names of the resources that the call creates. Lists are searched for these names to find possible duplicates. */
  names?(body: BodyOf<Id>): readonly (string | undefined)[];
}

export function defineCreation<Id extends OperationId>(creation: Creation<Id>): Creation<Id> {
  return creation;
}

/** Returns the body of a call, parsed from the text in its intent. */
export function bodyOf<Id extends OperationId>({
  bodyText,
}: Pick<SentCall, 'bodyText'>): BodyOf<Id> {
  return parseJson(bodyText === '' ? 'null' : bodyText) as BodyOf<Id>;
}

/** Returns the call with its body parsed. `_creation` only determines the type. */
export function parseCall<Id extends OperationId, Call extends SentCall>(
  _creation: Creation<Id>,
  call: Call,
): ParsedCall<Id, Call> {
  return { ...call, body: bodyOf<Id>(call) };
}

/**
 * True if an item of a call concerned the asset in its current state. It must have had the same version of the file
 * and, for a call of an earlier run, been an upload that this run continues.
 */
export function isIntentForAsset<Id extends OperationId>(
  creation: Creation<Id>,
  call: SentCall,
  index: number,
  { source, platformIds }: Asset,
): boolean {
  const { versions, isInherited } = call;
  if (versions !== undefined && isInherited && !platformIds.uploadStarted) return false;
  if (versions !== undefined && !canReuseWork(versions[index] ?? '', source.version)) return false;
  return creation.isAboutAsset?.(parseCall(creation, call), index, platformIds) ?? true;
}

/** Assigns platform ids to asset keys, for the assets that the function returns ids for. */
export function assignIds(
  assets: readonly string[],
  idsOf: (index: number) => PlatformIds | null | undefined,
): IdsByAsset {
  const idsByAsset = toIdsByAsset();
  assets.forEach((key, index) => {
    const platformIds = idsOf(index);
    if (platformIds) idsByAsset[key] = platformIds;
  });
  return idsByAsset;
}

/**
 * Assigns created items to assets by name. Assets whose item was not created by the platform are missing. The reference
 * does not say that names are returned unchanged, so names that look alike are the same unless several do.
 */
export function assignIdsByName(
  assets: readonly string[],
  names: readonly (string | undefined)[],
  namedIds: readonly (readonly [name: string | undefined, refs: PlatformIds])[],
): IdsByAsset {
  const refsOf = new Map(namedIds);
  const lookalikes = groupBy(names, (name = '') => toVisibleName(name));
  const refsOfVisible = new Map(namedIds.map(([name = '', refs]) => [toVisibleName(name), refs]));
  return assignIds(assets, (index) => {
    const name = names[index];
    if (name === undefined) return null;
    const visibleName = toVisibleName(name);
    const isUnique = lookalikes.get(visibleName)?.length === 1;
    return refsOf.get(name) ?? (isUnique ? refsOfVisible.get(visibleName) : undefined);
  });
}
