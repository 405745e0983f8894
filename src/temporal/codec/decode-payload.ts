// Decodes payloads and failures that the SDK's client returns raw, as they are stored in a history.
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { asRecord } from '../../api/unknown-values.ts';
import { isUnreadableError } from './codec-errors.ts';

export type ConverterOptions = Pick<Client['options'], 'loadedDataConverter'>;

/** Returns the value of a payload, or null if there is none. @throws CodecKeyMissingError, CodecKeyWrongError */
export async function decodeValue<T>(
  { loadedDataConverter }: ConverterOptions,
  payload: Payload | null | undefined,
): Promise<T | null> {
  if (!payload) return null;
  let payloads = [payload];
  for (const codec of loadedDataConverter.payloadCodecs.toReversed()) {
    payloads = await codec.decode(payloads);
  }
  const [plainPayload] = payloads;
  return plainPayload ? loadedDataConverter.payloadConverter.fromPayload<T>(plainPayload) : null;
}

/** Like `decodeValue`, but also null if the payload cannot be decoded, for example because its key is not set here. */
export async function tryDecodeValue<T = unknown>(
  converterOptions: ConverterOptions,
  payload: Payload | null | undefined,
): Promise<T | null> {
  return decodeValue<T>(converterOptions, payload).catch(() => null);
}

interface RawFailure {
  message?: string | null | undefined;
  encodedAttributes?: Payload | null | undefined;
}

/**
 * Returns the message of a failure. Empty if there is none. Workers that encrypt write the message to a payload. If
 * that payload cannot be decrypted here, the result says so.
 */
export async function decodeFailureMessage(
  converterOptions: ConverterOptions,
  failure: RawFailure | null | undefined,
): Promise<string> {
  const encoded = decodeValue(converterOptions, failure?.encodedAttributes);
  const attributes = await encoded.catch((error: unknown) => {
    if (!isUnreadableError(error)) throw error;
    return { message: `not readable here: ${error.message}` };
  });
  const { message } = asRecord(attributes);
  return typeof message === 'string' ? message : (failure?.message ?? '');
}
