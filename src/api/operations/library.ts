// Schemas that props, decals and materials share: platform.md, section 4.9.
import { z } from 'zod';
import { markProse, markRequired } from '../contract/response-marks.ts';
import { openEnum, pageQuery } from '../contract/schemas.ts';

export const libraryStatuses = ['PENDING', 'UPLOADING', 'ANALYZING', 'READY', 'FAILED'] as const;
export type LibraryStatus = (typeof libraryStatuses)[number];
export const libraryStatus = openEnum(libraryStatuses);

export const collectionName = z
  .string()
  .trim()
  .min(1)
  .describe('collection name; created on first use, matched by name afterwards');

/** Fields of one item of a create request. All are optional. */
export const creationFields = {
  fileName: z
    .string()
    .min(1)
    .optional()
    .describe('file name, from which name and fileType are derived if omitted'),
  name: z.string().optional().describe('defaults to a cleaned-up file name'),
  fileSize: z.int().nonnegative().optional().describe('bytes'),
  collection: collectionName.optional(),
};

/** Fields of one item in a status response. */
export const statusFields = {
  name: z.string(),
  status: markRequired(libraryStatus),
  ready: z.boolean(),
};

/** Library lists are assumed to have the same page size as other lists, because the reference shows none. */
export const libraryListQuery = z.object({
  ...pageQuery,
  status: z.string().optional(),
  name: z.string().optional().describe('case-insensitive substring'),
  collectionId: z.string().optional(),
});

/** Body of a PATCH of a prop, decal or material. */
export const LibraryChange = z.object({
  name: z.string().trim().min(1).optional().describe('new name'),
  collection: collectionName
    .nullable()
    .optional()
    .describe(
      'collection name, created if missing; null removes the item from its collection; overrides collectionId',
    ),
  collectionId: z
    .string()
    .min(1)
    .nullable()
    .optional()
    .describe('collection id; null removes the item from its collection'),
});
export type LibraryChange = z.output<typeof LibraryChange>;

export const creationErrors = z
  .array(markProse(z.string()))
  .optional()
  .describe('only on partial success');
