// Our own look at a model file before upload (design §4): container and JSON only, never the whole file.
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { checkBufferBounds, checkExternalBuffers } from './buffer-bounds.ts';
import { type ByteSource, bufferSource, fileSource } from './byte-source.ts';
import { hasGlbMagic, maxJsonBytes, readGlbContainer } from './container.ts';
import { readContents, readWarnings } from './contents.ts';
import { parseGltfJson } from './gltf-json.ts';
import { type Look, noContents, RejectedModelError } from './look-result.ts';
import { checkNodeTree } from './node-tree.ts';
import { checkOtherFormat } from './other-formats.ts';
import { checkReferences } from './references.ts';
import { checkVariantMappings, readVariantNames } from './variant-mappings.ts';

export { sniffGlbLength } from './container.ts';
export type { Look } from './look-result.ts';

/** A text .gltf holds its data as base64, so it may be larger than the JSON of a GLB. */
const maxGltfBytes = 4 * maxJsonBytes;

/** `fileType` of a path or name: its extension in lower case without the dot, '' when it has none. */
export function fileTypeOf(name: string): string {
  return extname(name).slice(1).toLowerCase();
}

/**
 * Looks at a model file by path. Never throws for a file's state: one that is gone, unreadable or
 * broken comes back as `reject` with a code. The extension gives the type.
 */
export async function lookAtModel(path: string): Promise<Look> {
  const fileType = fileTypeOf(path);
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(path, 'r');
    const stat = await handle.stat();
    if (!stat.isFile()) return unreadable(fileType, 'it is not a regular file');
    return await look(fileSource(handle, stat.size), fileType);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const message = 'The file is gone: it was moved or deleted since it was listed.';
      return refusal(0, fileType, new RejectedModelError('container', 'FILE_GONE', message));
    }
    return unreadable(fileType, code);
  } finally {
    await handle?.close();
  }
}

/** The same look at a file that is read in pieces; throws what its source throws. */
export function lookAtSource(source: ByteSource, fileType: string): Promise<Look> {
  return look(source, fileType);
}

/** The same look at bytes in memory; `fileType` is the bare extension, for example 'glb'. */
export function lookAtBytes(bytes: Uint8Array, fileType: string): Promise<Look> {
  return look(bufferSource(bytes), fileType.toLowerCase());
}

function unreadable(fileType: string, why: string): Look {
  const message = `The file cannot be read: ${why}. Check its permissions.`;
  return refusal(0, fileType, new RejectedModelError('container', 'UNREADABLE', message));
}

async function look(source: ByteSource, fileType: string): Promise<Look> {
  try {
    if (source.size === 0) {
      throw new RejectedModelError('container', 'EMPTY_FILE', 'The file is empty (0 bytes).');
    }
    if (fileType === 'glb' || hasGlbMagic(await source.read(0, 4))) {
      const { json, binBytes } = await readGlbContainer(source);
      return lookAtJson(json, 'glb', source.size, binBytes);
    }
    if (fileType === 'gltf') return lookAtJson(await readWhole(source), 'gltf', source.size, null);
    await checkOtherFormat(source, fileType);
    return accept('other', source.size);
  } catch (error) {
    if (error instanceof RejectedModelError) return refusal(source.size, fileType, error);
    throw error;
  }
}

async function readWhole(source: ByteSource): Promise<Uint8Array> {
  if (source.size > maxGltfBytes) {
    throw new RejectedModelError(
      'json',
      'JSON_TOO_BIG',
      `The .gltf has ${source.size} bytes; at most ${maxGltfBytes} are read. Export it as .glb.`,
    );
  }
  return source.read(0, source.size);
}

function lookAtJson(
  json: Uint8Array,
  container: 'glb' | 'gltf',
  fileBytes: number,
  binBytes: number | null,
): Look {
  const root = parseGltfJson(json);
  const variants = readVariantNames(root);
  checkExternalBuffers(root);
  checkReferences(root);
  checkVariantMappings(root, variants.length);
  checkNodeTree(root);
  checkBufferBounds(root, { binBytes, fileBytes });
  const warnings = readWarnings(root);
  return {
    ...accept(container, fileBytes),
    ...readContents(root, variants),
    verdict: warnings.length > 0 ? 'accept-with-warning' : 'accept',
    message: warnings.map(({ message }) => message).join(' '),
    warnings,
  };
}

function accept(container: Look['container'], bytes: number): Look {
  return {
    ...noContents,
    verdict: 'accept',
    code: null,
    message: '',
    level: null,
    warnings: [],
    container,
    bytes,
  };
}

function refusal(bytes: number, fileType: string, error: RejectedModelError): Look {
  const container = fileType === 'glb' || fileType === 'gltf' ? fileType : 'other';
  return {
    ...accept(container, bytes),
    verdict: 'reject',
    code: error.code,
    message: error.message,
    level: error.level,
  };
}
