// Findings of a look at a file before anything is uploaded.

import type { RejectCode, WarningCode } from '../glb/look-result.ts';
import { defineFailures, type KnownFailure } from './define.ts';
import { pathFailures } from './places.ts';

const exportAgain = 'Export the model again and replace the file.';

export const lookFailures = defineFailures('asset', {
  EMPTY_FILE: { title: 'The file has no bytes.', fix: exportAgain },
  NOT_A_GLB: {
    title: 'The file is named .glb and is something else.',
    fix: 'Give it its right extension, or export it as GLB.',
  },
  UNSUPPORTED_VERSION: {
    title: 'The file is glTF of another version than 2.',
    fix: 'Export it as glTF 2.0.',
  },
  TRUNCATED: {
    title: 'The file ends before its own length.',
    fix: 'Copy it again: it was cut on its way.',
  },
  CHUNK_TOO_BIG: { title: 'A part of the file is longer than the file.', fix: exportAgain },
  NO_JSON_CHUNK: { title: 'The file has no scene description.', fix: exportAgain },
  JSON_TOO_BIG: {
    title: 'The scene description is larger than can be looked at.',
    fix: 'Keep pictures and geometry in the binary part, and join what is drawn alike.',
  },
  INVALID_JSON: { title: 'The scene description is not valid JSON.', fix: exportAgain },
  NOT_GLTF2: { title: 'The JSON is not glTF 2.0.', fix: 'Export it as glTF 2.0.' },
  INVALID_SCHEMA: { title: 'The scene description breaks the rules of glTF.', fix: exportAgain },
  INVALID_VARIANTS: { title: 'The material variants contradict themselves.', fix: exportAgain },
  UNRESOLVED_REFERENCE: {
    title: 'The file refers to a part that it does not have.',
    fix: exportAgain,
  },
  OUT_OF_BOUNDS: { title: 'The file refers to bytes beyond its end.', fix: exportAgain },
  EXTERNAL_BUFFER: {
    title: 'The geometry is in another file, which cannot be uploaded with it.',
    fix: 'Export it as one GLB.',
  },
  GLB_BOMB: {
    title: 'The file would unpack to far more than it is.',
    fix: 'Export it anew; do not trust it otherwise.',
  },
  NODE_CYCLE: { title: 'Nodes of the scene contain each other.', fix: exportAgain },
  TOO_DEEP: { title: 'The scene is nested too deeply.', fix: 'Flatten its hierarchy.' },
  NOT_A_ZIP: { title: 'The file is named .usdz and is no archive.', fix: exportAgain },
  NOT_AN_FBX: { title: 'The file is named .fbx and is something else.', fix: exportAgain },
  NOT_AN_OBJ: { title: 'The file is named .obj and is something else.', fix: exportAgain },
});

/** Worth saying about a file that is uploaded all the same. */
export const fileWarnings = defineFailures('asset', {
  EXTERNAL_TEXTURE: {
    title: 'A texture is in another file, which is not uploaded with the model.',
    fix: 'Export the model with its textures inside.',
  },
  LARGE_SCENE: {
    title: 'The scene has very many nodes.',
    fix: 'Join the parts that have one material, where the platform is slow with it.',
  },
  LENGTH_MISMATCH: {
    title: 'The length in the header of the file is not that of the file.',
    fix: 'Look at its picture; copy or export the model again where that is wrong.',
  },
  NONSTANDARD_GLTF: {
    title: 'The file departs from the rules of glTF in a way that viewers forgive.',
    fix: 'Look at its picture; export the model again where that is wrong.',
  },
  SIDE_FILES: {
    title: 'The model has materials or textures in other files, which are not uploaded with it.',
    fix: 'Export the model as GLB with its textures inside.',
  },
  UNKNOWN_REQUIRED_EXTENSION: {
    title: 'The model asks for an extension of glTF that is not known here.',
    fix: 'Look at its picture; the platform may know the extension.',
  },
}) satisfies Record<WarningCode, KnownFailure>;

/** By the codes of the look. */
export const fileFailures = { ...pathFailures, ...lookFailures } satisfies Record<
  RejectCode,
  KnownFailure
>;
