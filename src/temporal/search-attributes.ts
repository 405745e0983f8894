// The search attributes that Renderline needs in a namespace. Checks and registers them.

import type { Connection } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { findGrpcStatus, grpcCode, hasGrpcCode } from '../failures/grpc-status.ts';
import { searchAttributeNames } from '../plan/search-attributes.ts';
import { callWithTimeout, responseTimeoutMs } from './call-with-timeout.ts';

/** Type names as Temporal's command line writes them. */
export type SearchAttributeKind = 'Keyword' | 'KeywordList';

export interface SearchAttribute {
  readonly name: string;
  readonly type: SearchAttributeKind;
}

/** The most important attributes come first, because a server may not have room for all KeywordLists. */
export const searchAttributes: readonly SearchAttribute[] = [
  { name: searchAttributeNames.pipeline, type: 'Keyword' },
  { name: searchAttributeNames.outcome, type: 'Keyword' },
  { name: searchAttributeNames.lateness, type: 'Keyword' },
  { name: searchAttributeNames.failedKeys, type: 'KeywordList' },
  { name: searchAttributeNames.failedModels, type: 'KeywordList' },
  { name: searchAttributeNames.positions, type: 'KeywordList' },
];

const { KEYWORD, KEYWORD_LIST } = SearchAttributeType;
/** Typed keys for starting workflows and for schedules. */
export const searchAttributeKeys = {
  pipeline: defineSearchAttributeKey(searchAttributeNames.pipeline, KEYWORD),
  outcome: defineSearchAttributeKey(searchAttributeNames.outcome, KEYWORD),
  failedKeys: defineSearchAttributeKey(searchAttributeNames.failedKeys, KEYWORD_LIST),
  failedModels: defineSearchAttributeKey(searchAttributeNames.failedModels, KEYWORD_LIST),
};

export interface SearchAttributeReport {
  readonly added: readonly SearchAttribute[];
  /** Attributes that the namespace still lacks. */
  readonly missing: readonly SearchAttribute[];
  /** Part of `missing`: attributes beyond the limit of the namespace. Runs work without them. */
  readonly overLimit: readonly SearchAttribute[];
  /** Attributes that exist with another type, which cannot be changed in place. */
  readonly conflicting: readonly SearchAttribute[];
  /** The server's explanation of why it did not list or add attributes. Empty if it did. */
  readonly reason: string;
  /** Shell commands that add the missing attributes, for a person with permission. */
  readonly lines: readonly string[];
}

// Values of temporal.api.enums.v1.IndexedValueType.
const typeNumbers: Record<SearchAttributeKind, number> = { Keyword: 2, KeywordList: 7 };

/**
 * Adds missing attributes and changes no others. Safe to repeat and to run concurrently. Servers on SQL support three
 * KeywordLists per namespace, which other programs may use. In that case, as many attributes as fit are added. If the
 * server refuses (as Temporal Cloud does), the report says what a person has to add.
 */
export async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  required: readonly SearchAttribute[] = searchAttributes,
): Promise<SearchAttributeReport> {
  const before = await checkSearchAttributes(connection, namespace, required);
  if (before.missing.length === 0 || before.reason) return before;
  const { reason, overLimit } = await addWhatFits(connection, namespace, before.missing);
  const after = await checkSearchAttributes(connection, namespace, required);
  const stillMissing = new Set(after.missing.map((attribute) => attribute.name));
  return {
    ...after,
    added: before.missing.filter((attribute) => !stillMissing.has(attribute.name)),
    overLimit: overLimit.filter((attribute) => stillMissing.has(attribute.name)),
    reason: after.reason || (after.missing.length > 0 ? reason : ''),
  };
}

/** Adds all attributes in one request or, if that exceeds the limit, one by one. */
async function addWhatFits(
  connection: Connection,
  namespace: string,
  missingAttributes: readonly SearchAttribute[],
): Promise<Pick<SearchAttributeReport, 'reason' | 'overLimit'>> {
  const together = await addAttributes(connection, namespace, missingAttributes);
  if (!together.isLimitReached) return { reason: together.reason, overLimit: [] };
  let { reason } = together;
  const overLimit: SearchAttribute[] = [];
  for (const attribute of missingAttributes) {
    const alone = await addAttributes(connection, namespace, [attribute]);
    if (!alone.isLimitReached) continue;
    overLimit.push(attribute);
    ({ reason } = alone);
  }
  return { reason, overLimit };
}

/** Like `ensureSearchAttributes`, but adds nothing. */
export async function checkSearchAttributes(
  connection: Connection,
  namespace: string,
  required: readonly SearchAttribute[] = searchAttributes,
): Promise<SearchAttributeReport> {
  let typeByName: Record<string, number> = {};
  let reason = '';
  try {
    const response = await callWithTimeout(connection, responseTimeoutMs.usual, () =>
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    typeByName = { ...response.customAttributes };
  } catch (error) {
    if (!isRefusalError(error)) throw error;
    reason = messageOf(error);
  }
  const missingAttributes = required.filter(({ name }) => typeByName[name] === undefined);
  const conflicting = required.filter(
    ({ name, type }) => typeByName[name] !== undefined && typeByName[name] !== typeNumbers[type],
  );
  return {
    added: [],
    missing: missingAttributes,
    overLimit: [],
    conflicting,
    reason,
    lines: missingAttributes.map(
      ({ name, type }) =>
        `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${type}`,
    ),
  };
}

async function addAttributes(
  connection: Connection,
  namespace: string,
  attributes: readonly SearchAttribute[],
): Promise<{ reason: string; isLimitReached: boolean }> {
  const entries = attributes.map(({ name, type }) => [name, typeNumbers[type]] as const);
  try {
    await callWithTimeout(connection, responseTimeoutMs.usual, () =>
      connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(entries),
      }),
    );
    return { reason: '', isLimitReached: false };
  } catch (error) {
    const reason = messageOf(error);
    if (isLimitReached(error)) return { reason, isLimitReached: true };
    // Another process may add the same attribute at this moment. The check afterwards shows whether it exists.
    if (isRefusalError(error) || hasGrpcCode(error, grpcCode.alreadyExists))
      return { reason, isLimitReached: false };
    throw error;
  }
}

const refusals: ReadonlySet<number> = new Set([
  grpcCode.permissionDenied,
  grpcCode.failedPrecondition,
  grpcCode.unimplemented,
  grpcCode.unauthenticated,
]);

/**
 * The server reports "cannot have more than 3 search attribute of type KeywordList" as an invalid argument. Our names
 * and types are valid, so no other argument can be invalid.
 */
function isLimitReached(error: unknown): boolean {
  return hasGrpcCode(error, grpcCode.invalidArgument);
}

function isRefusalError(error: unknown): boolean {
  return refusals.has(findGrpcStatus(error)?.code ?? grpcCode.ok);
}

function messageOf(error: unknown): string {
  return findGrpcStatus(error)?.details || String(error);
}
