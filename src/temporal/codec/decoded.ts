// Reads payloads and failures that the SDK's client hands over as they lie in a history.
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { looseFields } from '../../api/loose-fields.ts';
import { isUnreadable } from './codec-errors.ts';

export type Converting = Pick<Client['options'], 'loadedDataConverter'>;

/** @throws CodecKeyMissingError for one whose key is not set here */
export async function decodedValue<T>(
  { loadedDataConverter }: Converting,
  payload: Payload | null | undefined,
): Promise<T | null> {
  if (!payload) return null;
  let payloads = [payload];
  for (const codec of loadedDataConverter.payloadCodecs.toReversed()) {
    payloads = await codec.decode(payloads);
  }
  const [plain] = payloads;
  return plain ? loadedDataConverter.payloadConverter.fromPayload<T>(plain) : null;
}

/** The same, and null also for a payload that cannot be read here, for want of its key or since others wrote it in their way. */
export async function readableValue<T = unknown>(
  converting: Converting,
  payload: Payload | null | undefined,
): Promise<T | null> {
  return decodedValue<T>(converting, payload).catch(() => null);
}

interface RawFailure {
  message?: string | null | undefined;
  encodedAttributes?: Payload | null | undefined;
}

/** The message of a failure, which workers that encrypt put into a payload; empty where there is none. Says why it cannot be read. */
export async function failureMessage(
  converting: Converting,
  failure: RawFailure | null | undefined,
): Promise<string> {
  const encoded = decodedValue(converting, failure?.encodedAttributes);
  const attributes = await encoded.catch((error: unknown) => {
    if (!isUnreadable(error)) throw error;
    return { message: `not readable here: ${error.message}` };
  });
  const { message } = looseFields(attributes);
  return typeof message === 'string' ? message : (failure?.message ?? '');
}
