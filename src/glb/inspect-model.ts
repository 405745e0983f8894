// Inspects a model file before upload. Reads the container and the JSON, never the geometry.
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { checkBufferBounds, checkExternalBuffers } from './buffer-bounds.ts';
import { type ByteSource, bufferSource, fileSource } from './byte-source.ts';
import { type ChunkRange, hasGlbMagic, maxJsonBytes, readGlbContainer } from './container.ts';
import { parseGltfJson } from './gltf-json.ts';
import { addWarnings, readContents } from './model-contents.ts';
import {
  emptyContents,
  type ModelInspection,
  RejectedModelError,
  Warnings,
} from './model-inspection.ts';
import { checkNodeTree } from './node-tree.ts';
import { checkOtherFormat } from './other-formats.ts';
import { checkReferences } from './references.ts';
import { measureScene } from './scene-measures.ts';
import { findSideFiles, formatNames, type ReadSideFile } from './side-files.ts';
import { measureTextures } from './texture-sizes.ts';
import { checkVariantMappings, readVariantNames } from './variant-mappings.ts';

export type { ModelInspection } from './model-inspection.ts';

/** A text .gltf contains its data as base64, so it may be larger than the JSON of a GLB. */
const maxGltfBytes = 2 * maxJsonBytes;

/** The file type of a path or name: its lower-case extension without the dot; '' if there is none. */
export function fileTypeOf(name: string): string {
  return extname(name).slice(1).toLowerCase();
}

/**
 * Inspects a model file by path; the extension gives the type. Never throws for the state of a file: a missing,
 * unreadable or broken file gives the verdict `reject` with a code.
 */
export async function inspectModelFile(
  path: string,
  options: InspectionOptions = {},
): Promise<ModelInspection> {
  const fileType = fileTypeOf(path);
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(path, 'r');
    const stat = await handle.stat();
    if (!stat.isFile()) return unreadable(fileType, 'it is not a regular file');
    return await inspectSource(fileSource(handle, stat.size), fileType, options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const message = 'The file is missing: it was moved or deleted after it was listed.';
      return refusal(0, fileType, new RejectedModelError('container', 'FILE_GONE', message));
    }
    return unreadable(fileType, code);
  } finally {
    await handle?.close();
  }
}

export interface InspectionOptions {
  /** Reads a file that the model names. */
  readSideFile?: ReadSideFile;
  /** Also measures an accepted glTF; reads the headers of its images. */
  isMeasured?: boolean;
}

/** Inspects bytes in memory; `fileType` is the extension without the dot, for example 'glb'. */
export function inspectBytes(bytes: Uint8Array, fileType: string): Promise<ModelInspection> {
  return inspectSource(bufferSource(bytes), fileType.toLowerCase());
}

function unreadable(fileType: string, why: string): ModelInspection {
  const message = `The file cannot be read: ${why}. Check its permissions.`;
  return refusal(0, fileType, new RejectedModelError('container', 'UNREADABLE', message));
}

/** Inspects a file that is read in pieces. Errors of the source are thrown unchanged. */
export async function inspectSource(
  source: ByteSource,
  fileType: string,
  { readSideFile, isMeasured = false }: InspectionOptions = {},
): Promise<ModelInspection> {
  const warnings = new Warnings();
  try {
    if (source.size === 0) {
      throw new RejectedModelError('container', 'EMPTY_FILE', 'The file is empty (0 bytes).');
    }
    const head = await source.read(0, 64);
    const isText = /^(ï»¿)?\s*\{/.test(Buffer.from(head).toString('latin1'));
    if (hasGlbMagic(head) || (fileType === 'glb' && !isText)) {
      // The platform reads a file as the format of its extension, so the file must have that format too.
      if (fileType !== 'glb') await checkOtherFormat(source, fileType);
      const { json, bin } = await readGlbContainer(source, warnings);
      return await inspectJson(json, { container: 'glb', source, bin, isMeasured }, warnings);
    }
    if (fileType === 'gltf' || fileType === 'glb') {
      if (fileType === 'glb')
        warnings.add('NONSTANDARD_GLTF', 'The file is named .glb and is glTF as text.');
      const file = { container: 'gltf', source, bin: null, isMeasured } as const;
      return await inspectJson(await readWhole(source), file, warnings);
    }
    await checkOtherFormat(source, fileType);
    const names = await findSideFiles(source, fileType, readSideFile);
    if (names.length > 0) {
      const message = `The file refers to ${names.length === 1 ? 'another file' : `${names.length} other files`} (${formatNames(names)}) that will not be uploaded. Export it as .glb with its textures inside.`;
      warnings.add('SIDE_FILES', message);
    }
    return addWarningVerdict(accept('other', source.size), warnings);
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

interface GltfFile {
  container: 'glb' | 'gltf';
  source: ByteSource;
  bin: ChunkRange | null;
  isMeasured: boolean;
}

async function inspectJson(
  json: Uint8Array,
  { container, source, bin, isMeasured }: GltfFile,
  warnings: Warnings,
): Promise<ModelInspection> {
  const root = parseGltfJson(json, warnings);
  const variants = readVariantNames(root);
  checkExternalBuffers(root);
  checkReferences(root, warnings);
  checkVariantMappings(root, variants.length);
  checkNodeTree(root, warnings);
  checkBufferBounds(root, { binBytes: bin?.bytes ?? null, fileBytes: source.size }, warnings);
  addWarnings(root, warnings);
  const contents = { ...accept(container, source.size), ...readContents(root, variants) };
  if (!isMeasured) return addWarningVerdict(contents, warnings);
  const textures = await measureTextures(root, source, bin);
  return addWarningVerdict(
    { ...contents, measures: { ...measureScene(root), textures } },
    warnings,
  );
}

function addWarningVerdict(inspection: ModelInspection, { list }: Warnings): ModelInspection {
  if (list.length === 0) return inspection;
  const message = list.map((warning) => warning.message).join(' ');
  return { ...inspection, verdict: 'accept-with-warning', message, warnings: list };
}

function accept(container: ModelInspection['container'], bytes: number): ModelInspection {
  return {
    ...emptyContents,
    verdict: 'accept',
    code: null,
    message: '',
    level: null,
    warnings: [],
    container,
    bytes,
  };
}

function refusal(bytes: number, fileType: string, error: RejectedModelError): ModelInspection {
  const container = fileType === 'glb' || fileType === 'gltf' ? fileType : 'other';
  return {
    ...accept(container, bytes),
    verdict: 'reject',
    code: error.code,
    message: error.message,
    level: error.level,
  };
}
