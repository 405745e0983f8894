// Finds the files (materials, pictures) that a model in a format other than glTF refers to. They are missing if only
// the model is uploaded. Reads only the parts of a file that can refer to other files, up to a limit.
import type { ByteSource } from './byte-source.ts';
import { findFbxFiles, maxJumps, pieceBytes } from './fbx-files.ts';

/** Reads the start of a file by its path relative to the model. Null if it cannot be read. */
export type ReadSideFile = (path: string) => Promise<Uint8Array | null>;

/** Headers and the lines that mention a material library are within these bytes. */
const headBytes = 64 * 1024;
/** Text formats mention pictures before or after the geometry, never inside it. */
const windowBytes = 4 * 1024 * 1024;
const maxLibraries = 4;
const maxListedNames = 5;
const maxShownLength = 120;
/** Longer names are cut. */
const maxLineLength = 1_000;

type Names = readonly string[] | Promise<readonly string[]>;
type Reader = (source: ByteSource, readSideFile: ReadSideFile) => Names;

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['obj', findObjFiles],
  ['fbx', async (source) => (await findFbxFiles(source)) ?? findFbxTextFiles(source)],
  [
    'dae',
    async (source) =>
      findMatches((await readHeadAndTail(source)).text, imageSource).map(decodeName),
  ],
  ['ply', async (source) => findMatches(await readHead(source), /^comment TextureFile (.+)$/gm)],
  ['3ds', findThreeDsFiles],
  ['usda', findUsdFiles],
  ['usd', findUsdFiles],
]);

const imageSource = /<image\b[^>]{0,200}>[^]{0,200}?<init_from>\s*(?:<ref>)?([^<]{1,500})/g;

/** Finds files that a model refers to, as paths with `/` without duplicates. Absolute paths become file names. */
export async function findSideFiles(
  source: ByteSource,
  fileType: string,
  readSideFile: ReadSideFile = async () => null,
): Promise<string[]> {
  const names = (await readers.get(fileType)?.(source, readSideFile)) ?? [];
  return [...new Set(names.map(toRelativeName))].filter((name) => name !== '');
}

/** Formats names as `"chair.mtl", "wood.png" and 3 more`. */
export function formatNames(names: readonly string[]): string {
  const shownNames = names
    .slice(0, maxListedNames)
    .map((name) => JSON.stringify(withoutLogin(name).slice(0, maxShownLength)));
  const moreCount = names.length - shownNames.length;
  return `${shownNames.join(', ')}${moreCount > 0 ? ` and ${moreCount} more` : ''}`;
}

