// Failures and warnings of the inspection of a file before its upload.

import { defineFailures } from './define.ts';
import { pathFailures } from './storage.ts';

const reexportFix = 'Export the model again and replace the file.';

export const inspectionFailures = defineFailures('asset', {
  EMPTY_FILE: { title: 'The file is empty.', fix: reexportFix },
  NOT_A_GLB: {
    title: 'The file is named .glb but has another format.',
    fix: 'Correct the file extension, or export the model as GLB.',
  },
  UNSUPPORTED_VERSION: {
    title: 'The file is glTF, but not version 2.',
    fix: 'Export the model as glTF 2.0.',
  },
  TRUNCATED: {
    title: 'The file is incomplete.',
    fix: 'Copy the file again; the last copy was probably cut off.',
  },
  CHUNK_TOO_BIG: {
    title: 'The stated length of a chunk exceeds the size of the file.',
    fix: reexportFix,
  },
  NO_JSON_CHUNK: {
    title: 'The file has no JSON chunk, so it describes no scene.',
    fix: reexportFix,
  },
  JSON_TOO_BIG: {
    title: 'The JSON of the scene is too large to inspect.',
    fix: 'Keep textures and geometry in the binary chunk, and merge meshes that share a material.',
  },
  INVALID_JSON: { title: 'The scene description is not valid JSON.', fix: reexportFix },
  NOT_GLTF2: { title: 'The JSON is not glTF 2.0.', fix: 'Export the model as glTF 2.0.' },
  INVALID_SCHEMA: { title: 'The scene description violates the glTF schema.', fix: reexportFix },
  INVALID_VARIANTS: {
    title: 'The material variants of the file are inconsistent.',
    fix: reexportFix,
  },
  UNRESOLVED_REFERENCE: {
    title: 'The file refers to an element that it does not contain.',
    fix: reexportFix,
  },
  OUT_OF_BOUNDS: {
    title: 'The file refers to bytes beyond the end of its data.',
    fix: reexportFix,
  },
  NO_GEOMETRY: {
    title: 'The file contains nothing that can be drawn.',
    fix: 'Export the model again with its meshes, or remove the file.',
  },
  INVALID_GEOMETRY: {
    title: 'The vertices of the model are not finite numbers, or do not exist.',
    fix: 'Repair the mesh in a 3D program, and export the model again.',
  },
  EXTERNAL_BUFFER: {
    title: 'The geometry is in another file, which cannot be uploaded with this one.',
    fix: 'Export the model as a single GLB.',
  },
  GLB_BOMB: {
    title: 'The file would expand to many times its size when unpacked.',
    fix: 'Export the model again. If the file comes from somebody else, do not trust it.',
  },
  NODE_CYCLE: { title: 'The nodes of the scene form a cycle.', fix: reexportFix },
  TOO_DEEP: {
    title: 'The node hierarchy of the scene is too deep.',
    fix: 'Flatten the node hierarchy.',
  },
  NOT_A_ZIP: {
    title: 'The file is named like an archive, but is not one, or lacks a model that can be read.',
    fix: reexportFix,
  },
  NOT_AN_FBX: { title: 'The file is named .fbx but has another format.', fix: reexportFix },
  NOT_AN_OBJ: { title: 'The file is named .obj but has another format.', fix: reexportFix },
});

/** Warnings about a file that is uploaded anyway. */
export const fileWarnings = defineFailures('asset', {
  EMPTY_SCENE: {
    title: 'Nothing in the model can be drawn.',
    fix: 'Check the rendered picture. If it is empty, export the model again with its meshes.',
  },
  EXTERNAL_TEXTURE: {
    title: 'A texture is in another file, which is not uploaded with the model.',
    fix: 'Export the model with embedded textures.',
  },
  LARGE_SCENE: {
    title: 'The scene has a very large number of nodes.',
    fix: 'If the platform is slow with the model, merge parts that share a material.',
  },
  LENGTH_MISMATCH: {
    title: 'The length in the header differs from the size of the file.',
    fix: 'Check the rendered picture. If it is wrong, copy or export the model again.',
  },
  NONSTANDARD_GLTF: {
    title: 'The file violates the glTF rules in a way that viewers tolerate.',
    fix: 'Check the rendered picture. If it is wrong, export the model again.',
  },
  SIDE_FILES: {
    title: 'The model has materials or textures in other files, which are not uploaded with it.',
    fix: 'Export the model as GLB with embedded textures.',
  },
  UNKNOWN_REQUIRED_EXTENSION: {
    title: 'The model requires a glTF extension that Renderline does not know.',
    fix: 'Check the rendered picture. The platform may support the extension.',
  },
  UNREADABLE_TEXTURE: {
    title: 'A texture in the model is not a picture.',
    fix: 'Check the rendered picture. If it is wrong, export the model again with its textures.',
  },
  UNUSED_VERTICES: {
    title: 'The OBJ ends with vertices that no face uses.',
    fix: 'Copy the file again if it was cut off during the copy. Otherwise, export the model again.',
  },
});

export const fileFailures = { ...pathFailures, ...inspectionFailures };
