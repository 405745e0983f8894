// Finds the external pictures of a binary FBX, and refuses one that is truncated or has no geometry. Each record has an
// end offset, so the geometry is skipped.
import type { ByteSource } from './byte-source.ts';
import { RejectedModelError, refuseEmpty } from './model-inspection.ts';

const magic = 'Kaydara FBX Binary';
const firstRecord = 27;
/** Geometries are objects from this version on. Before, models contain them. */
const geometryVersion = 7_000;
/** Lengths are eight bytes long from this version on. */
const longVersion = 7_500;
const maxNameLength = 255;
const maxTextLength = 4_096;
const maxRecords = 20_000;
/** Files in a bucket are read in pieces of this size. Each read outside the current piece is a request. */
export const pieceBytes = 64 * 1024;
export const maxJumps = 100;

interface FbxRecord {
  name: string;
  /** Offsets of the record's properties, of its nested records, and of its end. */
  properties: number;
  inner: number;
  end: number;
}

/**
 * Finds the paths of external pictures, as in the file. Returns null for a file that is not a binary FBX.
 * @throws RejectedModelError TRUNCATED if a record, or the list of records, ends after the end of the file; NO_GEOMETRY
 */
export async function findFbxFiles(source: ByteSource): Promise<string[] | null> {
  const head = Buffer.from(await source.read(0, firstRecord));
  if (!head.toString('latin1').startsWith(magic)) return null;
  if (head.length < firstRecord)
    throw truncatedError(`The header takes ${firstRecord} bytes`, source);
  const version = head.readUInt32LE(23);
  const isLong = version >= longVersion;
  const names = new Set<string>();
  const inside = new Set<string>();
  let records = 0;
  let jumps = 0;
  let last = 0;

  const isCutShort = () => records > maxRecords || jumps > maxJumps;

  async function recordAt(offset: number): Promise<FbxRecord | null> {
    records += 1;
    if (Math.abs(offset - last) > pieceBytes) jumps += 1;
    last = offset;
    if (isCutShort()) return null;
    const width = isLong ? 8 : 4;
    const bytes = Buffer.from(await source.read(offset, 3 * width + 1 + maxNameLength));
    if (bytes.length <= 3 * width)
      throw truncatedError(`The list of records continues at byte ${offset}`, source);
    const number = (position: number) =>
      Number(isLong ? bytes.readBigUInt64LE(position) : bytes.readUInt32LE(position));
    const end = number(0);
    const name = bytes.toString('latin1', 3 * width + 1, 3 * width + 1 + (bytes[3 * width] ?? 0));
    const properties = offset + 3 * width + 1 + name.length;
    const inner = properties + number(2 * width);
    if (end > source.size)
      throw truncatedError(`${JSON.stringify(name)} at byte ${offset} ends at byte ${end}`, source);
    // A record of zeros ends a list.
    return end > offset && inner <= end ? { name, properties, inner, end } : null;
  }

  async function* readRecords(from: number, to: number): AsyncGenerator<FbxRecord> {
    for (let offset = from; offset < to; ) {
      const record = await recordAt(offset);
      if (record === null) return;
      yield record;
      offset = record.end;
    }
  }

  /** Returns the text and byte length of a record's first property. Empty if the type is neither `S` nor `R`. */
  async function textOf({ properties, inner }: FbxRecord) {
    const size = Math.min(inner - properties, maxTextLength);
    const bytes = Buffer.from(await source.read(properties, size));
    const isText = bytes.length >= 5 && 'SR'.includes(String.fromCharCode(bytes[0] ?? 0));
    if (!isText) return { length: 0, text: '' };
    const length = bytes.readUInt32LE(1);
    return { length, text: bytes.toString('utf8', 5, 5 + length) };
  }

  let hasGeometry = version < geometryVersion;
  for await (const top of readRecords(firstRecord, Infinity)) {
    if (top.name !== 'Objects') continue;
    for await (const object of readRecords(top.inner, top.end)) {
      hasGeometry ||= object.name === 'Geometry';
      if (object.name !== 'Video' && object.name !== 'Texture') continue;
      let name = '';
      let isInside = false;
      for await (const field of readRecords(object.inner, object.end)) {
        if (field.name === 'RelativeFilename') name = (await textOf(field)).text;
        else if (/^filename$/i.test(field.name)) name ||= (await textOf(field)).text;
        else if (field.name === 'Content') isInside = (await textOf(field)).length > 0;
      }
      if (name !== '') names.add(name);
      if (isInside) inside.add(name);
    }
  }
  if (!hasGeometry && !isCutShort()) refuseEmpty('it has no object of the type Geometry');
  return [...names].filter((name) => !inside.has(name));
}

function truncatedError(position: string, { size }: ByteSource): RejectedModelError {
  const message = `${position}, but the file has ${size} bytes: it is truncated.`;
  return new RejectedModelError('container', 'TRUNCATED', message);
}
