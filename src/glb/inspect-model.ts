// Inspects a model file before upload: the container, the JSON, and the geometry of small files.
import { extname } from 'node:path';
import { DiskFile } from '../disk/disk-file.ts';
import { checkBufferBounds, checkExternalBuffers, listExternalUris } from './buffer-bounds.ts';
import { type ByteSource, toBufferSource, toFileSource } from './byte-source.ts';
import { checkOtherFormat, endsWithVertices } from './check-other-format.ts';
import { type ChunkRange, hasGlbMagic, maxJsonBytes, readGlbContainer } from './container.ts';
import { checkGeometry, maxReadBytes } from './geometry.ts';
import {
  findExtension,
  isObject,
  type JsonObject,
  objectsOf,
  parseGltfJson,
  refuseSchema,
} from './gltf-json.ts';
import {
  emptyContents,
  type ModelContents,
  type ModelInspection,
  RejectedModelError,
  Warnings,
} from './model-inspection.ts';
import { checkNodeTree } from './node-tree.ts';
import { checkIndex, checkReferences } from './references.ts';
import { measureScene } from './scene-measures.ts';
import { findSideFiles, formatNames, type ReadSideFile } from './side-files.ts';
import { findUnreadableTextures, measureTextures } from './texture-sizes.ts';

export type { ModelInspection } from './model-inspection.ts';

/** A text .gltf contains its data as base64, so it may be larger than the JSON of a GLB. */
const maxGltfBytes = 2 * maxJsonBytes;

/** Returns the file type of a path or name: its lower-case extension without the dot, or '' if there is none. */
export function fileTypeOf(name: string): string {
  return extname(name).slice(1).toLowerCase();
}

/**
 * Inspects a model file by path. The extension determines the type. Never throws because of the state of a file: a
 * missing, unreadable or broken file results in the verdict `reject` with a code.
 */
export async function inspectModelFile(
  path: string,
  options: InspectionOptions = {},
): Promise<ModelInspection> {
  const fileType = fileTypeOf(path);
  let file: DiskFile | undefined;
  try {
    file = await DiskFile.open(path);
    if (!file.stat().isFile()) return unreadableInspection(fileType, 'it is not a regular file');
    return await inspectSource(toFileSource(file), fileType, options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const message = 'The file is missing: it was moved or deleted after the listing.';
      const gone = new RejectedModelError('container', 'FILE_GONE', message);
      return rejectedInspection(0, fileType, gone);
    }
    return unreadableInspection(fileType, code);
  } finally {
    file?.close();
  }
}

interface InspectionOptions {
  /** Reads a file that the model refers to. */
  readSideFile?: ReadSideFile;
  /** True to also measure an accepted glTF, which reads the headers of its images. */
  isMeasured?: boolean;
  /** True to also check the vertices and textures of a glTF. */
  isGeometryRead?: boolean;
}

/** Inspects bytes in memory. `fileType` is the extension without the dot, for example 'glb'. */
export function inspectBytes(bytes: Uint8Array, fileType: string): Promise<ModelInspection> {
  return inspectSource(toBufferSource(bytes), fileType.toLowerCase());
}

function unreadableInspection(fileType: string, problem: string): ModelInspection {
  const message = `The file cannot be read: ${problem}. Check its permissions.`;
  const error = new RejectedModelError('container', 'UNREADABLE', message);
  return rejectedInspection(0, fileType, error);
}

/** Inspects a file that is read in pieces. Errors of the source are thrown unchanged. */
export async function inspectSource(
  source: ByteSource,
  fileType: string,
  { readSideFile, isMeasured = false, isGeometryRead = false }: InspectionOptions = {},
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
      return await inspectJson(
        json,
        { container: 'glb', source, bin, isMeasured, isGeometryRead },
        warnings,
      );
    }
    if (fileType === 'gltf' || fileType === 'glb') {
      if (fileType === 'glb')
        warnings.add('NONSTANDARD_GLTF', 'The file is named .glb but contains glTF as text.');
      const file = { container: 'gltf', source, bin: null, isMeasured, isGeometryRead } as const;
      return await inspectJson(await readWhole(source), file, warnings);
    }
    await checkOtherFormat(source, fileType);
    // The start is read before the end, because a source in a bucket caches only the last piece.
    const names = await findSideFiles(source, fileType, readSideFile);
    if (fileType === 'obj' && (await endsWithVertices(source))) {
      const message =
        'The file ends with vertices that no face uses, so it may be incomplete. Copy or export it again.';
      warnings.add('UNUSED_VERTICES', message);
    }
    if (names.length > 0) {
      const message = `The file refers to ${names.length === 1 ? 'another file' : `${names.length} other files`} (${formatNames(names)}) that will not be uploaded. Export the model as .glb with embedded textures.`;
      warnings.add('SIDE_FILES', message);
    }
    return addWarningVerdict(accept('other', source.size), warnings);
  } catch (error) {
    if (error instanceof RejectedModelError)
      return rejectedInspection(source.size, fileType, error);
    throw error;
  }
}

