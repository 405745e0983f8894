// Variants and decal slots of a model: platform.md, section 4.12. The reference does not show the fields of their records.
import { z } from 'zod';
import { operation } from '../contract/operation.ts';
import { givenName, items, needed } from '../contract/response-marks.ts';
import { anyJson, pathId } from '../contract/schemas.ts';

const section = '4.12';

/** The reference does not show the fields; settings define which of them are id and name (`field-names.ts`). */
export const Variant = z.looseObject({
  variantId: z.string().optional(),
  name: givenName.optional(),
});

export const DecalSlot = z.looseObject({ slotId: z.string() });

const listModelVariants = operation({
  id: 'listModelVariants',
  route: 'GET /models/{modelId}/variants',
  section,
  summary: 'The variants of a model; the shape of the answer is not shown in the document.',
  status: 200,
  response: z.looseObject({ variants: needed(items(Variant)) }),
  errors: ['MODEL_NOT_FOUND'],
  retrySafety: 'read',
  keyed: false,
  tool: 'list_model_variants',
});

const listDecalSlots = operation({
  id: 'listDecalSlots',
  route: 'GET /models/{modelId}/decal-slots',
  section,
  summary: 'The slots of a model; the shape of the answer is not shown in the document.',
  status: 200,
  response: z.looseObject({ decalSlots: z.array(DecalSlot) }),
  errors: ['MODEL_NOT_FOUND'],
  retrySafety: 'read',
  keyed: false,
  tool: 'get_decal_slots',
});

/** The reference names this operation without path, body and response; a pipeline file or the configuration must define its route. */
export const addVariantsToProject = operation({
  id: 'addVariantsToProject',
  route: null,
  example: 'POST /projects/{projectId}/variants',
  section,
  summary: 'Add variants to a project; path, body and answer are not shown in the document.',
  params: z.object({ projectId: pathId }),
  body: z.record(z.string(), anyJson),
  bodyFields: ['variantIds', 'projectId'],
  // Any 2xx, with or without a body.
  status: 200,
  response: z.unknown(),
  errors: [
    'VALIDATION_ERROR',
    'PROJECT_NOT_FOUND',
    'NOT_FOUND',
    'IDEMPOTENCY_CONFLICT',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  // No operation shows the variants of a project.
  retrySafety: 'none',
  keyed: true,
});

export const variantOperations = {
  listModelVariants,
  listDecalSlots,
  addVariantsToProject,
} as const;
