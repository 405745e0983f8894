// Lists and descriptions of workflows and schedules in which what cannot be decrypted here hides nothing else.
import {
  Client,
  type ListOptions,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { looseFields } from '../../api/loose-fields.ts';
import { isUnreadable } from './codec-errors.ts';

/** Why something cannot be read here, as an error would say it. */
export interface UnreadableNote {
  code: string;
  message: string;
  fix: string;
}

/** Whether a workflow's memo could be read; null where it could, or where it has none. */
export interface Readable {
  unreadable: UnreadableNote | null;
}

/** As `client.workflow.list`, which ends at the first memo that it cannot read. An unreadable memo is empty. */
export async function* listWorkflows(
  client: Client,
  options: ListOptions,
): AsyncGenerator<WorkflowExecutionInfo & Readable> {
  for await (const info of tolerant(client).workflow.list(options)) yield withoutMarks(info);
}

/** As `describe` of a handle, for whom a memo that cannot be read is no obstacle. @throws WorkflowNotFoundError */
export async function describeWorkflow(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription & Readable> {
  return withoutMarks(await tolerant(client).workflow.getHandle(workflowId).describe());
}

function withoutMarks<Info extends Pick<WorkflowExecutionInfo, 'memo'>>(
  info: Info,
): Info & Readable {
  const fields = Object.entries(info.memo ?? {});
  const unreadable = fields.map(([, value]) => noteIn(value)).find((note) => note !== null);
  if (!unreadable) return { ...info, unreadable: null };
  const memo = Object.fromEntries(fields.filter(([, value]) => noteIn(value) === null));
  return { ...info, memo, unreadable };
}

/** The same client, which reads a note (`noteIn`) in place of what it cannot decrypt. */
export function tolerant(client: Client): Client {
  const { connection, options } = client;
  const { namespace, identity, loadedDataConverter } = options;
  // Without a codec nothing is decrypted, so nothing can fail.
  if (loadedDataConverter.payloadCodecs.length === 0) return client;
  const payloadCodecs = loadedDataConverter.payloadCodecs.map(noting);
  return new Client({ connection, namespace, identity, dataConverter: { payloadCodecs } });
}

/** Field of a note; nothing of ours has one of this name. */
const mark = 'renderlineUnreadable';

/** The note that a tolerant client has read; null for everything else. */
export function noteIn(value: unknown): UnreadableNote | null {
  // Notes are made below alone.
  return (looseFields(value)[mark] as UnreadableNote | undefined) ?? null;
}

function noting(
  codec: PayloadCodec & { hidesNames?: boolean },
): PayloadCodec & { hidesNames: boolean } {
  const decode = async (payload: Payload, context: Parameters<PayloadCodec['decode']>[1]) => {
    try {
      return await codec.decode([payload], context);
    } catch (error) {
      return [defaultPayloadConverter.toPayload({ [mark]: noteOf(error) })];
    }
  };
  return {
    hidesNames: codec.hidesNames === true,
    encode: (payloads, context) => codec.encode(payloads, context),
    decode: async (payloads, context) =>
      (await Promise.all(payloads.map((payload) => decode(payload, context)))).flat(),
  };
}

/** The note of an error that says that something cannot be read here. @throws every other error */
export function noteOf(error: unknown): UnreadableNote {
  if (!isUnreadable(error)) throw error;
  const { failure, message, fix } = error;
  return { code: failure.code, message, fix };
}
