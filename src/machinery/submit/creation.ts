// A creating call as a capability describes it: what its answer gives to each asset, which assets it was about, and how
// reads find its work where no answer came. Body and answer have the types of the contract's row.

import type { z } from 'zod';
import { parseJson } from '../../api/bounded-json.ts';
import type { OutputOf } from '../../api/operation.ts';
import type { OperationId, Operations } from '../../api/operations/index.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Asset, Json } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { isBuiltOf } from '../../store/records/source-version.ts';
import type { NodeContext } from '../node-context.ts';
import type { Answers, Finding } from './finding.ts';

/** A creating call as its intent keeps it: the asset keys stand in the order of the body's items. */
export type SentCall = Pick<
  Intent,
  'params' | 'bodyText' | 'assets' | 'versions' | 'isInherited' | 'known'
>;

/** Answer of an operation, as far as callers need it. */
export type AnswerTo<Id extends OperationId> = OutputOf<Operations[Id]>;

/** Body of an operation; null where it takes none, anything where a pipeline file says how its body looks. */
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
  /** Set for calls that take files up, and so are about one version of each. */
  readonly takesFiles?: true;
  /** Refs of each asset, from the answer. `at`: the platform's clock when it answered, ISO 8601. */
  refs(sent: Sent<Id>, answer: AnswerTo<Id>, at: string): Answers;
  /** True where an item was about the asset as it is now. @default it always is */
  isAbout?(sent: Sent<Id>, index: number, refs: Refs): boolean;
  /**
   * Reads that show whether the call has worked. Records are no use without the links of their answer: see leftovers.
   * @throws OutcomeOpenError where a later look may tell more
   */
  look?(sent: Sent<Id, Intent>, context: NodeContext): Promise<Finding>;
  /** Reads that show what an answer has left out. */
  rest?(sent: Sent<Id, Intent>, answer: AnswerTo<Id>, context: NodeContext): Promise<Answers>;
  /** Refs that replace those of a call that was sent twice. */
  readonly doubted?: Refs;
  /**
   * Ids that differ for each owner, where the row of the operation does not name their field (`makes`). Assets of one
   * owner may share an id.
   */
  readonly unique?: {
    readonly idOf: (refs: Refs) => string | undefined;
    readonly ownerOf: (call: Pick<Intent, 'key' | 'params'>) => string;
  };
  /** Names of the records that it makes, by which a list shows what a first try has left. */
  names?(body: BodyOf<Id>): readonly (string | undefined)[];
}

export function defineCreation<Id extends OperationId>(creation: Creation<Id>): Creation<Id> {
  return creation;
}

/** The body of a call of this operation, as it was written down. */
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
 * True where an item of a call was about the asset as it is now. A file that was replaced, or uploaded anew, has
 * another model; one whose upload came to its end needs another record.
 */
export function isAbout<Id extends OperationId>(
  creation: Creation<Id>,
  call: SentCall,
  index: number,
  { source, refs }: Asset,
): boolean {
  const { versions, isInherited } = call;
  if (versions !== undefined && isInherited && !refs.begun) return false;
  if (versions !== undefined && !isBuiltOf(versions[index] ?? '', source.version)) return false;
  return creation.isAbout?.(sentAs(creation, call), index, refs) ?? true;
}

/** Refs of those assets for which the function has some. */
export function collect(
  assets: readonly string[],
  refsOf: (index: number) => Refs | null | undefined,
): Answers {
  const answers: Answers = {};
  assets.forEach((key, index) => {
    const refs = refsOf(index);
    if (refs) answers[key] = refs;
  });
  return answers;
}

/** Gives items to the assets that asked for them by name: one that could not be made is missing (platform.md, section 4, partial success). */
export function collectByName(
  assets: readonly string[],
  asked: readonly (string | undefined)[],
  made: readonly (readonly [name: string | undefined, refs: Refs])[],
): Answers {
  const refsOf = new Map(made);
  return collect(assets, (index) => (asked[index] === undefined ? null : refsOf.get(asked[index])));
}
