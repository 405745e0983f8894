// Creates decals, records their uploaded files and confirms them.

import { contentTypeOf } from 'renderline/api/content-types';
import {
  type Decal,
  type DecalCreationItem,
  type DecalFileType,
  decalFileTypes,
} from 'renderline/api/operations/decals';
import { maxPixels } from 'renderline/sandbox/bounds';
import type { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import { createLibraryFile, isSameContent } from '../context/uploaded-file.ts';
import { cleanName, findExtension } from '../files/file-names.ts';
import { type ImageInspection, inspectImage } from '../files/image-inspection.ts';
import { readFirstBytes } from '../files/image-limits.ts';
import { parseSvgSize, svgHeadBytes } from '../files/svg-size.ts';
import { fail, refuseInput } from '../http/failure.ts';
import type { StoredFile } from '../state/files.ts';
import type { DecalRecord } from '../state/library-records.ts';
import { decalStatusOf } from '../status/library-items.ts';
import { ensureCollection } from './collections.ts';

function isDecalType(extension: string | undefined): extension is DecalFileType {
  return decalFileTypes.some((type) => type === extension);
}

/** Creates the record of one item, or returns why that is not possible. */
export function createDecal(
  sandbox: Sandbox,
  item: z.output<typeof DecalCreationItem>,
  nowMs: number,
): DecalRecord | { readonly problem: string } {
  const { store } = sandbox;
  const { fileName = '' } = item;
  const fileType = item.fileType ?? findExtension(fileName);
  if (!isDecalType(fileType)) {
    const title = item.name || fileName || 'a decal without a name';
    const reason =
      fileType === undefined
        ? 'fileType is missing, and fileName has no extension'
        : `fileType ${fileType} is not one of ${decalFileTypes.join(', ')}`;
    return { problem: `${title}: ${reason}.` };
  }
  const id = store.newId('decal');
  return store.decals.insert({
    id,
    name: item.name?.trim() || cleanName(fileName) || 'Untitled decal',
    fileType,
    contentType: contentTypeOf(fileType),
    uploadKey: `decals/${id}/source.${fileType}`,
    declaredBytes: item.fileSize,
    collectionId: ensureCollection(sandbox, item.collection, nowMs),
    createdAt: nowMs,
    inks: [],
  });
}

/** Records an uploaded file. Changed content must be confirmed again. */
export async function recordDecalFile(
  sandbox: Sandbox,
  decal: DecalRecord,
  storedFile: StoredFile,
): Promise<void> {
  if (isSameContent(decal.file, storedFile)) return;
  const look = storedFile.tooLarge
    ? { problem: 'the file is too large' }
    : await inspectDecal(decal, storedFile.content ?? sandbox.files.path(decal.uploadKey));
  sandbox.store.decals.update(decal, {
    file: {
      ...createLibraryFile(sandbox, storedFile),
      ...('problem' in look ? { ...look, width: 0, height: 0 } : look),
    },
    confirmedAt: undefined,
  });
  sandbox.store.flush();
}

async function inspectDecal(
  { fileType }: DecalRecord,
  source: string | Uint8Array,
): Promise<ImageInspection> {
  if (fileType !== 'svg') return inspectImage(source);
  return parseSvgSize(await readFirstBytes(source, svgHeadBytes), maxPixels);
}

/**
 * Makes a decal READY. For a file that is not an image, sets FAILED and throws. For one that is too large, only throws.
 * @throws ApiFailure FILE_NOT_UPLOADED, VALIDATION_ERROR
 */
export function confirmDecalFile(sandbox: Sandbox, decal: DecalRecord, nowMs: number): void {
  const title = `decal ${decal.id} (${decal.name})`;
  if (!decal.file) {
    fail('FILE_NOT_UPLOADED', `No file was found at the upload location of ${title}.`);
  }
  if (decal.confirmedAt === undefined && !decal.file.tooLarge) {
    sandbox.store.decals.update(decal, { confirmedAt: nowMs });
  }
  if (decal.file.problem !== undefined) {
    refuseInput(
      `The file of ${title} cannot be read as an image: ${decal.file.problem}. Upload the file again.`,
    );
  }
}

/** Creates the response body of a decal. */
export function toDecalItem(decal: DecalRecord): z.input<typeof Decal> {
  const status = decalStatusOf(decal);
  const { width, height } = (status === 'READY' && decal.file) || { width: 0, height: 0 };
  return {
    decalId: decal.id,
    name: decal.name,
    status,
    fileType: decal.fileType,
    width,
    height,
    collectionId: decal.collectionId ?? null,
    createdAt: new Date(decal.createdAt).toISOString(),
  };
}
