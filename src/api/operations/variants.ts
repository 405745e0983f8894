// Variants and decal slots of a model: platform.md, section 4.12. The reference does not show their fields.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenName, itemListOf, markRequired } from '../contract/response-marks.ts';
import { anyJson, pathId } from '../contract/schemas.ts';

/** The reference does not show the fields. Settings define which of them are the id and the name (`field-names.ts`). */
export const Variant = z.looseObject({
  variantId: z.string().optional(),
  name: givenName.optional(),
});

export const DecalSlot = z.looseObject({ slotId: z.string() });

export const variantOperations = defineOperations('4.12', {
  listModelVariants: {
    route: 'GET /models/{modelId}/variants',
    summary: "List the variants of a model. The platform's reference does not show the response.",
    response: z.looseObject({ variants: markRequired(itemListOf(Variant)) }),
    errors: ['MODEL_NOT_FOUND'],
    tool: 'list_model_variants',
  },
  listDecalSlots: {
    route: 'GET /models/{modelId}/decal-slots',
    summary:
      "List the decal slots of a model. The platform's reference does not show the response.",
    response: z.looseObject({ decalSlots: z.array(DecalSlot) }),
    errors: ['MODEL_NOT_FOUND'],
    tool: 'get_decal_slots',
  },
  /** The reference shows no path, body or response. The API description, a pipeline file or settings define them. */
  addVariantsToProject: {
    route: null,
    example: 'POST /projects/{projectId}/variants',
    summary:
      "Add variants to a project. The platform's reference shows neither the path, the body nor the response.",
    params: z.object({ projectId: pathId }),
    body: z.record(z.string(), anyJson),
    bodyFields: ['variantIds', 'projectId'],
    // The response is any 2xx, with or without a body.
    response: z.unknown(),
    errors: ['VALIDATION_ERROR', 'PROJECT_NOT_FOUND', 'NOT_FOUND'],
    // The call cannot be verified, because no operation shows the variants of a project.
    retrySafety: 'none',
    hasIdempotencyKey: true,
  },
});
