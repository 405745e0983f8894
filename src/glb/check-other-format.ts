// Checks formats that are not parsed here, to catch files of another format and archives that are not complete.
import type { ByteSource } from './byte-source.ts';
import { formatHint } from './file-formats.ts';
import { type RejectCode, RejectedModelError } from './model-inspection.ts';
import { readZipDirectory } from './zip-directory.ts';

const headBytes = 4096;

type HeadCheck = (head: Buffer) => void;

const checkFbx: HeadCheck = (head) => {
  if (head.toString('latin1', 0, 18) === 'Kaydara FBX Binary') return;
  // ASCII FBX starts with a comment. Some writers omit the comment but always include the header.
  const text = head.toString('utf8');
  if (!head.includes(0) && /^\s*;|FBXHeaderExtension/.test(text)) return;
  refuse(head, 'NOT_AN_FBX', 'an FBX', 'it does not begin like a binary or an ASCII FBX.');
};

const checkObj: HeadCheck = (head) => {
  // Some writers leave a zero byte in a comment.
  if (!head.includes(0) && !/^\s*</.test(head.toString('latin1'))) return;
  if (/^v\s+-?[\d.]/m.test(head.toString('latin1'))) return;
  refuse(head, 'NOT_AN_OBJ', 'an OBJ', 'OBJ is text, but this file is binary.');
};

function refuse(head: Buffer, code: RejectCode, formatLabel: string, otherwise: string): never {
  const message = `The file is not ${formatLabel}: ${formatHint(head, otherwise)}`;
  throw new RejectedModelError('container', code, message);
}

const checks: ReadonlyMap<string, HeadCheck> = new Map(
  Object.entries({ fbx: checkFbx, obj: checkObj }),
);

/**
 * Refuses a USDZ that is not a complete zip with a USD file, and an FBX or OBJ of the wrong kind. Other types pass.
 * @throws RejectedModelError
 */
export async function checkOtherFormat(source: ByteSource, fileType: string): Promise<void> {
  checks.get(fileType)?.(Buffer.from(await source.read(0, headBytes)));
  if (fileType !== 'usdz') return;
  const names = await readZipDirectory(source);
  if (names.some((name) => /\.usd[ac]?$/i.test(name))) return;
  throw new RejectedModelError('container', 'NOT_A_ZIP', 'The archive contains no USD file.');
}

/** True for an OBJ whose last statement about geometry is a vertex, because a file that is cut often has no faces. */
export async function endsWithVertices(source: ByteSource): Promise<boolean> {
  const tail = await source.read(Math.max(0, source.size - headBytes), headBytes);
  const text = Buffer.from(tail).toString('latin1');
  const statements = text.match(/^[ \t]*(v[tnp]?|f|l|p|curv2?|surf|end)\b/gm);
  return statements?.at(-1)?.trimStart().startsWith('v') ?? false;
}
