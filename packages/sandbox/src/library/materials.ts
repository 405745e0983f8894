// Creates materials, records their uploaded textures and confirms them.

import type { materialOperations, TextureChannel } from 'renderline/api/operations/materials';
import type { z } from 'zod';
import { chooseDuration } from '../context/durations.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { createLibraryFile, isSameContent } from '../context/uploaded-file.ts';
import { findTextureProblem } from '../files/texture-inspection.ts';
import { fail, refuseInput } from '../http/failure.ts';
import type { StoredFile } from '../state/files.ts';
import type { MaterialRecord, TextureRecord } from '../state/library-records.ts';
import { ensureCollection } from './collections.ts';

/** Duration of processing at speed 1. The platform documents one to two minutes. */
const processMs = { min: 60_000, max: 120_000 };

export function createMaterial(
  sandbox: Sandbox,
  body: z.output<typeof materialOperations.createMaterial.body>,
  nowMs: number,
): MaterialRecord {
  const { store } = sandbox;
  const id = store.newId('material');
  return store.materials.insert({
    id,
    name: body.name,
    type: 'pbr',
    textures: Object.fromEntries(
      body.textures.map(({ channel, fileType }) => [
        channel,
        { fileType, uploadKey: `materials/${id}/${channel}.${fileType}` },
      ]),
    ),
    collectionId: ensureCollection(sandbox, body.collection, nowMs),
    createdAt: nowMs,
    processMs: chooseDuration(sandbox, processMs, 'material'),
  });
}

/** Returns the channels and textures of a material in the order in which they were given. */
export function texturesOf(material: MaterialRecord): [TextureChannel, TextureRecord][] {
  return Object.entries(material.textures) as [TextureChannel, TextureRecord][];
}

/** Returns the API's name for a channel of an upload, such as `diffuse.png`. */
export function uploadedTypeOf([channel, { fileType }]: [TextureChannel, TextureRecord]): string {
  return `${channel}.${fileType}`;
}

/** Records an uploaded texture. Changed content must be confirmed again. */
export async function recordTexture(
  sandbox: Sandbox,
  material: MaterialRecord,
  channel: TextureChannel,
  storedFile: StoredFile,
): Promise<void> {
  const texture = material.textures[channel];
  if (!texture || isSameContent(texture.file, storedFile)) return;
  const source = storedFile.content ?? sandbox.files.path(texture.uploadKey);
  const problem = storedFile.tooLarge
    ? 'the file is too large'
    : await findTextureProblem(texture.fileType, source);
  sandbox.store.materials.update(material, {
    textures: {
      ...material.textures,
      [channel]: { ...texture, file: createLibraryFile(sandbox, storedFile, problem) },
    },
    confirmedAt: undefined,
    outcome: undefined,
  });
  sandbox.store.flush();
}

/** Checks uploaded types. @throws ApiFailure VALIDATION_ERROR if one is unknown, FILE_NOT_UPLOADED if it has no file */
export function checkUploads(material: MaterialRecord, uploadedTypes: readonly string[]): void {
  const textures = texturesOf(material).filter(([, { generated }]) => !generated);
  const texturesByType = new Map(textures.map((entry) => [uploadedTypeOf(entry), entry[1]]));
  for (const type of uploadedTypes) {
    const texture =
      texturesByType.get(type) ??
      refuseInput(`uploadedTypes: ${type} is not one of ${[...texturesByType.keys()].join(', ')}`);
    if (!texture.file) {
      fail(
        'FILE_NOT_UPLOADED',
        `Material ${material.id} (${material.name}) has no file for ${type}.`,
      );
    }
  }
}
