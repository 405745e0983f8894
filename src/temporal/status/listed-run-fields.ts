// Reads the memo and the search attributes of a listed run.
import type { Client } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import { decodeTypedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes.js';
import { type RunMemo, runMemoField } from '../../plan/run/run-memo.ts';
import { tryDecodeValue } from '../codec/decode-payload.ts';
import type { ListedExecution } from '../runs/list-executions.ts';

/** Returns the memo of a run, or null if there is none or it cannot be decrypted here. */
export function readRunMemo(client: Client, { memo }: ListedExecution): Promise<RunMemo | null> {
  return tryDecodeValue<RunMemo>(client.options, memo?.fields?.[runMemoField]);
}

/** Returns the search attribute values by name. */
export function attributesOf({ searchAttributes }: ListedExecution): ReadonlyMap<string, unknown> {
  const typed: TypedSearchAttributes = decodeTypedSearchAttributes(searchAttributes?.indexedFields);
  return new Map(typed.getAll().map(({ key, value }) => [key.name, value]));
}
