// Checks that buffers lie inside the file and accessors inside their buffers, and limits the unpacked size.
import {
  findExtension,
  getWholeNumber,
  isObject,
  type JsonObject,
  objectsOf,
  refuseSchema,
} from './gltf-json.ts';
import type { Warnings } from './model-inspection.ts';
import { formatNames } from './side-files.ts';

const componentBytes = new Map([
  [5120, 1],
  [5121, 1],
  [5122, 2],
  [5123, 2],
  [5125, 4],
  [5126, 4],
  [5130, 8],
  [5131, 2],
]);
const componentsOf = new Map(
  Object.entries({ SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 }),
);

/** Maximum ratio of unpacked bytes to bytes of the file. Accessors may unpack compressed data, or share data. */
const maxUnpackedRatio = 256;
const alwaysAllowedBytes = 64 * 1024 * 1024;
const neverAllowedBytes = 8 * 1024 * 1024 * 1024;

export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}

/** Lists the URIs of buffers or images in other files. */
export function listExternalUris(root: JsonObject, list: 'buffers' | 'images'): string[] {
  return objectsOf(root, list)
    .map(({ uri }) => uri)
    .filter(isExternalUri);
}

export function isExternalUri(uri: unknown): uri is string {
  return typeof uri === 'string' && !isDataUri(uri);
}

/** Refuses external buffers and lists them, because an asset is a single file. */
export function checkExternalBuffers(root: JsonObject): void {
  const outside = listExternalUris(root, 'buffers');
  if (outside.length === 0) return;
  refuseSchema('EXTERNAL_BUFFER', `The geometry is in other files: ${formatNames(outside)}.`);
}

/** Extensions that store the data of a buffer view compressed in another view. */
export const meshoptExtensions = ['EXT_meshopt_compression', 'KHR_meshopt_compression'] as const;

/** Extension that stores the data of a primitive compressed in a buffer view. */
export const dracoExtension = 'KHR_draco_mesh_compression';

/** Some exporters include padding in the length and do not write it. */
const paddingBytes = 15;

type Limits = { readonly binBytes: number | null; readonly fileBytes: number };

interface BufferRange {
  /**
   * The declared length. It is at most `paddingBytes` more than `available`, if an exporter counted padding that it did
   * not write.
   */
  readonly declaredBytes: number;
  /** Bytes in the file. Null for a buffer without data. */
  readonly availableBytes: number | null;
}

/** Checks buffers, views and accessors against each other and against the BIN chunk. @throws RejectedModelError */
export function checkBufferBounds(
  root: JsonObject,
  { binBytes, fileBytes }: Limits,
  warnings: Warnings,
): void {
  const buffers = objectsOf(root, 'buffers').map((buffer, index) =>
    readBufferRange(buffer, index, binBytes, warnings),
  );
  const viewObjects = objectsOf(root, 'bufferViews');
  const views = viewObjects.map((view, index) => viewLength(view, index, buffers));
  let total = 0;
  objectsOf(root, 'accessors').forEach((accessor, index) => {
    total += computeAccessorBytes(accessor, index, { viewObjects, views, warnings });
  });
  const allowedBytes = Math.max(alwaysAllowedBytes, fileBytes * maxUnpackedRatio);
  if (total > Math.min(allowedBytes, neverAllowedBytes)) {
    refuseSchema(
      'GLB_BOMB',
      `The accessors unpack to ${total} bytes, but the file has only ${fileBytes}.`,
    );
  }
}

function readBufferRange(
  buffer: JsonObject,
  index: number,
  binBytes: number | null,
  warnings: Warnings,
): BufferRange {
  const jsonPath = `buffers[${index}]`;
  const byteLength = getWholeNumber(buffer, 'byteLength', jsonPath);
  const uri = buffer['uri'];
  const isFallback = meshoptExtensions.some(
    (name) => findExtension(buffer, name)?.['fallback'] === true,
  );
  const binDataBytes = isFallback || index > 0 ? null : binBytes;
  const dataBytes = typeof uri === 'string' ? countDataBytes(uri) : binDataBytes;
  if (dataBytes === null) {
    if (!isFallback && byteLength > 0)
      warnings.add('NONSTANDARD_GLTF', `${jsonPath} has no data, but is not marked as a fallback.`);
    return { declaredBytes: byteLength, availableBytes: null };
  }
  if (byteLength > dataBytes) {
    const owner = typeof uri === 'string' ? 'its data URI' : 'the BIN chunk';
    const message = `${jsonPath} declares ${byteLength} bytes but ${owner} has ${dataBytes}.`;
    if (byteLength > dataBytes + paddingBytes) refuseSchema('OUT_OF_BOUNDS', message);
    warnings.add('NONSTANDARD_GLTF', message);
  }
  return { declaredBytes: byteLength, availableBytes: Math.min(byteLength, dataBytes) };
}

