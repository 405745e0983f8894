// Decals: platform.md, section 4.9.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenId, givenName, itemListOf, markRequired } from '../contract/response-marks.ts';
import { id, pageFields, timestamp } from '../contract/schemas.ts';
import {
  creationErrors,
  creationFields,
  LibraryChange,
  libraryListQuery,
  libraryStatus,
  statusFields,
} from './library.ts';

export const decalFileTypes = ['png', 'jpg', 'jpeg', 'webp', 'gif', 'svg', 'tif', 'tiff'] as const;
export type DecalFileType = (typeof decalFileTypes)[number];

const pixels = z.int().nullable().describe('in pixels; read when the upload is confirmed');

export const Decal = z.object({
  decalId: givenId,
  name: givenName,
  status: libraryStatus,
  fileType: z.string(),
  width: pixels,
  height: pixels,
  collectionId: z.string().nullable(),
  createdAt: timestamp,
});

export const DecalCreationItem = z.object({
  ...creationFields,
  fileType: z.enum(decalFileTypes).optional(),
});

const CreatedDecal = z.object({
  decalId: givenId,
  name: markRequired(givenName),
  uploadUrl: z.string().describe('PUT URL valid 1 hour'),
  uploadKey: z.string(),
  contentType: z.string().describe('the PUT must send exactly this Content-Type'),
});

const DecalStatusItem = z.object({ decalId: givenId, ...statusFields });

export const decalOperations = defineOperations('4.9', {
  createDecals: {
    route: 'POST /decals',
    summary: 'Create 1-50 decals, each with a signed upload URL.',
    body: z.object({ decals: z.array(DecalCreationItem).min(1).max(50) }),
    status: 201,
    response: z.object({
      decals: markRequired(itemListOf(CreatedDecal)),
      errors: creationErrors,
    }),
    errors: ['VALIDATION_ERROR'],
    creates: { kind: 'decal', idField: 'decalId' },
    retrySafety: 'lookup',
    verifiedBy: ['listDecals'],
    batch: { field: 'decals', max: 50 },
  },
  confirmDecal: {
    route: 'POST /decals/{decalId}/confirm',
    summary: 'Confirm the upload of a decal; its dimensions are read, and it becomes READY.',
    response: z.object({ decalId: z.string(), status: libraryStatus }),
    errors: ['VALIDATION_ERROR', 'FILE_NOT_UPLOADED', 'NOT_FOUND'],
    retrySafety: 'repeat',
  },
  checkDecalStatus: {
    route: 'POST /decals/status',
    summary: 'Get the status of up to 100 decals in one request.',
    body: z.object({ decalIds: z.array(id).min(1).max(100) }),
    response: z.object({
      decals: markRequired(itemListOf(DecalStatusItem)),
      allReady: z.boolean(),
      notFound: itemListOf(z.string(), 'ids that do not exist in the workspace'),
    }),
    errors: ['VALIDATION_ERROR'],
    retrySafety: 'read',
    batch: { field: 'decalIds', max: 100 },
  },
  listDecals: {
    route: 'GET /decals',
    summary: "List decals; the platform's reference does not show their order.",
    query: libraryListQuery,
    response: z.object({ decals: markRequired(itemListOf(Decal)), ...pageFields }),
    errors: ['VALIDATION_ERROR'],
    lists: { kind: 'decal', isNewestFirst: false },
  },
  getDecal: {
    route: 'GET /decals/{decalId}',
    summary: 'Get a decal.',
    response: Decal,
    errors: ['NOT_FOUND'],
    reads: 'decal',
  },
  updateDecal: {
    route: 'PATCH /decals/{decalId}',
    section: '4.10',
    summary: 'Rename a decal or move it to another collection.',
    body: LibraryChange,
    response: Decal,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    retrySafety: 'repeat',
  },
  deleteDecal: {
    route: 'DELETE /decals/{decalId}',
    section: '4.10',
    summary: 'Delete a decal and its file permanently.',
    response: z.object({ deleted: z.boolean(), decalId: z.string() }),
    errors: ['NOT_FOUND'],
    deletes: 'decal',
  },
});
