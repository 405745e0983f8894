// Encrypts and decrypts payloads for Temporal: AES-256-GCM, a random nonce per payload, and the key id in the metadata.
// The format is that of Temporal's samples, so other tools that have the key can read it.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
// A CommonJS module, whose named exports Node cannot detect.
import protobufs from '@temporalio/proto';
import { workflowIds } from '../../plan/contract/contract.ts';
import type { CodecKeys } from '../../settings/secrets/codec-keys.ts';
import {
  CodecKeyMissingError,
  CodecKeyWrongError,
  isUnreadableError,
  type UnreadableError,
} from './codec-errors.ts';

const proto = protobufs.temporal.api.common.v1.Payload;
const encoding = 'binary/encrypted';
const keyIdField = 'encryption-key-id';
/** Metadata field that tells workflow code, which has no keys, that its worker encrypts. The field is never sent. */
const encryptsFlagField = 'renderline-encrypts';
const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

interface CodecOptions {
  /** True if names are hashed where Temporal shows them unencrypted. @default false */
  areNamesHidden?: boolean;
  /** Called before the error about a payload that cannot be decrypted is thrown. */
  onUnreadable?: ((error: UnreadableError) => void) | undefined;
}

/**
 * Encrypts payloads with the writing key, if there is one. Decrypts payloads of all keys that are set, and passes plain
 * ones through. Workflows that the workers of several teams share are never encrypted: a worker without the key could
 * not share the allowance.
 */
export class EncryptionCodec implements PayloadCodec {
  /** True if clients and workers with this codec hide names in the parts that Temporal shows without a key. */
  readonly areNamesHidden: boolean;
  readonly #keys: CodecKeys | null;
  readonly #onUnreadable: ((error: UnreadableError) => void) | undefined;

  constructor(keys: CodecKeys | null, { areNamesHidden = false, onUnreadable }: CodecOptions = {}) {
    this.areNamesHidden = areNamesHidden;
    this.#keys = keys;
    this.#onUnreadable = onUnreadable;
  }

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const encryptor = this.#encryptorFor(context);
    return payloads.map((payload) => (encryptor ?? removeEncryptsFlag)(payload));
  }

  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const encrypts = this.#encryptorFor(context) !== null;
    try {
      return payloads.map((payload) => {
        const plainPayload = decryptPayload(payload, this.#keys);
        return encrypts ? addEncryptsFlag(plainPayload) : plainPayload;
      });
    } catch (error) {
      if (isUnreadableError(error)) this.#onUnreadable?.(error);
      throw error;
    }
  }

  /** Returns the function that encrypts payloads of this context, or null if they stay plain. */
  #encryptorFor(context: SerializationContext | undefined): ((payload: Payload) => Payload) | null {
    const { writingKeyId = null, keys = new Map() } = this.#keys ?? {};
    if (writingKeyId === null || isSharedWorkflow(context?.workflowId)) return null;
    return (payload) => encrypt(payload, writingKeyId, keys);
  }
}

/** True for workflows that workers of several pipelines and teams share. They contain only numbers and worker names. */
function isSharedWorkflow(workflowId = ''): boolean {
  const prefixes = [workflowIds.allowance(''), workflowIds.pollLeader('')];
  return prefixes.some((prefix) => workflowId.startsWith(prefix));
}

/** Returns the plain payload. @throws CodecKeyMissingError, CodecKeyWrongError */
export function decryptPayload(payload: Payload, keys: CodecKeys | null): Payload {
  return findKeyId(payload) === null ? payload : decrypt(payload, keys);
}

/** Finds the id of a payload's encryption key. Null if the payload is plain or encrypted in a foreign format. */
export function findKeyId({ metadata }: Payload): string | null {
  if (textOf(metadata?.['encoding']) !== encoding) return null;
  return textOf(metadata?.[keyIdField]);
}

/** Returns a payload as bytes, for fields that hold text instead of payloads. */
export function serializePayload(payload: Payload): Uint8Array {
  return proto.encode(payload).finish();
}

/** Returns the payload in these bytes, or null if they are not a payload. */
export function parsePayload(bytes: Uint8Array): Payload | null {
  try {
    const { metadata, data } = proto.decode(bytes);
    return { metadata, data };
  } catch {
    return null;
  }
}

function encrypt(payload: Payload, keyId: string, keys: CodecKeys['keys']): Payload {
  const key = keys.get(keyId);
  // This error does not occur, because `readCodecKeys` returns no writing id without its key.
  if (key === undefined) throw new CodecKeyMissingError(keyId, [...keys.keys()]);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, key, nonce);
  const ciphertext = [
    cipher.update(proto.encode(removeEncryptsFlag(payload)).finish()),
    cipher.final(),
  ];
  return {
    metadata: { encoding: bytesOf(encoding), [keyIdField]: bytesOf(keyId) },
    data: Buffer.concat([nonce, ...ciphertext, cipher.getAuthTag()]),
  };
}

function decrypt(payload: Payload, keys: CodecKeys | null): Payload {
  const id = findKeyId(payload) ?? '';
  const key = keys?.keys.get(id);
  if (keys === null || key === undefined) {
    throw new CodecKeyMissingError(id, [...(keys?.keys.keys() ?? [])]);
  }
  try {
    const data = Buffer.from(payload.data ?? []);
    const decipher = createDecipheriv(cipherName, key, data.subarray(0, nonceBytes));
    decipher.setAuthTag(data.subarray(-tagBytes));
    const plaintext = decipher.update(data.subarray(nonceBytes, -tagBytes));
    const { metadata, data: content } = proto.decode(Buffer.concat([plaintext, decipher.final()]));
    return { metadata, data: content };
  } catch {
    throw new CodecKeyWrongError(id, keys.origin);
  }
}

function addEncryptsFlag(payload: Payload): Payload {
  return { ...payload, metadata: { ...payload.metadata, [encryptsFlagField]: bytesOf('1') } };
}

/** Removes the flag, which a payload still has if workflow code passes it on unchanged. */
function removeEncryptsFlag(payload: Payload): Payload {
  if (payload.metadata?.[encryptsFlagField] === undefined) return payload;
  const { [encryptsFlagField]: _mark, ...metadata } = payload.metadata ?? {};
  return { ...payload, metadata };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(bytes: Uint8Array | null | undefined): string | null {
  return bytes ? new TextDecoder().decode(bytes) : null;
}