/** Removes the user, the password and the query of a URL, which may be secrets. */
function withoutLogin(name: string): string {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(name)
    ? name.replace(/[?#].*$/s, '').replace(/(?<=^[^/]+\/\/)[^/]*@/, '')
    : name;
}

function toRelativeName(name: string): string {
  const path = name
    .trim()
    .replaceAll('\\', '/')
    .replace(/^file:\/\//, '');
  if (/^data:/i.test(path)) return '';
  const isAbsolute = /^(\/|[a-z]:)/i.test(path);
  return isAbsolute ? (path.split('/').at(-1) ?? '') : path.replace(/^(\.\/)+/, '');
}

async function findObjFiles(source: ByteSource, readSideFile: ReadSideFile): Promise<string[]> {
  const lines = findMatches(await readHead(source), /^[ \t]*mtllib[ \t]+(.+)$/gm);
  // A line may list several libraries, and a name may contain spaces.
  const libraries = lines.flatMap((line) => line.match(/\S.*?\.mtl(?=\s|$)/gi) ?? [line]);
  const pendingReads = libraries
    .slice(0, maxLibraries)
    .map((path) => readSideFile(toRelativeName(path)));
  const texts = (await Promise.all(pendingReads)).map((bytes) =>
    decodeText(bytes ?? new Uint8Array(0)),
  );
  const maps = texts.flatMap((library) =>
    findMatches(library, /^[ \t]*(?:map_\w+|bump|disp|decal|norm|refl)[ \t]+(.+)$/gim),
  );
  return [...libraries, ...maps.map((map) => map.replace(mapOptions, ''))];
}

/** Options before the name of a map, such as `-s 1 1 1 -clamp on`. */
const mapOptions = /^(-[a-z]+([ \t]+(-?[\d.]+|on|off|sphere|cube_\w+|[rgbmlz]))+[ \t]+)+/i;

async function findFbxTextFiles(source: ByteSource): Promise<string[]> {
  const { text: content } = await readHeadAndTail(source);
  const names: string[] = [];
  const embedded = new Set<string>();
  for (const object of content.split(/^[ \t]*(?=(?:Video|Texture): )/m)) {
    const [name] = findMatches(object, /^[ \t]*RelativeFilename: "([^"\n]+)"/gim);
    if (name === undefined) continue;
    names.push(name);
    if (/^[ \t]*Content: [^\n]{0,99}\n?[^\n]{0,99}"[A-Za-z0-9+/]{8}/m.test(object))
      embedded.add(name);
  }
  return names.filter((name) => !embedded.has(name));
}

async function findUsdFiles(source: ByteSource): Promise<string[]> {
  const { text: content } = await readHeadAndTail(source);
  if (!content.startsWith('#usda')) return [];
  return findMatches(content, /@([^@\n]{1,500}\.\w{2,5})@/g);
}

/** Types of 3DS chunks: two sets that contain other chunks, and the type that contains the name of a picture. */
const threeDsParents = new Set([0x4d4d, 0x3d3d, 0xafff]);
const threeDsMaps = new Set([0xa200, 0xa204, 0xa210, 0xa220, 0xa230, 0xa33a, 0xa33c, 0xa33d]);
const threeDsName = 0xa300;
const threeDsHeaderBytes = 6;
const maxChunks = 20_000;

async function findThreeDsFiles(source: ByteSource): Promise<string[]> {
  const names: string[] = [];
  let offset = 0;
  let lastOffset = 0;
  let jumps = 0;
  for (let chunkCount = 0; offset < source.size && chunkCount < maxChunks; chunkCount += 1) {
    if (offset - lastOffset > pieceBytes) jumps += 1;
    if (jumps > maxJumps) break;
    lastOffset = offset;
    const bytes = Buffer.from(await source.read(offset, 256));
    if (bytes.length < threeDsHeaderBytes) break;
    const type = bytes.readUInt16LE(0);
    const length = Math.max(bytes.readUInt32LE(2), threeDsHeaderBytes);
    if (type === threeDsName) {
      names.push(decodeText(bytes.subarray(threeDsHeaderBytes, length)).split('\0', 1)[0] ?? '');
    }
    const isParent = threeDsParents.has(type) || threeDsMaps.has(type);
    offset += isParent ? threeDsHeaderBytes : length;
  }
  return names;
}

function findMatches(content: string, pattern: RegExp): string[] {
  return [...content.matchAll(pattern)].flatMap(
    ([, name]) => name?.slice(0, maxLineLength).trim() || [],
  );
}

function decodeName(name: string): string {
  try {
    return decodeURI(name.replaceAll('&amp;', '&'));
  } catch {
    return name;
  }
}

async function readHead(source: ByteSource): Promise<string> {
  return decodeText(await source.read(0, headBytes));
}

/** Reads the start and the end of a long text, or all of a shorter one. */
export async function readHeadAndTail(
  source: ByteSource,
): Promise<{ text: string; isWhole: boolean }> {
  if (source.size <= 2 * windowBytes)
    return { text: decodeText(await source.read(0, source.size)), isWhole: true };
  const begin = await source.read(0, windowBytes);
  const end = await source.read(source.size - windowBytes, windowBytes);
  return { text: `${decodeText(begin)}\n${decodeText(end)}`, isWhole: false };
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