async function readWhole(source: ByteSource): Promise<Uint8Array> {
  if (source.size > maxGltfBytes) {
    throw new RejectedModelError(
      'json',
      'JSON_TOO_BIG',
      `The .gltf has ${source.size} bytes; the maximum is ${maxGltfBytes}. Export it as .glb.`,
    );
  }
  return source.read(0, source.size);
}

interface GltfFile {
  container: 'glb' | 'gltf';
  source: ByteSource;
  bin: ChunkRange | null;
  isMeasured: boolean;
  isGeometryRead: boolean;
}

async function inspectJson(
  json: Uint8Array,
  { container, source, bin, isMeasured, isGeometryRead }: GltfFile,
  warnings: Warnings,
): Promise<ModelInspection> {
  const root = parseGltfJson(json, warnings);
  const variants = readVariantNames(root);
  checkExternalBuffers(root);
  checkReferences(root, warnings);
  checkVariantMappings(root, variants.length);
  checkNodeTree(root, warnings);
  checkBufferBounds(root, { binBytes: bin?.bytes ?? null, fileBytes: source.size }, warnings);
  if (isGeometryRead) {
    const isExtensible = listUnknownExtensions(root['extensionsUsed']).length > 0;
    const problem = await checkGeometry(root, source, bin, isExtensible);
    if (problem !== null) {
      const message = `Nothing in the file can be drawn: ${problem}. Export the model again with its meshes.`;
      warnings.add('EMPTY_SCENE', message);
    }
    const unreadable =
      source.size <= maxReadBytes ? await findUnreadableTextures(root, source, bin) : [];
    if (unreadable.length > 0) {
      const message = `The file contains textures that are no pictures (${formatNames(unreadable)}), so they may be drawn black. Export the model again with its textures.`;
      warnings.add('UNREADABLE_TEXTURE', message);
    }
  }
  addWarnings(root, warnings);
  const contents = { ...accept(container, source.size), ...readContents(root, variants) };
  if (!isMeasured) return addWarningVerdict(contents, warnings);
  const measures = { ...measureScene(root), textures: await measureTextures(root, source, bin) };
  return addWarningVerdict({ ...contents, measures }, warnings);
}

function addWarningVerdict(inspection: ModelInspection, { list }: Warnings): ModelInspection {
  if (list.length === 0) return inspection;
  const message = list.map((warning) => warning.message).join(' ');
  return { ...inspection, verdict: 'accept-with-warning', message, warnings: list };
}

function accept(container: ModelInspection['container'], bytes: number): ModelInspection {
  const verdict = { verdict: 'accept', code: null, message: '', level: null } as const;
  return { ...emptyContents, ...verdict, warnings: [], container, bytes };
}

function rejectedInspection(
  bytes: number,
  fileType: string,
  error: RejectedModelError,
): ModelInspection {
  const container = fileType === 'glb' || fileType === 'gltf' ? fileType : 'other';
  const { code, message, level } = error;
  return { ...accept(container, bytes), verdict: 'reject', code, message, level };
}

const extensionName = 'KHR_materials_variants';

function refuse(message: string): never {
  refuseSchema('INVALID_VARIANTS', `${extensionName}: ${message}`);
}

/** Reads the variant names in file order, unchanged. @throws RejectedModelError INVALID_VARIANTS */
function readVariantNames(root: JsonObject): readonly string[] {
  const extension = findExtension(root, extensionName);
  if (extension === undefined) return [];
  return objectsOf(extension, 'variants', `${extensionName}.variants`).map((variant, index) => {
    const name = variant['name'];
    if (typeof name !== 'string') {
      refuse(`variants[${index}].name is ${JSON.stringify(name) ?? 'missing'}, not text.`);
    }
    return name;
  });
}

