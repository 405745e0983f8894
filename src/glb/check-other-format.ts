// Checks formats that are not parsed here, to catch files of another format, files that are not complete, and files
// without anything to draw.
import type { ByteSource } from './byte-source.ts';
import { formatHint } from './file-formats.ts';
import { type RejectCode, RejectedModelError, refuseEmpty } from './model-inspection.ts';
import { readHeadAndTail } from './side-files.ts';
import { readZipDirectory, readZipEnd } from './zip-directory.ts';

const headBytes = 4096;

type FormatCheck = (source: ByteSource, head: Buffer) => void | Promise<void>;

const checkFbx: FormatCheck = async (source, head) => {
  if (head.toString('latin1', 0, 18) === 'Kaydara FBX Binary') return;
  // ASCII FBX starts with a comment. Some writers omit the comment but always include the header.
  if (head.includes(0) || !/^\s*;|FBXHeaderExtension/.test(head.toString('utf8')))
    refuse(head, 'NOT_AN_FBX', 'an FBX', 'it does not begin like a binary or an ASCII FBX.');
  const { text, isWhole } = await readHeadAndTail(source);
  if (!isWhole) return;
  const code = text.replace(/^[ \t]*;.*$|"[^"\n]*"/gm, '');
  if (code.split('{').length > code.split('}').length)
    refuseTruncated('a brace is not closed', source);
  if (!/^[ \t]*(Geometry|Vertices|Points):/m.test(code))
    refuseEmpty('it has no object of the type Geometry');
};

const checkObj: FormatCheck = async (source, head) => {
  const isNumber = /^[ \t]*v[ \t]+[-+]?[\d.]/m;
  // Some writers leave a zero byte in a comment.
  const isText = !head.includes(0) && !/^\s*</.test(head.toString('latin1'));
  if (!isText && !isNumber.test(head.toString('latin1')))
    refuse(head, 'NOT_AN_OBJ', 'an OBJ', 'OBJ is text, but this file is binary.');
  if (isNumber.test(head.toString('latin1'))) return;
  const { text, isWhole } = await readHeadAndTail(source);
  if (isWhole && !isNumber.test(text)) refuseEmpty('no line states a vertex, as "v 0.5 1 0" would');
};

const stlHeaderBytes = 84;
const stlTriangleBytes = 50;

const checkStl: FormatCheck = async (source, head) => {
  const triangles = head.length < stlHeaderBytes ? 0 : head.readUInt32LE(stlHeaderBytes - 4);
  const expectedBytes = stlHeaderBytes + stlTriangleBytes * triangles;
  // Binary files may begin with "solid" too, but contain zeros.
  if (/^(?:\xef\xbb\xbf)?\s*solid\b/i.test(head.toString('latin1')) && !head.includes(0)) {
    const tail = await readTail(source);
    const keywords = tail.match(/^[ \t]*(facet|outer|vertex|end(loop|facet|solid))\b/gim);
    if (!/facet/i.test(head.toString('latin1') + tail)) refuseEmpty('it has no facets');
    if (!/end(facet|solid)|^$/i.test(keywords?.at(-1) ?? ''))
      refuseTruncated('its last facet does not end', source);
    return;
  }
  if (head.length < stlHeaderBytes)
    refuse(head, 'TRUNCATED', 'a complete STL', `its header takes ${stlHeaderBytes} bytes.`);
  if (expectedBytes > source.size) {
    const problem = `its header states ${triangles} triangles, which take ${expectedBytes} bytes, but the file has ${source.size}.`;
    refuse(head, 'TRUNCATED', 'a complete STL', problem);
  }
  if (triangles === 0) refuseEmpty('its header states 0 triangles');
};

const checkUsdz: FormatCheck = async (source) => {
  const names = await readZipDirectory(source);
  if (names.some((name) => /\.usd[ac]?$/i.test(name))) return;
  throw new RejectedModelError('container', 'NOT_A_ZIP', 'The archive contains no USD file.');
};

const checkDae: FormatCheck = async (source) => {
  // Zeros are removed, because XML may be UTF-16.
  if (!/<\/(\w+:)?COLLADA\s*>/.test((await readTail(source)).replaceAll('\0', '')))
    refuseTruncated('it does not end with "</COLLADA>"', source);
};

async function readTail(source: ByteSource): Promise<string> {
  const tail = await source.read(Math.max(0, source.size - headBytes), headBytes);
  return Buffer.from(tail).toString('latin1');
}

function refuseTruncated(problem: string, { size }: ByteSource): never {
  const message = `The file is truncated after ${size} bytes: ${problem}.`;
  throw new RejectedModelError('container', 'TRUNCATED', message);
}

function refuse(head: Buffer, code: RejectCode, formatLabel: string, otherwise: string): never {
  const message = `The file is not ${formatLabel}: ${formatHint(head, otherwise)}`;
  throw new RejectedModelError('container', code, message);
}

const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['fbx', checkFbx],
  ['obj', checkObj],
  ['stl', checkStl],
  ['usdz', checkUsdz],
  ['dae', checkDae],
  ['zip', async (source) => void (await readZipEnd(source))],
  ['3mf', async (source) => void (await readZipEnd(source))],
]);

/**
 * Refuses a file that is truncated, of the wrong kind or without anything to draw, as far as its format is known here.
 * @throws RejectedModelError
 */
export async function checkOtherFormat(source: ByteSource, fileType: string): Promise<void> {
  const check = checks.get(fileType);
  await check?.(source, Buffer.from(await source.read(0, headBytes)));
}

/** True for an OBJ whose last statement about geometry is a vertex, because a file that is cut often has no faces. */
export async function endsWithVertices(source: ByteSource): Promise<boolean> {
  const statements = (await readTail(source)).match(/^[ \t]*(v[tnp]?|f|l|p|curv2?|surf|end)\b/gm);
  return statements?.at(-1)?.trimStart().startsWith('v') ?? false;
}
