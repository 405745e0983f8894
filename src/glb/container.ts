// The GLB container: 12 bytes of header, then chunks. Decides whether the file is whole.
import type { ByteSource } from './byte-source.ts';
import { RejectedModelError } from './look-result.ts';

const glbMagic = 0x46546c67;
const jsonChunk = 0x4e4f534a;
const binChunk = 0x004e4942;
const headerBytes = 12;
const chunkHeaderBytes = 8;
/** Files have two chunks; more are allowed and skipped, but not without end. */
export const maxChunks = 64;

/** The largest JSON that is read: real files stay far below, and a parsed one takes ten times as much. */
export const maxJsonBytes = 16 * 1024 * 1024;

export type GlbContainer = {
  readonly json: Uint8Array;
  /** Length of the BIN chunk, null when there is none. */
  readonly binBytes: number | null;
};

function reject(...problem: ConstructorParameters<typeof RejectedModelError>): never {
  throw new RejectedModelError(...problem);
}

/** True when the bytes begin as a GLB does. */
export function hasGlbMagic(head: Uint8Array): boolean {
  return head.byteLength >= 4 && viewOf(head).getUint32(0, true) === glbMagic;
}

/** The file length a GLB header declares, or null when the bytes are no GLB 2 header. */
export function sniffGlbLength(head: Uint8Array): number | null {
  if (head.byteLength < headerBytes || !hasGlbMagic(head)) return null;
  return viewOf(head).getUint32(8, true);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function checkHeader(head: Uint8Array, fileBytes: number): number {
  if (!hasGlbMagic(head)) {
    const text = Buffer.from(head.subarray(0, 4)).toString('latin1');
    if (fileBytes < 4 && 'glTF'.startsWith(text)) {
      reject(
        'container',
        'TRUNCATED',
        `The file ends after ${fileBytes} bytes, inside its header.`,
      );
    }
    reject(
      'container',
      'NOT_A_GLB',
      'The file does not begin with "glTF": it is not a binary glTF.',
    );
  }
  if (head.byteLength < headerBytes) {
    reject('container', 'TRUNCATED', `The file ends after ${fileBytes} bytes, inside its header.`);
  }
  const view = viewOf(head);
  const version = view.getUint32(4, true);
  if (version !== 2) {
    reject(
      'container',
      'UNSUPPORTED_VERSION',
      `The file is binary glTF version ${version}; only version 2 is supported. Export it again as glTF 2.0.`,
    );
  }
  return view.getUint32(8, true);
}

/** Reads header, chunk headers and the JSON chunk; throws RejectedModelError when the file is not whole. */
export async function readGlbContainer(source: ByteSource): Promise<GlbContainer> {
  const declared = checkHeader(await source.read(0, headerBytes), source.size);
  if (declared > source.size) {
    reject(
      'container',
      'TRUNCATED',
      `The header declares ${declared} bytes but the file has ${source.size}: it was cut off. Copy it again.`,
    );
  }
  if (declared < headerBytes + chunkHeaderBytes && declared === source.size) {
    reject('container', 'NO_JSON_CHUNK', 'The file ends after its header: there is no JSON chunk.');
  }
  const chunks = await walkChunks(source, declared);
  if (declared < source.size) {
    reject(
      'container',
      'LENGTH_MISMATCH',
      `The header declares ${declared} bytes but the file has ${source.size}: bytes were added after its end.`,
    );
  }
  if (chunks.jsonBytes > maxJsonBytes) {
    reject(
      'container',
      'JSON_TOO_BIG',
      `The JSON chunk has ${chunks.jsonBytes} bytes; at most ${maxJsonBytes} are read.`,
    );
  }
  const json = await source.read(headerBytes + chunkHeaderBytes, chunks.jsonBytes);
  return { json, binBytes: chunks.binBytes };
}

type ChunkLengths = { readonly jsonBytes: number; readonly binBytes: number | null };

async function walkChunks(source: ByteSource, declared: number): Promise<ChunkLengths> {
  let jsonBytes = 0;
  let binBytes: number | null = null;
  let offset = headerBytes;
  for (let index = 0; offset < declared; index += 1) {
    if (index === maxChunks) {
      reject('container', 'GLB_BOMB', `The file has more than ${maxChunks} chunks.`);
    }
    const head = await source.read(offset, chunkHeaderBytes);
    if (head.byteLength < chunkHeaderBytes) {
      reject('container', 'TRUNCATED', 'The file ends inside a chunk header.');
    }
    const view = viewOf(head);
    const length = view.getUint32(0, true);
    const type = view.getUint32(4, true);
    if (index === 0 && type !== jsonChunk) {
      reject('container', 'NO_JSON_CHUNK', 'The first chunk of the file is not its JSON.');
    }
    if (offset + chunkHeaderBytes + length > declared) {
      reject(
        'container',
        'CHUNK_TOO_BIG',
        `Chunk ${index} has ${length} bytes and passes the declared end of the file at ${declared}.`,
      );
    }
    if (index === 0) jsonBytes = length;
    if (index === 1 && type === binChunk) binBytes = length;
    offset += chunkHeaderBytes + length;
  }
  return { jsonBytes, binBytes };
}
