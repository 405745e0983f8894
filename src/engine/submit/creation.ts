// A creating call as a feature describes it: which platform ids its response gives to each asset, which assets it was
// about, and how reads find its result if the response was lost. Body and response have the types of the contract row.

import type { z } from 'zod';
import type { OutputOf } from '../../api/contract/operation.ts';
import type { OperationId, Operations } from '../../api/operations/index.ts';
import { parseJson } from '../../api/responses/bounded-json.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Asset, Json } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { canReuseWork } from '../../store/records/source-version.ts';
import type { NodeContext } from '../node-context.ts';
import type { CallOutcome, IdsByAsset } from './call-outcome.ts';

/** A creating call as its intent keeps it. The asset keys are in the order of the body's items. */
export type SentCall = Pick<
  Intent,
  'params' | 'bodyText' | 'assets' | 'versions' | 'isInherited' | 'known'
>;

/** Response of an operation, limited to what callers need. */
export type ResponseTo<Id extends OperationId> = OutputOf<Operations[Id]>;

/** Body of an operation; null if it takes none, any JSON if a pipeline file defines the body. */
export type BodyOf<Id extends OperationId> = Id extends OperationId
  ? Operations[Id] extends { bodyFields: readonly string[] }
    ? Json
    : Operations[Id] extends { body: infer Body extends z.ZodType }
      ? z.input<Body>
      : null
  : never;

/** A call with its body as it was sent. */
export type Sent<Id extends OperationId, Call extends SentCall = SentCall> = Call & {
  readonly body: BodyOf<Id>;
};

export interface Creation<Id extends OperationId = OperationId> {
  readonly operation: Id;
  /** Set for calls that upload files, so that each call is about one version of each file. */
  readonly takesFiles?: true;
  /** Platform ids of each asset, read from the response. `at`: the platform's time of the response, ISO 8601. */
  readIds(sent: Sent<Id>, answer: ResponseTo<Id>, at: string): IdsByAsset;
  /** True if an item of the call was about the asset as it is now. @default always true */
  isAbout?(sent: Sent<Id>, index: number, readIds: PlatformIds): boolean;
  /**
   * Reads whether the call has worked. Not for records with upload links: without the links of the lost response they are
   * useless (`possible-duplicates.ts`).
   * @throws OutcomePendingError if a later read may show more
   */
  findOutcome?(sent: Sent<Id, Intent>, context: NodeContext): Promise<CallOutcome>;
  /** Reads what a response has left out. */
  readUnmentioned?(
    sent: Sent<Id, Intent>,
    answer: ResponseTo<Id>,
    context: NodeContext,
  ): Promise<IdsByAsset>;
  /** Platform ids that replace those of a call that was sent twice. */
  readonly idsWhenAmbiguous?: PlatformIds;
  /**
   * Reads ids that must differ per owner, if the row of the operation does not name their field (`creates`). Assets of one
   * owner may share an id.
   */
  readonly unique?: {
    readonly idOf: (readIds: PlatformIds) => string | undefined;
    readonly ownerOf: (call: Pick<Intent, 'key' | 'params'>) => string;
  };
  /** Set for calls that a quota of renders counts. */
  readonly renders?: {
    /** The most renders that the call may start. */
    requested(sent: Sent<Id>): number;
    /** Renders that the call has started; null if the response does not say. */
    started(answer: ResponseTo<Id>, created: IdsByAsset): number | null;
  };
  /** Names of the records that the call creates; a list is searched for them to find what a first attempt has created. */
  names?(body: BodyOf<Id>): readonly (string | undefined)[];
}

export function defineCreation<Id extends OperationId>(creation: Creation<Id>): Creation<Id> {
  return creation;
}

/** The parsed body of a call, from the text that its intent keeps. */
export function bodyOf<Id extends OperationId>({
  bodyText,
}: Pick<SentCall, 'bodyText'>): BodyOf<Id> {
  return parseJson(bodyText === '' ? 'null' : bodyText) as BodyOf<Id>;
}

/** A call of this creation with its body. */
export function sentAs<Id extends OperationId, Call extends SentCall>(
  _creation: Creation<Id>,
  call: Call,
): Sent<Id, Call> {
  return { ...call, body: bodyOf<Id>(call) };
}

/**
 * True if an item of a call was about the asset as it is now. A file that was replaced or uploaded again has another
 * model; a file whose earlier upload was completed needs another record.
 */
export function isAbout<Id extends OperationId>(
  creation: Creation<Id>,
  call: SentCall,
  index: number,
  { source, platformIds }: Asset,
): boolean {
  const { versions, isInherited } = call;
  if (versions !== undefined && isInherited && !platformIds.uploadStarted) return false;
  if (versions !== undefined && !canReuseWork(versions[index] ?? '', source.version)) return false;
  return creation.isAbout?.(sentAs(creation, call), index, platformIds) ?? true;
}

/** Platform ids by asset key, of the assets for which the function returns some. */
export function collect(
  assets: readonly string[],
  idsOf: (index: number) => PlatformIds | null | undefined,
): IdsByAsset {
  const answers: IdsByAsset = {};
  assets.forEach((key, index) => {
    const platformIds = idsOf(index);
    if (platformIds) answers[key] = platformIds;
  });
  return answers;
}

/** Assigns items to the assets that requested them by name. Items that the platform did not create are missing: a partial success. */
export function collectByName(
  assets: readonly string[],
  names: readonly (string | undefined)[],
  made: readonly (readonly [name: string | undefined, refs: PlatformIds])[],
): IdsByAsset {
  const refsOf = new Map(made);
  return collect(assets, (index) => (names[index] === undefined ? null : refsOf.get(names[index])));
}
