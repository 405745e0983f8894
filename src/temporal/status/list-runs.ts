// Lists runs as Temporal's visibility has them, with the memo and the search attributes of each.
import type { Client } from '@temporalio/client';
import type { Payload, TypedSearchAttributes } from '@temporalio/common';
import { decodeTypedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes.js';
import { type RunMemo, runMemoField } from '../../plan/run-memo.ts';
import { CodecKeyMissingError, CodecKeyWrongError } from '../codec/codec-errors.ts';
import { decodedValue } from '../codec/decoded.ts';

const answerMs = 20_000;
const pageSize = 1_000;

type Page = Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>;
type RawRun = Page['executions'][number];

/** Runs page by page. The SDK's own list ends at the first memo that it cannot read. */
export async function* listPages(client: Client, query: string): AsyncGenerator<RawRun[]> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.withDeadline(Date.now() + answerMs, () =>
      client.workflowService.listWorkflowExecutions({
        namespace,
        query,
        pageSize,
        ...(nextPageToken ? { nextPageToken } : {}),
      }),
    );
    yield page.executions;
    ({ nextPageToken } = page);
  } while (nextPageToken?.length);
}

/** The memo of a run; null where it has none, or where its key is not here. */
export async function memoOfRun(client: Client, { memo }: RawRun): Promise<RunMemo | null> {
  const field: Payload | undefined = memo?.fields?.[runMemoField];
  try {
    return await decodedValue<RunMemo>(client.options, field);
  } catch (error) {
    if (error instanceof CodecKeyMissingError || error instanceof CodecKeyWrongError) return null;
    throw error;
  }
}

/** Values by name. */
export function attributesOf({ searchAttributes }: RawRun): ReadonlyMap<string, unknown> {
  const typed: TypedSearchAttributes = decodeTypedSearchAttributes(searchAttributes?.indexedFields);
  return new Map(typed.getAll().map(({ key, value }) => [key.name, value]));
}

/** Milliseconds since 1970 of a time of the server. */
export function msOf(
  stamp: { seconds?: unknown; nanos?: number | null } | null | undefined,
): number {
  return Number(stamp?.seconds ?? 0) * 1_000 + (stamp?.nanos ?? 0) / 1e6;
}