/** Checks that each mapping has a material and at least one variant, all of which exist. @throws RejectedModelError */
function checkVariantMappings(root: JsonObject, variantCount: number): void {
  const materialCount = objectsOf(root, 'materials').length;
  objectsOf(root, 'meshes').forEach((mesh, meshIndex) => {
    objectsOf(mesh, 'primitives').forEach((primitive, index) => {
      const extension = findExtension(primitive, extensionName);
      if (extension === undefined) return;
      const jsonPath = `meshes[${meshIndex}].primitives[${index}].mappings`;
      const mappings = extension['mappings'];
      if (!Array.isArray(mappings) || mappings.length === 0)
        refuse(`${jsonPath} is missing or empty.`);
      for (const mapping of mappings) checkMapping(mapping, jsonPath, materialCount, variantCount);
    });
  });
}

function checkMapping(mapping: unknown, jsonPath: string, materials: number, variants: number) {
  if (!isObject(mapping) || mapping['material'] === undefined) {
    refuse(`${jsonPath} has an entry without a material.`);
  }
  const list = mapping['variants'];
  if (!Array.isArray(list) || list.length === 0)
    refuse(`${jsonPath} has an entry without variants.`);
  checkIndex(mapping['material'], materials, 'materials', `${jsonPath}.material`);
  for (const variant of list) {
    checkIndex(variant ?? null, variants, 'variants', `${jsonPath}.variants`);
  }
}

const understoodExtensions = new Set([
  'EXT_mesh_gpu_instancing',
  'EXT_meshopt_compression',
  'EXT_texture_avif',
  'EXT_texture_webp',
  'KHR_draco_mesh_compression',
  'KHR_lights_punctual',
  'KHR_mesh_quantization',
  'KHR_texture_basisu',
  'KHR_texture_transform',
  'KHR_xmp_json_ld',
]);

/** Scenes with more nodes are slow to draw. */
const slowNodeCount = 10_000;

function listUnknownExtensions(list: unknown): string[] {
  return namesOf(list).filter(
    (name) => !understoodExtensions.has(name) && !name.startsWith('KHR_materials_'),
  );
}

function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function countTriangles(root: JsonObject): number {
  const accessors = objectsOf(root, 'accessors');
  const count = (index: unknown): number => Number(accessors[Number(index)]?.['count'] ?? 0);
  let triangles = 0;
  for (const mesh of objectsOf(root, 'meshes')) {
    for (const primitive of objectsOf(mesh, 'primitives')) {
      if ((primitive['mode'] ?? 4) !== 4) continue;
      const attributes = primitive['attributes'];
      const position = isObject(attributes) ? attributes['POSITION'] : undefined;
      const vertices = count(primitive['indices'] ?? position);
      triangles += Math.floor(vertices / 3);
    }
  }
  return triangles;
}

/** Reads the contents of a glTF whose JSON has passed the checks. */
function readContents(root: JsonObject, variants: readonly string[]): ModelContents {
  const asset = root['asset'];
  const generator = isObject(asset) ? asset['generator'] : undefined;
  return {
    materials: objectsOf(root, 'materials').map(({ name }) =>
      typeof name === 'string' ? name : null,
    ),
    variants,
    meshes: objectsOf(root, 'meshes').length,
    nodes: objectsOf(root, 'nodes').length,
    triangles: countTriangles(root),
    images: objectsOf(root, 'images').length,
    animations: objectsOf(root, 'animations').length,
    extensionsRequired: namesOf(root['extensionsRequired']),
    generator: typeof generator === 'string' ? generator : null,
  };
}

/** Warns about external textures, many nodes, and required extensions that few programs support. */
function addWarnings(root: JsonObject, warnings: Warnings): void {
  const outside = listExternalUris(root, 'images');
  if (outside.length > 0) {
    warnings.add(
      'EXTERNAL_TEXTURE',
      `The file refers to external textures (${formatNames(outside)}) that will not be uploaded. Export the model with embedded textures.`,
    );
  }
  const nodes = objectsOf(root, 'nodes').length;
  if (nodes > slowNodeCount) {
    const message = `The scene has ${nodes} nodes, which viewers draw slowly. Merge meshes with the same material.`;
    warnings.add('LARGE_SCENE', message);
  }
  const unknownExtensions = listUnknownExtensions(root['extensionsRequired']);
  if (unknownExtensions.length > 0) {
    warnings.add(
      'UNKNOWN_REQUIRED_EXTENSION',
      `The file requires extensions that few programs know: ${unknownExtensions.slice(0, 5).join(', ')}.`,
    );
  }
}
