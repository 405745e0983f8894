// Formats without a reader here: their first bytes alone are checked, enough to catch a wrong or cut file.
import type { ByteSource } from './byte-source.ts';
import { RejectedModelError } from './look-result.ts';

const headBytes = 4096;

type HeadCheck = (head: Buffer) => void;

const zip: HeadCheck = (head) => {
  const signature = head.length >= 4 ? head.readUInt32LE(0) : 0;
  if (signature !== 0x04034b50) {
    throw new RejectedModelError(
      'container',
      'NOT_A_ZIP',
      'The file is not a USDZ package: it does not begin as a zip archive does.',
    );
  }
};

const fbx: HeadCheck = (head) => {
  if (head.toString('latin1', 0, 18) === 'Kaydara FBX Binary') return;
  // ASCII FBX begins with a comment; some writers leave it out but always name the header.
  const text = head.toString('latin1');
  if (!head.includes(0) && /^\s*;|FBXHeaderExtension/.test(text)) return;
  throw new RejectedModelError(
    'container',
    'NOT_AN_FBX',
    'The file is not an FBX: it begins neither as the binary nor as the text form does.',
  );
};

const obj: HeadCheck = (head) => {
  if (!head.includes(0)) return;
  throw new RejectedModelError(
    'container',
    'NOT_AN_OBJ',
    'The file is not an OBJ: OBJ is text, this file is binary.',
  );
};

const checks: ReadonlyMap<string, HeadCheck> = new Map([
  ['usdz', zip],
  ['fbx', fbx],
  ['obj', obj],
]);

/** Refuses a USDZ that is no zip, an FBX or OBJ of the wrong kind; all other types pass. */
export async function checkOtherFormat(source: ByteSource, fileType: string): Promise<void> {
  const check = checks.get(fileType);
  if (check === undefined) return;
  check(Buffer.from(await source.read(0, headBytes)));
}
