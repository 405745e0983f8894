// Checks the first bytes of formats that are not parsed here, to catch wrong or truncated files.
import type { ByteSource } from './byte-source.ts';
import { formatHint } from './file-formats.ts';
import { type RejectCode, RejectedModelError } from './model-inspection.ts';

const headBytes = 4096;

type HeadCheck = (head: Buffer) => void;

const checkZip: HeadCheck = (head) => {
  const signature = head.length >= 4 ? head.readUInt32LE(0) : 0;
  if (signature === 0x04034b50) return;
  refuse(head, 'NOT_A_ZIP', 'a USDZ package', 'it does not start with a zip header.');
};

const checkFbx: HeadCheck = (head) => {
  if (head.toString('latin1', 0, 18) === 'Kaydara FBX Binary') return;
  // ASCII FBX starts with a comment. Some writers omit the comment but always include the header.
  const text = head.toString('utf8');
  if (!head.includes(0) && /^\s*;|FBXHeaderExtension/.test(text)) return;
  refuse(head, 'NOT_AN_FBX', 'an FBX', 'it does not start like a binary or a text FBX.');
};

const checkObj: HeadCheck = (head) => {
  // Some writers leave a zero byte in a comment.
  if (!head.includes(0) && !/^\s*</.test(head.toString('latin1'))) return;
  if (/^v\s+-?[\d.]/m.test(head.toString('latin1'))) return;
  refuse(head, 'NOT_AN_OBJ', 'an OBJ', 'OBJ is text, this file is binary.');
};

function refuse(head: Buffer, code: RejectCode, formatLabel: string, otherwise: string): never {
  const message = `The file is not ${formatLabel}: ${formatHint(head, otherwise)}`;
  throw new RejectedModelError('container', code, message);
}

const checks: ReadonlyMap<string, HeadCheck> = new Map(
  Object.entries({ usdz: checkZip, fbx: checkFbx, obj: checkObj }),
);

/**
 * Refuses a USDZ that is not a zip, and an FBX or OBJ of the wrong kind. Other types pass. @throws RejectedModelError
 */
export async function checkOtherFormat(source: ByteSource, fileType: string): Promise<void> {
  checks.get(fileType)?.(Buffer.from(await source.read(0, headBytes)));
}
