// Reads the GLB container (a 12-byte header, then chunks) and checks that the file is complete.
import type { ByteSource } from './byte-source.ts';
import { formatHint } from './file-formats.ts';
import { type RejectCode, RejectedModelError, Warnings } from './model-inspection.ts';

const glbMagic = 0x46546c67;
const jsonChunk = 0x4e4f534a;
const binChunk = 0x004e4942;
const headerBytes = 12;
/** Bytes that are read first: enough to recognize another format. */
const headBytes = 512;
const chunkHeaderBytes = 8;
/** Files usually have two chunks. More are allowed and skipped, up to this number. */
export const maxChunks = 64;

/** Maximum size of the JSON that is read. 40,000 nodes with matrices take 8 MB. */
export const maxJsonBytes = 32 * 1024 * 1024;

/** Chunks are padded to four bytes. Some writers include the padding in the length but do not write it. */
const paddingBytes = 3;

/** Position of a part of the file. */
export type ChunkRange = { readonly offset: number; readonly bytes: number };

export type GlbContainer = {
  readonly json: Uint8Array;
  /** Data of the BIN chunk. Null when there is none. */
  readonly bin: ChunkRange | null;
};

function reject(code: RejectCode, message: string): never {
  throw new RejectedModelError('container', code, message);
}

/** True if the bytes start with the GLB magic. */
export function hasGlbMagic(head: Uint8Array): boolean {
  return head.byteLength >= 4 && viewOf(head).getUint32(0, true) === glbMagic;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function checkHeader(head: Uint8Array, fileBytes: number): number {
  if (!hasGlbMagic(head)) {
    const text = Buffer.from(head.subarray(0, 4)).toString('latin1');
    if (fileBytes < 4 && 'glTF'.startsWith(text)) {
      reject('TRUNCATED', `The file ends after ${fileBytes} bytes, inside its header.`);
    }
    const message = `The file does not begin with "glTF": ${formatHint(head, 'it is not a binary glTF.')}`;
    reject('NOT_A_GLB', message);
  }
  if (head.byteLength < headerBytes) {
    reject('TRUNCATED', `The file ends after ${fileBytes} bytes, inside its header.`);
  }
  const view = viewOf(head);
  const version = view.getUint32(4, true);
  if (version !== 2) {
    reject(
      'UNSUPPORTED_VERSION',
      `The file is binary glTF version ${version}; only version 2 is supported.`,
    );
  }
  return view.getUint32(8, true);
}

/**
 * Reads the header, the chunk headers and the JSON chunk. Chunks in another order, or bytes after the declared end of
 * the file, only cause a warning, because viewers accept them.
 * @throws RejectedModelError if the file is not a GLB 2.0, is incomplete, or has too many chunks or too much JSON
 */
export async function readGlbContainer(
  source: ByteSource,
  warnings = new Warnings(),
): Promise<GlbContainer> {
  const declaredLength = checkHeader(await source.read(0, headBytes), source.size);
  // A length of 0 means the size of the file, because writers that do not know the length in advance leave it at 0.
  const effectiveLength = declaredLength === 0 ? source.size : declaredLength;
  if (effectiveLength > source.size) {
    reject(
      'TRUNCATED',
      `The header declares ${effectiveLength} bytes but the file has ${source.size}: it is truncated.`,
    );
  }
  const { json, bin } = await findChunks(source, effectiveLength, warnings);
  if (declaredLength < source.size) {
    warnings.add(
      'LENGTH_MISMATCH',
      `The header declares ${declaredLength} bytes but the file has ${source.size}: readers may ignore the bytes after the declared end.`,
    );
  }
  if (json.bytes > maxJsonBytes) {
    reject(
      'JSON_TOO_BIG',
      `The JSON chunk has ${json.bytes} bytes; the maximum is ${maxJsonBytes}.`,
    );
  }
  return { json: await source.read(json.offset, json.bytes), bin };
}

async function findChunks(source: ByteSource, effectiveLength: number, warnings: Warnings) {
  let json: ChunkRange | null = null;
  let bin: ChunkRange | null = null;
  let offset = headerBytes;
  // Chunks after JSON and BIN are not needed.
  for (let index = 0; offset < effectiveLength && !(json && bin); index += 1) {
    if (index === maxChunks) {
      reject('GLB_BOMB', `The file has more than ${maxChunks} chunks.`);
    }
    const head = await source.read(offset, chunkHeaderBytes);
    if (head.byteLength < chunkHeaderBytes) {
      const message = `The file has data after its last chunk (${head.byteLength} B).`;
      warnings.add('NONSTANDARD_GLTF', message);
      break;
    }
    const length = viewOf(head).getUint32(0, true);
    if (length % 4 > 0)
      warnings.add('NONSTANDARD_GLTF', `Chunk ${index} is not padded to four bytes.`);
    const type = viewOf(head).getUint32(4, true);
    offset += chunkHeaderBytes;
    const isBin = json !== null && type === binChunk;
    const end = isBin ? source.size + paddingBytes : effectiveLength;
    if (offset + length > end && (isBin || json === null)) {
      reject(
        'CHUNK_TOO_BIG',
        `Chunk ${index} has ${length} bytes and extends past the declared end of the file at byte ${effectiveLength}.`,
      );
    }
    if (type === jsonChunk) json ??= { offset, bytes: length };
    else if (isBin) bin = { offset, bytes: Math.min(length, source.size - offset) };
    if (type !== jsonChunk && json === null)
      warnings.add('NONSTANDARD_GLTF', 'The first chunk of the file is not its JSON.');
    offset += length;
  }
  if (json !== null) return { json, bin };
  return reject('NO_JSON_CHUNK', 'The file has no JSON chunk.');
}
