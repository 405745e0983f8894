// Props: platform.md, section 4.9.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenId, givenName, itemListOf, markRequired } from '../contract/response-marks.ts';
import { fileType, id, openEnum, pageFields, timestamp } from '../contract/schemas.ts';
import {
  creationErrors,
  creationFields,
  LibraryChange,
  libraryListQuery,
  libraryStatus,
  statusFields,
} from './library.ts';

export const Prop = z.object({
  propId: givenId,
  name: givenName,
  status: libraryStatus,
  source: openEnum(['catalog', 'uploaded']),
  fileType: z.string().nullable(),
  fileSize: z.int().nullable(),
  collectionId: z.string().nullable(),
  thumbnailUrl: z.string().nullable(),
  createdAt: timestamp,
});

export const PropCreationItem = z.object({
  ...creationFields,
  fileType: fileType.optional(),
});

const CreatedProp = z.object({
  propId: givenId,
  name: markRequired(givenName),
  uploadUrl: z.string().describe('PUT URL valid 1 hour'),
  uploadKey: z.string(),
});

const PropStatusItem = z.object({ propId: givenId, ...statusFields });

export const propOperations = defineOperations('4.9', {
  createProps: {
    route: 'POST /props',
    summary: 'Create 1-50 props, each with a signed upload URL.',
    body: z.object({ props: z.array(PropCreationItem).min(1).max(50) }),
    status: 201,
    response: z.object({
      props: markRequired(itemListOf(CreatedProp)),
      errors: creationErrors,
    }),
    errors: ['VALIDATION_ERROR', 'STORAGE_LIMIT_REACHED'],
    creates: { kind: 'prop', idField: 'propId' },
    retrySafety: 'lookup',
    verifiedBy: ['listProps'],
    batch: { field: 'props', max: 50 },
  },
  confirmProp: {
    route: 'POST /props/{propId}/confirm',
    summary: 'Confirm the upload of a prop; processing starts.',
    // The reference shows no success status for confirms of library items.
    response: z.object({ propId: z.string(), status: libraryStatus }),
    errors: ['FILE_NOT_UPLOADED', 'MODEL_FILE_TOO_LARGE', 'STORAGE_LIMIT_REACHED', 'NOT_FOUND'],
    retrySafety: 'repeat',
  },
  checkPropStatus: {
    route: 'POST /props/status',
    summary: 'Get the status of up to 100 props in one request.',
    body: z.object({ propIds: z.array(id).min(1).max(100) }),
    response: z.object({
      props: markRequired(itemListOf(PropStatusItem)),
      allReady: z.boolean(),
      notFound: itemListOf(z.string(), 'ids that do not exist in the workspace'),
    }),
    errors: ['VALIDATION_ERROR'],
    retrySafety: 'read',
    batch: { field: 'propIds', max: 100 },
  },
  listProps: {
    route: 'GET /props',
    summary: "List props; the platform's reference does not show their order.",
    query: libraryListQuery,
    response: z.object({ props: markRequired(itemListOf(Prop)), ...pageFields }),
    errors: ['VALIDATION_ERROR'],
    lists: { kind: 'prop', isNewestFirst: false },
  },
  getProp: {
    route: 'GET /props/{propId}',
    summary: 'Get a prop.',
    response: Prop,
    errors: ['NOT_FOUND'],
    reads: 'prop',
  },
  updateProp: {
    route: 'PATCH /props/{propId}',
    section: '4.10',
    summary: 'Rename a prop or move it to another collection.',
    body: LibraryChange,
    response: Prop,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    retrySafety: 'repeat',
  },
  deleteProp: {
    route: 'DELETE /props/{propId}',
    section: '4.10',
    summary: 'Delete a prop and its files permanently.',
    response: z.object({ deleted: z.boolean(), propId: z.string() }),
    errors: ['NOT_FOUND'],
    deletes: 'prop',
  },
});
