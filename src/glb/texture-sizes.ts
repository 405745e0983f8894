// Reads the sizes of a model's textures from the headers of its images. Nothing is decoded.

import { isDataUri, isExternalUri } from './buffer-bounds.ts';
import type { ByteSource } from './byte-source.ts';
import type { ChunkRange } from './container.ts';
import { type JsonObject, objectsOf } from './gltf-json.ts';
import type { TextureMeasure } from './model-inspection.ts';

/** Maximum number of images to measure, because each may require a request to a store. */
export const maxMeasuredTextures = 256;
/** Maximum number of segments that are searched, because in a JPEG the size follows the metadata. */
const maxSegments = 256;
const headBytes = 32;

/** Reads up to `length` bytes of an image. */
type ReadImage = (offset: number, length: number) => Promise<Buffer>;
type Size = TextureMeasure['size'];

/** Returns one measure for each image of the file, up to `maxMeasuredTextures`. */
export async function measureTextures(
  root: JsonObject,
  source: ByteSource,
  bin: ChunkRange | null,
): Promise<TextureMeasure[]> {
  const measures: TextureMeasure[] = [];
  for (const { name, readImage } of listImages(root, source, bin))
    measures.push({ name, size: readImage === null ? null : await readSize(readImage) });
  return measures;
}

/** How PNG, JPEG, WebP, KTX2, AVIF and less usual pictures begin. */
const pictureStart =
  /^(\x89PNG|\xff\xd8\xff|RIFF[^]{4}WEBP|\xabKTX|[^]{4}ftyp|GIF8|BM|DDS |v\/1|#\?RADIANCE)/;

/** Returns the names of the images whose data in the file is no picture. */
export async function findUnreadableTextures(
  root: JsonObject,
  source: ByteSource,
  bin: ChunkRange | null,
): Promise<string[]> {
  const names: string[] = [];
  for (const { name, readImage } of listImages(root, source, bin)) {
    const head = await readImage?.(0, headBytes);
    if (head !== undefined && !pictureStart.test(head.toString('latin1'))) names.push(name);
  }
  return names;
}

function listImages(root: JsonObject, source: ByteSource, bin: ChunkRange | null) {
  const images = objectsOf(root, 'images').slice(0, maxMeasuredTextures);
  return images.map((image, index) => {
    const { name, uri } = image;
    const imageName = [name, isExternalUri(uri) ? uri : null].find((text) => text && text !== '');
    return {
      name: typeof imageName === 'string' ? imageName : `images[${index}]`,
      readImage: createImageReader(root, image, source, bin),
    };
  });
}

/** Returns null for an image whose bytes are not in this file, or are in a data URI without base64. */
function createImageReader(
  root: JsonObject,
  { uri, bufferView }: JsonObject,
  source: ByteSource,
  bin: ChunkRange | null,
): ReadImage | null {
  if (typeof uri === 'string') return isDataUri(uri) ? createDataUriReader(uri) : null;
  const view = objectsOf(root, 'bufferViews')[Number(bufferView ?? -1)];
  const buffer = objectsOf(root, 'buffers')[Number(view?.['buffer'] ?? -1)];
  if (view === undefined || buffer === undefined) return null;
  const start = Number(view['byteOffset'] ?? 0);
  const bytes = Number(view['byteLength'] ?? 0);
  const data = buffer['uri'];
  const fromData = typeof data === 'string' && isDataUri(data) ? createDataUriReader(data) : null;
  if (fromData === null && (bin === null || Number(view['buffer']) !== 0)) return null;
  return async (offset, length) => {
    const clampedLength = Math.max(0, Math.min(length, bytes - offset));
    if (fromData !== null) return fromData(start + offset, clampedLength);
    return Buffer.from(await source.read((bin?.offset ?? 0) + start + offset, clampedLength));
  };
}

/** Decodes only the part that is read: four characters of base64 are three bytes. */
function createDataUriReader(uri: string): ReadImage | null {
  const comma = uri.indexOf(',');
  if (comma === -1 || !/;base64$/i.test(uri.slice(0, comma))) return null;
  return async (offset, length) => {
    const first = Math.floor(offset / 3);
    const textOffset = comma + 1 + 4 * first;
    const text = uri.slice(textOffset, textOffset + 4 * Math.ceil((length + 3) / 3));
    const skippedBytes = offset - 3 * first;
    return Buffer.from(text, 'base64').subarray(skippedBytes, skippedBytes + length);
  };
}

async function readSize(read: ReadImage): Promise<Size> {
  const head = await read(0, headBytes);
  const isJpeg = head.length > 3 && head.readUIntBE(0, 3) === 0xffd8ff;
  if (!isJpeg && head.length < headBytes) return null;
  const headSize = () => readPngSize(head) ?? readWebpSize(head) ?? readKtxSize(head);
  const size = isJpeg ? await readJpegSize(read) : headSize();
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

function readPngSize(head: Buffer): Size {
  if (head.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return null;
  if (head.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function readKtxSize(head: Buffer): Size {
  if (head.toString('latin1', 0, 12) !== '\xabKTX 20\xbb\r\n\x1a\n') return null;
  // The height is at least 1, because a 1D texture has the height 0.
  return { width: head.readUInt32LE(20), height: Math.max(1, head.readUInt32LE(24)) };
}

function readWebpSize(head: Buffer): Size {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP')
    return null;
  const chunk = head.toString('latin1', 12, 16);
  if (chunk === 'VP8X')
    return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) };
  if (chunk === 'VP8L') {
    const bits = head.readUInt32LE(21);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  if (chunk !== 'VP8 ') return null;
  return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
}

/** Markers without a length, except the end of the image. */
const isStandaloneMarker = (marker: number) =>
  marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** Markers between 0xc0 and 0xcf that are not frames. */
const tables = new Set([0xc4, 0xc8, 0xcc]);

async function readJpegSize(read: ReadImage): Promise<Size> {
  let offset = 2;
  for (let count = 0; count < maxSegments; count += 1) {
    const segment = await read(offset, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return null;
    const marker = segment[1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xcf && !tables.has(marker))
      return { width: segment.readUInt16BE(7), height: segment.readUInt16BE(5) };
    if (marker === 0xd9) return null;
    // Skips a byte of padding before a marker.
    if (marker === 0xff) offset += 1;
    else offset += isStandaloneMarker(marker) ? 2 : 2 + segment.readUInt16BE(2);
  }
  return null;
}
