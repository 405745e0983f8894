// Decides whether buffers are inside the file and accessors inside their buffers: no bombs, nothing outside.
import { extensionOf, isObject, type JsonObject, objectsOf, wholeNumber } from './gltf-json.ts';
import { RejectedModelError } from './look-result.ts';

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
const componentsOf = new Map([
  ['SCALAR', 1],
  ['VEC2', 2],
  ['VEC3', 3],
  ['VEC4', 4],
  ['MAT2', 4],
  ['MAT3', 9],
  ['MAT4', 16],
]);

/** Accessors may unpack compressed data or share it, but not without measure. */
const maxUnpackedRatio = 256;
const alwaysAllowedBytes = 64 * 1024 * 1024;
const neverAllowedBytes = 8 * 1024 * 1024 * 1024;

function refuse(
  code: 'OUT_OF_BOUNDS' | 'GLB_BOMB' | 'UNRESOLVED_REFERENCE',
  message: string,
): never {
  throw new RejectedModelError('schema', code, message);
}

export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}

/** Refuses buffers outside the file by name (side files are not assets, design §4). */
export function checkExternalBuffers(root: JsonObject): void {
  const outside = objectsOf(root, 'buffers')
    .map((buffer) => buffer['uri'])
    .filter((uri): uri is string => typeof uri === 'string' && !isDataUri(uri));
  if (outside.length === 0) return;
  const names = outside.slice(0, 5).map((uri) => JSON.stringify(uri.slice(0, 120)));
  throw new RejectedModelError(
    'schema',
    'EXTERNAL_BUFFER',
    `The geometry is outside the file, in ${names.join(', ')}. Export the model as one .glb.`,
  );
}

type Limits = { readonly binBytes: number | null; readonly fileBytes: number };

/** Checks buffers, views and accessors against each other and against the BIN chunk. */
export function checkBufferBounds(root: JsonObject, { binBytes, fileBytes }: Limits): void {
  const buffers = objectsOf(root, 'buffers').map((buffer, index) =>
    bufferLength(buffer, index, binBytes, fileBytes),
  );
  const viewObjects = objectsOf(root, 'bufferViews');
  const views = viewObjects.map((view, index) => viewLength(view, index, buffers));
  let total = 0;
  objectsOf(root, 'accessors').forEach((accessor, index) => {
    total += accessorBytes(accessor, index, viewObjects, views);
  });
  const allowed = Math.max(alwaysAllowedBytes, fileBytes * maxUnpackedRatio);
  if (total > Math.min(allowed, neverAllowedBytes)) {
    refuse('GLB_BOMB', `The accessors unpack to ${total} bytes from a file of ${fileBytes}.`);
  }
}

function bufferLength(
  buffer: JsonObject,
  index: number,
  binBytes: number | null,
  fileBytes: number,
): number {
  const length = wholeNumber(buffer, 'byteLength', `buffers[${index}]`);
  const uri = buffer['uri'];
  if (typeof uri === 'string') {
    // Percent-encoding makes a data URI longer, never shorter, than three quarters of the text.
    if (length > uri.length)
      refuse('OUT_OF_BOUNDS', `buffers[${index}] declares more than it holds.`);
    return length;
  }
  const meshopt = extensionOf(buffer, 'EXT_meshopt_compression');
  if (meshopt?.['fallback'] === true) return length;
  if (index > 0 || binBytes === null) {
    if (length === 0 || fileBytes === 0) return length;
    refuse('UNRESOLVED_REFERENCE', `buffers[${index}] has no data: no URI and no BIN chunk.`);
  }
  if (length > binBytes) {
    refuse(
      'OUT_OF_BOUNDS',
      `buffers[${index}] declares ${length} bytes but the BIN chunk has ${binBytes}. Export it again.`,
    );
  }
  return length;
}

function viewLength(view: JsonObject, index: number, buffers: readonly number[]): number {
  const place = `bufferViews[${index}]`;
  checkViewRange(view, place, buffers);
  const meshopt = extensionOf(view, 'EXT_meshopt_compression');
  if (meshopt !== undefined) checkViewRange(meshopt, `${place}.EXT_meshopt_compression`, buffers);
  return wholeNumber(view, 'byteLength', place);
}

function checkViewRange(view: JsonObject, place: string, buffers: readonly number[]): void {
  const end = wholeNumber(view, 'byteOffset', place, 0) + wholeNumber(view, 'byteLength', place);
  const available = buffers[wholeNumber(view, 'buffer', place)] ?? 0;
  if (end > available) {
    refuse('OUT_OF_BOUNDS', `${place} ends at byte ${end} of a buffer of ${available}.`);
  }
}

function accessorBytes(
  accessor: JsonObject,
  index: number,
  viewObjects: readonly JsonObject[],
  views: readonly number[],
): number {
  const place = `accessors[${index}]`;
  const count = wholeNumber(accessor, 'count', place);
  const component = componentBytes.get(Number(accessor['componentType']));
  const components = componentsOf.get(String(accessor['type']));
  if (component === undefined || components === undefined) {
    throw new RejectedModelError(
      'schema',
      'INVALID_SCHEMA',
      `${place} has an unknown componentType or type.`,
    );
  }
  const element = component * components;
  if (accessor['bufferView'] !== undefined && count > 0) {
    const view = wholeNumber(accessor, 'bufferView', place);
    const stride = wholeNumber(
      viewObjects[view] ?? {},
      'byteStride',
      `bufferViews[${view}]`,
      element,
    );
    const offset = wholeNumber(accessor, 'byteOffset', place, 0);
    const end = offset + Math.max(stride, 1) * (count - 1) + element;
    const available = views[view] ?? 0;
    if (end > available) {
      refuse('GLB_BOMB', `${place} wants ${end} bytes of a buffer view of ${available}.`);
    }
  }
  const sparse = accessor['sparse'];
  if (isObject(sparse) && wholeNumber(sparse, 'count', `${place}.sparse`) > count) {
    refuse('GLB_BOMB', `${place}.sparse replaces more elements than there are.`);
  }
  return count * element;
}
