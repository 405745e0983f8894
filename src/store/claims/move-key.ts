// Keys of claims on records that are being moved to another key. Pure.
import { encodeKey } from '../objects/object-name.ts';

/** No asset key contains this character. */
const mark = '\u001f';
const encodedMark = encodeKey(mark);

/** @param record name of the record */
export function moveKeyOf(record: string): string {
  return `${mark}${record}`;
}

/** True for the encoded name of a claim on a record. */
export function isMove(name: string): boolean {
  return name.startsWith(encodedMark);
}
