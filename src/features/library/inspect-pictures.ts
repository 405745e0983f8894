// Inspects pictures before anything is created, because an item whose file is refused would remain on the platform.
import type { Connector, Entry } from '../../connectors/connector.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import {
  assertSameSetVersion,
  assertSameVersion,
  findSourceProblem,
} from '../../engine/uploads/source-file.ts';
import { findFileType } from '../../engine/uploads/upload-names.ts';
import { type FailureReason, fail } from '../../failures/fail.ts';
import { inspectionFailures } from '../../failures/files.ts';
import type { AssetSource, StepAsset } from '../../plan/types.ts';
import { setPaths } from '../../store/records/source-set.ts';
import type { FileFindings } from '../models/ingest.ts';
import { libraryFailures } from './failures.ts';

export async function inspectPictures(
  { key, source }: StepAsset,
  connectorName: string,
  context: NodeContext,
): Promise<FileFindings> {
  context.heartbeat();
  const connector = context.getConnector(connectorName);
  const problem = await findPictureProblem(source, connector, context.signal);
  const refusal = problem && fail(problem.failure, key, problem.message);
  return { key, refusal, cellFailures: [], warnings: [] };
}

/** Returns why the pictures are refused, or null if they are accepted. */
export async function findPictureProblem(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): Promise<FailureReason | null> {
  if (source.bytes === 0) {
    return { failure: inspectionFailures.EMPTY_FILE, message: `"${source.path}" is empty` };
  }
  const entries: Record<string, Entry> = {};
  const files = source.set ? setPaths(source, source.set) : [['file', source.path] as const];
  try {
    for (const [part, path] of files) {
      const { entry, bytes } = await connector.readPart(path, 0, pictureHeadBytes, signal);
      entries[part] = entry;
      if (!isPictureFile(bytes, findFileType(path) ?? '')) {
        return { failure: libraryFailures.NOT_A_PICTURE, message: `"${path}" is not a picture` };
      }
    }
    if (source.set) assertSameSetVersion(source, entries);
    else for (const entry of Object.values(entries)) assertSameVersion(source, entry);
    return null;
  } catch (error) {
    const problem = await findSourceProblem(error, connector);
    if (!problem) throw error;
    return problem;
  }
}

const bytesOf = (text: string) => Array.from(text, (char) => char.charCodeAt(0));

/** Signatures of the types that the platform accepts for decals and textures, except WebP and SVG. */
const signatures: readonly (readonly number[])[] = [
  [0x89, ...bytesOf('PNG\r\n'), 0x1a, 0x0a],
  [0xff, 0xd8, 0xff],
  bytesOf('GIF8'),
  bytesOf('II*\0'),
  bytesOf('MM\0*'),
  // A TIFF of more than 4 GB (BigTIFF).
  bytesOf('II+\0'),
  bytesOf('MM\0+'),
  // OpenEXR.
  [0x76, 0x2f, 0x31, 0x01],
];

export const pictureHeadBytes = 64;

/**
 * True if the bytes are the beginning of a picture, even if the extension indicates another picture type, because
 * programs detect the type by content.
 * @param fileType extension in lower case, needed for SVG, which is text
 */
export function isPictureFile(head: Uint8Array, fileType: string): boolean {
  if (fileType === 'svg') return /^\s*</.test(textOf(head));
  const isWebp = textOf(head.subarray(0, 4)) === 'RIFF' && textOf(head.subarray(8, 12)) === 'WEBP';
  return isWebp || signatures.some((start) => start.every((byte, index) => head[index] === byte));
}

/** Returns only the ASCII characters, without byte order marks and the zeros of UTF-16. */
function textOf(bytes: Uint8Array): string {
  const text = bytes.filter((byte) => byte !== 0 && byte < 0x80);
  return String.fromCharCode(...text);
}