/** Counts the bytes of a data URI. Four characters of base64 are three bytes. */
function countDataBytes(uri: string): number {
  const data = uri.slice(uri.indexOf(',') + 1);
  return /^data:[^,]*;base64,/i.test(uri)
    ? Math.floor((3 * data.replace(/={1,2}$/, '').length) / 4)
    : Buffer.byteLength(data.replaceAll(/%[\da-f]{2}/gi, 'x'));
}

/** Returns the bytes in the file that accessors may read from a view, or a compressed view's declared length. */
function viewLength(view: JsonObject, index: number, buffers: readonly BufferRange[]): number {
  const jsonPath = `bufferViews[${index}]`;
  const compressed = meshoptExtensions.flatMap((name) => {
    const extension = findExtension(view, name);
    return extension === undefined ? [] : [{ extension, name }];
  });
  for (const { extension, name } of compressed)
    viewRange(extension, `${jsonPath}.${name}`, buffers);
  if (compressed.length === 0) return viewRange(view, jsonPath, buffers);
  // Viewers never read the uncompressed data of a compressed view.
  return getWholeNumber(view, 'byteLength', jsonPath);
}

function viewRange(view: JsonObject, jsonPath: string, buffers: readonly BufferRange[]): number {
  const offset = getWholeNumber(view, 'byteOffset', jsonPath, 0);
  const length = getWholeNumber(view, 'byteLength', jsonPath);
  const buffer = getWholeNumber(view, 'buffer', jsonPath);
  const { declaredBytes = 0, availableBytes = 0 } = buffers[buffer] ?? {};
  if (availableBytes === null && length > 0) {
    refuseSchema(
      'UNRESOLVED_REFERENCE',
      `buffers[${buffer}] of ${jsonPath} has no data: neither a URI nor a BIN chunk.`,
    );
  }
  if (offset + length > declaredBytes) {
    refuseSchema(
      'OUT_OF_BOUNDS',
      `${jsonPath} ends at byte ${offset + length}, but its buffer has ${declaredBytes}.`,
    );
  }
  return Math.max(0, Math.min(length, (availableBytes ?? 0) - offset));
}

interface Views {
  readonly viewObjects: readonly JsonObject[];
  /** Available bytes of each view. */
  readonly views: readonly number[];
  readonly warnings: Warnings;
}

function computeAccessorBytes(
  accessor: JsonObject,
  index: number,
  { viewObjects, views, warnings }: Views,
): number {
  const jsonPath = `accessors[${index}]`;
  const count = getWholeNumber(accessor, 'count', jsonPath);
  const component = componentBytes.get(Number(accessor['componentType']));
  const components = componentsOf.get(String(accessor['type']));
  if (component === undefined || components === undefined) {
    refuseSchema('INVALID_SCHEMA', `${jsonPath} has an unknown componentType or type.`);
  }
  const element = component * components;
  if (accessor['bufferView'] !== undefined && count > 0) {
    const view = getWholeNumber(accessor, 'bufferView', jsonPath);
    const owner = viewObjects[view] ?? {};
    const stride = getWholeNumber(owner, 'byteStride', `bufferViews[${view}]`, element);
    const offset = getWholeNumber(accessor, 'byteOffset', jsonPath, 0);
    if (offset % component > 0)
      warnings.add(
        'NONSTANDARD_GLTF',
        `${jsonPath} does not begin at a multiple of ${component} bytes.`,
      );
    // A stride of 0 counts as no stride, as in viewers.
    const end = offset + (stride || element) * (count - 1) + element;
    const available = views[view] ?? 0;
    if (end > available) {
      refuseSchema(
        'OUT_OF_BOUNDS',
        `${jsonPath} needs ${end} bytes, but its buffer view has ${available}.`,
      );
    }
  }
  const sparse = accessor['sparse'];
  if (isObject(sparse) && getWholeNumber(sparse, 'count', `${jsonPath}.sparse`) > count) {
    refuseSchema(
      'OUT_OF_BOUNDS',
      `${jsonPath}.sparse replaces more elements than the accessor has.`,
    );
  }
  return count * element;
}
