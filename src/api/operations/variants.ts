// Variants and decal slots of a model: named in section 4.12, records in 2.13; their fields are not shown.
import { z } from 'zod';
import { operation } from '../operation.ts';

const section = '4.12';

/** Fields are not shown in the document: which of them are id and name is a setting (`field-names.ts`). */
export const Variant = z.looseObject({
  variantId: z.string().optional(),
  name: z.string().optional(),
});

export const DecalSlot = z.looseObject({ slotId: z.string() });

export const listModelVariants = operation({
  id: 'listModelVariants',
  route: 'GET /models/{modelId}/variants',
  section,
  summary: 'The variants of a model; the shape of the answer is not shown in the document.',
  status: 200,
  response: z.looseObject({ variants: z.array(Variant) }),
  errors: ['MODEL_NOT_FOUND'],
  proof: 'read',
  keyed: false,
  tool: 'list_model_variants',
});

export const listDecalSlots = operation({
  id: 'listDecalSlots',
  route: 'GET /models/{modelId}/decal-slots',
  section,
  summary: 'The slots of a model; the shape of the answer is not shown in the document.',
  status: 200,
  response: z.looseObject({ decalSlots: z.array(DecalSlot) }),
  errors: ['MODEL_NOT_FOUND'],
  proof: 'read',
  keyed: false,
  tool: 'get_decal_slots',
});
