// Lists and describes workflows and schedules without failing when a memo cannot be decrypted here.
import {
  Client,
  type ListOptions,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { asRecord } from '../../api/unknown-values.ts';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { isUnreadableError } from './codec-errors.ts';

/** Why something cannot be decrypted here, with the code, message and fix of the error. */
export interface UnreadableNote {
  code: string;
  message: string;
  fix: string;
}

export interface WithReadability {
  /** Why the memo of a workflow could not be decrypted. Null if it could, or if there is no memo. */
  unreadable: UnreadableNote | null;
}

/**
 * Like `client.workflow.list`, which would throw at the first unreadable memo. Here unreadable memo fields are omitted.
 * @throws a gRPC error DEADLINE_EXCEEDED if a page of the list takes longer than `responseTimeoutMs.usual`
 */
export async function* listWorkflows(
  client: Client,
  options: ListOptions,
): AsyncGenerator<WorkflowExecutionInfo & WithReadability> {
  const iterator = createTolerantClient(client).workflow.list(options)[Symbol.asyncIterator]();
  // A deadline around the whole loop would also cover the work that the caller does between two pages.
  const next = () => callWithTimeout(client, responseTimeoutMs.usual, () => iterator.next());
  for (let item = await next(); item.done !== true; item = await next()) {
    yield removeNotes(item.value);
  }
}

/**
 * Like `describe` of a handle, but unreadable memo fields are omitted.
 * @param executionId @default the latest execution
 * @throws WorkflowNotFoundError
 */
export async function describeWorkflow(
  client: Client,
  workflowId: string,
  executionId?: string,
): Promise<WorkflowExecutionDescription & WithReadability> {
  const handle = createTolerantClient(client).workflow.getHandle(workflowId, executionId);
  return removeNotes(await handle.describe());
}

/** Like `describeWorkflow`, in at most `responseTimeoutMs.usual`. Null if Temporal does not know the workflow. */
export function findWorkflow(client: Client, workflowId: string, executionId?: string) {
  return callWithTimeout(client, responseTimeoutMs.usual, () =>
    describeWorkflow(client, workflowId, executionId).catch(ignoreNotFound),
  );
}

function removeNotes<Info extends Pick<WorkflowExecutionInfo, 'memo'>>(
  info: Info,
): Info & WithReadability {
  const fields = Object.entries(info.memo ?? {});
  const unreadable = fields
    .map(([, value]) => readUnreadableNote(value))
    .find((note) => note !== null);
  if (!unreadable) return { ...info, unreadable: null };
  const memo = Object.fromEntries(fields.filter(([, value]) => readUnreadableNote(value) === null));
  return { ...info, memo, unreadable };
}

/** Copies the client. The copy returns a note (see `readUnreadableNote`) instead of a value that it cannot decrypt. */
export function createTolerantClient(client: Client): Client {
  const { connection, options } = client;
  const { namespace, identity, loadedDataConverter } = options;
  // Without a codec, nothing is decrypted, so decryption cannot fail.
  if (loadedDataConverter.payloadCodecs.length === 0) return client;
  const payloadCodecs = loadedDataConverter.payloadCodecs.map(noteUnreadable);
  return new Client({ connection, namespace, identity, dataConverter: { payloadCodecs } });
}

/** Field that marks a note. No other value of Renderline has a field with this name. */
const noteField = 'renderlineUnreadable';

/** Returns the note in a value that a tolerant client returned, or null if the value is not a note. */
export function readUnreadableNote(value: unknown): UnreadableNote | null {
  // The cast is safe, because only `noteUnreadable` writes this field.
  return (asRecord(value)[noteField] as UnreadableNote | undefined) ?? null;
}

function noteUnreadable(
  codec: PayloadCodec & { areNamesHidden?: boolean },
): PayloadCodec & { areNamesHidden: boolean } {
  const decode = async (payload: Payload, context: Parameters<PayloadCodec['decode']>[1]) => {
    try {
      return await codec.decode([payload], context);
    } catch (error) {
      return [defaultPayloadConverter.toPayload({ [noteField]: toUnreadableNote(error) })];
    }
  };
  return {
    areNamesHidden: codec.areNamesHidden === true,
    encode: (payloads, context) => codec.encode(payloads, context),
    decode: async (payloads, context) =>
      (await Promise.all(payloads.map((payload) => decode(payload, context)))).flat(),
  };
}

/** Returns the note for an error about an undecryptable payload. @throws every other error */
export function toUnreadableNote(error: unknown): UnreadableNote {
  if (!isUnreadableError(error)) throw error;
  const { failure, message, fix } = error;
  return { code: failure.code, message, fix };
}
