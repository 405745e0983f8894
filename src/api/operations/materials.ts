// Materials: platform.md, section 4.9.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import {
  givenId,
  givenName,
  itemListOf,
  markProse,
  markRequired,
} from '../contract/response-marks.ts';
import { id, openEnum, pageFields, pageQuery, timestamp } from '../contract/schemas.ts';
import { collectionName, LibraryChange } from './library.ts';

export const textureChannels = [
  'diffuse',
  'normal',
  'roughness',
  'metallic',
  'depth',
  'opacity',
] as const;
export type TextureChannel = (typeof textureChannels)[number];

export const textureFileTypes = ['png', 'jpg', 'jpeg', 'exr'] as const;
export type TextureFileType = (typeof textureFileTypes)[number];

export const materialStatuses = ['processing', 'ready', 'failed'] as const;
export type MaterialStatus = (typeof materialStatuses)[number];
const status = openEnum(materialStatuses);

export const Material = z.object({
  materialId: givenId,
  name: givenName,
  // The reference does not show the values of `type`, `status` and `source` in listings.
  type: z.string(),
  status: z.string(),
  source: z.string(),
  collectionId: z.string().nullable(),
  thumbnailUrl: z.string().nullable(),
  createdAt: timestamp,
});

const TextureUpload = z.object({
  channel: markRequired(z.string().describe('<channel>.<ext>')),
  uploadUrl: markRequired(z.string().describe('PUT URL valid 1 hour')),
});

const MaterialStatusItem = z.object({
  materialId: givenId,
  status: markRequired(status),
  error: markProse(z.string()).nullable().optional().describe('why it failed'),
});

const paths = z.array(z.string());

export const materialOperations = defineOperations('4.9', {
  planMaterialImport: {
    route: 'POST /materials/plan-import',
    summary: 'Group texture file names into materials; uploads nothing.',
    body: z.object({
      paths: z.array(z.string()).min(1).max(2000),
      unmatchedAsDiffuse: z
        .boolean()
        .default(false)
        .describe('images without a channel in their name become single-texture diffuse materials'),
    }),
    response: z.object({
      materials: z.array(
        z.object({
          name: z.string(),
          textures: z.partialRecord(z.enum(textureChannels), z.string()),
        }),
      ),
      ignored: paths.describe(
        'recognized maps with no slot: ambient occlusion, specular, emissive …',
      ),
      packed: paths.describe('several maps in one image (ORM); export them as separate channels'),
      unmatched: paths.describe('images whose name does not show the channel'),
      skipped: paths.describe('files that are not images'),
      duplicates: z
        .array(z.object({ file: z.string(), material: z.string(), channel: z.string() }))
        .describe('files for a channel that the material already has'),
    }),
    errors: ['VALIDATION_ERROR'],
    retrySafety: 'read',
    batch: { field: 'paths', max: 2000 },
  },
  createMaterial: {
    route: 'POST /materials',
    summary: 'Create a material with a signed upload URL for each texture.',
    body: z.object({
      name: z.string().trim().min(1),
      textures: z
        .array(z.object({ channel: z.enum(textureChannels), fileType: z.enum(textureFileTypes) }))
        .min(1)
        .refine((list) => new Set(list.map(({ channel }) => channel)).size === list.length, {
          message: 'a channel is listed twice; each channel takes one image',
        })
        .describe('one image per channel; missing channels are generated'),
      collection: collectionName.optional(),
    }),
    status: 201,
    response: z.object({
      materialId: givenId,
      name: z.string(),
      collectionId: z.string().nullable(),
      uploads: itemListOf(TextureUpload),
      uploadedTypes: markRequired(
        z.array(z.string()).describe('must be repeated in the confirm request'),
      ),
    }),
    errors: ['VALIDATION_ERROR'],
    creates: { kind: 'material', idField: 'materialId' },
    retrySafety: 'lookup',
    verifiedBy: ['listMaterials'],
  },
  confirmMaterial: {
    route: 'POST /materials/{materialId}/confirm',
    summary: 'Confirm the uploads of a material; processing starts.',
    body: z.object({
      name: z.string().trim().min(1).optional(),
      uploadedTypes: z.array(z.string()).min(1).describe('as in the create response'),
      collectionId: z.string().min(1).nullable().optional(),
    }),
    response: z.object({ materialId: z.string(), status }),
    errors: ['VALIDATION_ERROR', 'FILE_NOT_UPLOADED', 'NOT_FOUND'],
    retrySafety: 'repeat',
  },
  checkMaterialStatus: {
    route: 'POST /materials/status',
    summary: 'Get the status of up to 100 materials in one request.',
    body: z.object({ materialIds: z.array(id).min(1).max(100) }),
    response: z.object({
      materials: markRequired(itemListOf(MaterialStatusItem)),
      allReady: z.boolean(),
    }),
    errors: ['VALIDATION_ERROR'],
    retrySafety: 'read',
    batch: { field: 'materialIds', max: 100 },
  },
  listMaterials: {
    route: 'GET /materials',
    summary: 'List materials, newest first.',
    query: z.object({
      ...pageQuery,
      search: z.string().optional().describe('fuzzy match on name, keywords and colour'),
    }),
    response: z.object({ materials: markRequired(itemListOf(Material)), ...pageFields }),
    errors: ['VALIDATION_ERROR'],
    lists: { kind: 'material', isNewestFirst: true },
  },
  getMaterial: {
    // The reference does not list this endpoint but mentions "the shape its GET returns".
    route: 'GET /materials/{materialId}',
    section: '4.10',
    summary: 'Get a material.',
    response: Material,
    errors: ['NOT_FOUND'],
    reads: 'material',
  },
  updateMaterial: {
    route: 'PATCH /materials/{materialId}',
    section: '4.10',
    summary: 'Rename a material or move it to another collection.',
    body: LibraryChange,
    response: Material,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    retrySafety: 'repeat',
  },
  deleteMaterial: {
    route: 'DELETE /materials/{materialId}',
    section: '4.10',
    summary: 'Delete a material permanently; the material is removed from surfaces and colorways.',
    response: z.object({ deleted: z.boolean(), materialId: z.string() }),
    errors: ['NOT_FOUND'],
    deletes: 'material',
  },
});
