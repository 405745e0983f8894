import { type ByteSource, withFileSource } from '../../glb/byte-source.ts';
import { checkOtherFormat } from '../../glb/check-other-format.ts';
import { readGlbContainer } from '../../glb/container.ts';
import { parseGltfJson } from '../../glb/gltf-json.ts';
import { RejectedModelError, Warnings } from '../../glb/model-inspection.ts';
import { type DecodedPicture, decodePicture } from '../../pictures/decoding/decode.ts';
import { PictureError } from '../../pictures/picture-error.ts';
import { defaultMaxPixels } from '../../pictures/picture-header.ts';
import type { OutputRef } from '../renders/platform-ids.ts';
import { deliveryFailures } from './failures.ts';
import { isModelOutput, type ModelOutput } from './models/model-output.ts';
import type { FetchTarget } from './outputs/fetch-with-retry.ts';
import { OutputError } from './outputs/output-error.ts';
import { findOutputKind, findPictureFormat } from './outputs/output-types.ts';

/** Returns the inspection of an output, which throws OutputError for a file that must not be delivered. */
export function createInspector(output: OutputRef, verify: PictureRules): FetchTarget['inspect'] {
  if (isModelOutput(output)) return (path, sha256) => inspectModel(path, sha256, output);
  if (output.fileType === 'PDF') return (path) => inspectOpened(path, output, findPdfProblem);
  if (findOutputKind(output) === 'video')
    return (path) => inspectOpened(path, output, findVideoProblem);
  return (path) => inspectPicture(path, output, verify);
}

/** Inspects an output that is not a picture. @throws OutputError OUTPUT_UNREADABLE with what `findProblem` returns */
async function inspectOpened(
  file: string,
  output: OutputRef,
  findProblem: (source: ByteSource) => Promise<string | null>,
): Promise<{ width: number; height: number }> {
  const problem = await withFileSource(file, findProblem);
  if (problem === null) return { width: 0, height: 0 };
  throw new OutputError(deliveryFailures.OUTPUT_UNREADABLE, output, problem);
}

/** MP4 and QuickTime files start with a box of one of these types. */
const firstBoxes = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);

/** Checks the first bytes of a video. Does not decode it. */
async function findVideoProblem(source: ByteSource): Promise<string | null> {
  const isVideo = firstBoxes.has((await readTextAt(source, 0, 8)).slice(4));
  return isVideo ? null : 'is not an MP4 or QuickTime video';
}

const tailBytes = 2_048;
/** PDFs above this size are not searched for a page. Production files are only a few megabytes. */
const maxCounted = 64 * 1024 ** 2;
const chunkBytes = 1024 ** 2;
/** Chunks overlap by this length, so that matches at their borders are not missed. */
const maxTypeLength = 32;

/** Finds the problem of a PDF, which must be complete from header to trailer and have a page. */
async function findPdfProblem(source: ByteSource): Promise<string | null> {
  const { size } = source;
  const head = await readTextAt(source, 0, 1_024);
  if (!head.includes('%PDF-')) return 'is not a PDF';
  const tail = await readTextAt(source, Math.max(0, size - tailBytes), tailBytes);
  const xrefOffset = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
  if (Number.isNaN(xrefOffset)) return 'is a truncated PDF: its trailer is missing';
  // The object table is in the classic form (`xref`) or a stream object.
  const table = xrefOffset < size ? await readTextAt(source, xrefOffset, 40) : '';
  if (!/^\s*(?:xref|\d+\s+\d+\s+obj)/.test(table)) {
    return 'is a damaged PDF: the trailer does not point to the list of objects';
  }
  if (size > maxCounted) return null;
  return (await canHavePage(source)) ? null : 'is a PDF without a page';
}

/** Reads in chunks, so that a large file does not block other work. */
async function canHavePage(source: ByteSource): Promise<boolean> {
  for (let offset = 0; offset < source.size; offset += chunkBytes) {
    const piece = await readTextAt(source, offset, chunkBytes + maxTypeLength);
    // Compressed object streams may contain pages.
    if (/\/Type\s{0,16}\/(?:ObjStm|Page(?![a-zA-Z]))/.test(piece)) return true;
  }
  return false;
}

async function readTextAt(source: ByteSource, position: number, length: number): Promise<string> {
  return Buffer.from(await source.read(position, length)).toString('latin1');
}

export interface PictureRules {
  minWidth?: number | undefined;
  minHeight?: number | undefined;
  /** Maximum width times height. */
  maxPixels?: number | undefined;
  notBlank: boolean;
}

/** Reads the size in pixels. @throws OutputError OUTPUT_UNREADABLE, _FORMAT, _TOO_LARGE, _TOO_SMALL or _BLANK */
export async function inspectPicture(
  file: string,
  output: OutputRef,
  { maxPixels = defaultMaxPixels, minWidth = 1, minHeight = 1, notBlank }: PictureRules,
): Promise<{ width: number; height: number }> {
  const { format, width, height, isBlank } = await decode(file, output, maxPixels);
  if (format !== findPictureFormat(output)) {
    const problem = `is a ${format} file, but the platform reported the type ${output.fileType}`;
    throw new OutputError(deliveryFailures.OUTPUT_FORMAT, output, problem);
  }
  if (width < minWidth || height < minHeight) {
    const problem = `is ${width} x ${height} pixels`;
    throw new OutputError(deliveryFailures.OUTPUT_TOO_SMALL, output, problem);
  }
  if (notBlank && isBlank) {
    throw new OutputError(deliveryFailures.OUTPUT_BLANK, output, 'has a single colour');
  }
  return { width, height };
}

async function decode(file: string, output: OutputRef, maxPixels: number): Promise<DecodedPicture> {
  try {
    return await decodePicture(file, maxPixels);
  } catch (error) {
    // Other errors do not concern the picture, for example too many open files on this machine.
    if (!(error instanceof PictureError)) throw error;
    if (error.errorKind === 'TOO_LARGE') {
      throw new OutputError(deliveryFailures.OUTPUT_TOO_LARGE, output, error.message);
    }
    const problem = `cannot be read as a picture: it ${error.message}`;
    throw new OutputError(deliveryFailures.OUTPUT_UNREADABLE, output, problem);
  }
}

/**
 * Inspects a model file. A GLB must be complete with its JSON, and a USDZ must contain a USD file. A source must have
 * the hash of the upload. If that hash is unknown, the source is checked by its file type.
 */
async function inspectModel(file: string, sha256: string, output: ModelOutput) {
  if (output.sha256 !== undefined) {
    if (output.sha256 === sha256) return { width: 0, height: 0 };
    const problem = `has the hash ${sha256}, but the uploaded file has ${output.sha256}`;
    throw new OutputError(deliveryFailures.MODEL_FILE_OTHER, output, problem);
  }
  return inspectOpened(file, output, async (source) => {
    try {
      await check(source, output.fileType.toLowerCase());
      return null;
    } catch (error) {
      if (error instanceof RejectedModelError) return error.message;
      throw error;
    }
  });
}

async function check(source: ByteSource, type: string): Promise<void> {
  if (source.size === 0) throw new RejectedModelError('container', 'EMPTY_FILE', 'is empty');
  if (type === 'glb') {
    const warnings = new Warnings();
    parseGltfJson((await readGlbContainer(source, warnings)).json, warnings);
  } else {
    await checkOtherFormat(source, type);
  }
}
