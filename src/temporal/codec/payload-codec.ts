// Encrypts what goes to Temporal and decrypts what comes back: AES-256-GCM, a random nonce for each payload, the key's id
// beside it. The form is that of Temporal's own samples, so that other tools with the key read it too.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
// CommonJS, whose names Node does not see.
import protobufs from '@temporalio/proto';
import { isCommon } from '../../plan/common-workflows.ts';
import type { CodecKeys } from '../../settings/codec-keys.ts';
import {
  CodecKeyMissingError,
  CodecKeyWrongError,
  isUnreadable,
  type Unreadable,
} from './codec-errors.ts';

const proto = protobufs.temporal.api.common.v1.Payload;
const encoding = 'binary/encrypted';
const keyIdField = 'encryption-key-id';
/** Tells workflow code, which sees no keys, that its worker encrypts. Never sent. */
const writesField = 'renderline-encrypts';
const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export interface CodecOptions {
  /** @default false */
  hidesNames?: boolean;
  /** Called for each payload of a run that cannot be read, before the error is thrown. */
  onUnreadable?: ((error: Unreadable) => void) | undefined;
}

/**
 * Reads what was written with any of the keys, and what was never encrypted. Without a key that writes it writes in the clear.
 * What workers of several teams have in common is never encrypted: a worker without the key could not share the allowance.
 */
export class EncryptionCodec implements PayloadCodec {
  /** Whoever has this codec keeps names out of what Temporal shows without a key. */
  readonly hidesNames: boolean;
  readonly #keys: CodecKeys | null;
  readonly #onUnreadable: ((error: Unreadable) => void) | undefined;

  constructor(keys: CodecKeys | null, { hidesNames = false, onUnreadable }: CodecOptions = {}) {
    this.hidesNames = hidesNames;
    this.#keys = keys;
    this.#onUnreadable = onUnreadable;
  }

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const seal = this.#sealFor(context);
    return payloads.map((payload) => (seal ?? withoutMark)(payload));
  }

  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const encrypts = this.#sealFor(context) !== null;
    try {
      return payloads.map((payload) => {
        const plain = decryptedPayload(payload, this.#keys);
        return encrypts ? withMark(plain) : plain;
      });
    } catch (error) {
      if (isUnreadable(error) && !isOfCommon(context)) this.#onUnreadable?.(error);
      throw error;
    }
  }

  /** How payloads of this context are encrypted; null: they stay in the clear. */
  #sealFor(context: SerializationContext | undefined): ((payload: Payload) => Payload) | null {
    const { writing = null, keys = new Map() } = this.#keys ?? {};
    if (writing === null || isOfCommon(context)) return null;
    return (payload) => encrypt(payload, writing, keys);
  }
}

function isOfCommon(context: SerializationContext | undefined): boolean {
  return context?.workflowId !== undefined && isCommon(context.workflowId);
}

/** As it was before it was encrypted. @throws CodecKeyMissingError, CodecKeyWrongError */
export function decryptedPayload(payload: Payload, keys: CodecKeys | null): Payload {
  return keyIdOf(payload) === null ? payload : decrypt(payload, keys);
}

/** Id of the key that a payload was encrypted with; null for one in the clear, or encrypted by others. */
export function keyIdOf({ metadata }: Payload): string | null {
  if (textOf(metadata?.['encoding']) !== encoding) return null;
  return textOf(metadata?.[keyIdField]);
}

/** For places that hold texts. */
export function payloadBytes(payload: Payload): Uint8Array {
  return proto.encode(payload).finish();
}

/** null for bytes that are no payload. */
export function payloadOf(bytes: Uint8Array): Payload | null {
  try {
    const { metadata, data } = proto.decode(bytes);
    return { metadata, data };
  } catch {
    return null;
  }
}

function encrypt(payload: Payload, writing: string, keys: CodecKeys['keys']): Payload {
  const key = keys.get(writing);
  // `codecKeys` gives none without it.
  if (key === undefined) throw new CodecKeyMissingError(writing, [...keys.keys()]);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, key, nonce);
  const sealed = [cipher.update(proto.encode(withoutMark(payload)).finish()), cipher.final()];
  return {
    metadata: { encoding: bytesOf(encoding), [keyIdField]: bytesOf(writing) },
    data: Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]),
  };
}

function decrypt(payload: Payload, keys: CodecKeys | null): Payload {
  const id = keyIdOf(payload) ?? '';
  const key = keys?.keys.get(id);
  if (keys === null || key === undefined) {
    throw new CodecKeyMissingError(id, [...(keys?.keys.keys() ?? [])]);
  }
  try {
    const data = Buffer.from(payload.data ?? []);
    const decipher = createDecipheriv(cipherName, key, data.subarray(0, nonceBytes));
    decipher.setAuthTag(data.subarray(-tagBytes));
    const opened = decipher.update(data.subarray(nonceBytes, -tagBytes));
    const { metadata, data: content } = proto.decode(Buffer.concat([opened, decipher.final()]));
    return { metadata, data: content };
  } catch {
    throw new CodecKeyWrongError(id, keys.origin);
  }
}

function withMark(payload: Payload): Payload {
  return { ...payload, metadata: { ...payload.metadata, [writesField]: bytesOf('1') } };
}

/** A payload that workflow code passes on as it came still has it. */
function withoutMark(payload: Payload): Payload {
  if (payload.metadata?.[writesField] === undefined) return payload;
  const { [writesField]: _mark, ...metadata } = payload.metadata ?? {};
  return { ...payload, metadata };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(bytes: Uint8Array | null | undefined): string | null {
  return bytes ? new TextDecoder().decode(bytes) : null;
}
