// Encrypts text for fields that cannot hold a payload in Temporal, such as the reason of a cancellation.
import { type ConverterOptions, tryDecodeValue } from './decode-payload.ts';
import { findKeyId, parsePayload, serializePayload } from './payload-codec.ts';

const mark = 'encrypted:';

/** Returns the encrypted text, or the text itself if this process does not encrypt. */
export async function encryptText(
  converterOptions: ConverterOptions,
  text: string,
): Promise<string> {
  const { payloadCodecs, payloadConverter } = converterOptions.loadedDataConverter;
  let payloads = [payloadConverter.toPayload(text)];
  for (const codec of payloadCodecs) payloads = await codec.encode(payloads);
  const [payload] = payloads;
  if (!payload || findKeyId(payload) === null) return text;
  return `${mark}${Buffer.from(serializePayload(payload)).toString('base64')}`;
}

/** Decrypts text, or returns null if that fails here. Text that `encryptText` did not create stays unchanged. */
export async function decryptText(
  converterOptions: ConverterOptions,
  text: string,
): Promise<string | null> {
  if (!text.startsWith(mark)) return text;
  const payload = parsePayload(Buffer.from(text.slice(mark.length), 'base64'));
  if (payload === null || findKeyId(payload) === null) return text;
  const value = await tryDecodeValue(converterOptions, payload);
  return typeof value === 'string' ? value : null;
}
