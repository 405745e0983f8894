// Decoration methods, inks and Pantone colours of logos: platform.md, section 4.13.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenId } from '../contract/response-marks.ts';
import { id } from '../contract/schemas.ts';

const hex = z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour as #RRGGBB');

export const LogoAssignment = z.object({
  variantId: z.string(),
  slotId: z.string(),
  decalId: z.string(),
  imageKey: z.string(),
  width: z.number(),
  height: z.number(),
  decorationMethod: z.string().nullable(),
});

export const Ink = z.object({
  name: z.string().nullable(),
  pantoneCode: z.string().nullable(),
  hex: z.string().nullable(),
});

const InkItem = z
  .object({
    name: z.string().trim().max(40).nullish().describe('up to 40 characters'),
    pantoneCode: z.string().trim().nullish().describe('validated and normalized: 186 C'),
    hex: hex.nullish().describe('#RRGGBB; only used to draw a swatch'),
  })
  .refine(({ name, pantoneCode }) => Boolean(name) || Boolean(pantoneCode), {
    message: 'needs a name or a pantoneCode',
  });

export const LogoInks = z.object({
  id: z.string(),
  name: z.string(),
  inks: z.array(Ink),
  spec: z
    .object({
      inks: z.array(Ink),
      colourCount: z.int().nullable(),
      method: z.string().nullable(),
      widthIn: z.number().nullable(),
      heightIn: z.number().nullable(),
      warnings: z
        .array(z.string())
        .describe('parts that are not readable as a Pantone code, or a color count that differs'),
    })
    .optional()
    .describe('only when a spec line was sent'),
});

export const PantoneMaterial = z.object({
  id: givenId,
  name: z.string(),
  pantoneCode: z.string().nullable(),
  hex: z.string().nullable(),
});

export const decorationOperations = defineOperations('4.13', {
  setDecorationMethod: {
    route: 'PUT /models/{modelId}/variants/{variantId}/decal-slots/{slotId}/decoration-method',
    summary:
      'Set the decoration method of the logo in a slot; null or empty text clears the value.',
    body: z.object({
      method: z
        .string()
        .trim()
        .max(60)
        .nullable()
        .describe('a listed method in any case, or other text up to 60 characters'),
    }),
    response: LogoAssignment,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    tool: 'set_decoration_method',
  },
  setDecalInks: {
    route: 'PUT /decals/{decalId}/inks',
    summary: "Replace a logo's inks, by list or spec line; an empty list clears the inks.",
    body: z
      .object({
        inks: z
          .array(InkItem)
          .max(16)
          .optional()
          .describe('at most 16 inks; cannot be combined with spec'),
        spec: z
          .string()
          .optional()
          .describe("split on '/', ';' or newlines: `3 x 2 in / 2 colors / PMS 186 C / white`"),
      })
      .refine(({ inks, spec }) => (inks === undefined) !== (spec === undefined), {
        message: 'send either inks or spec',
      }),
    response: LogoInks,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    tool: 'set_decal_inks',
  },
  setDecalPantoneCodes: {
    route: 'PUT /decals/{decalId}/pantone-codes',
    summary: 'Deprecated: stores unnamed inks; use setDecalInks.',
    deprecated: true,
    body: z.object({ codes: z.array(id).max(16) }),
    response: LogoInks,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
  },
  createPantoneMaterial: {
    route: 'POST /materials/pantone',
    summary: 'Create a flat-color library material that renders as a Pantone color.',
    body: z.object({ name: z.string().trim().min(1), pantoneCode: id, hex }),
    status: 201,
    response: PantoneMaterial,
    errors: ['VALIDATION_ERROR', 'PLAN_LIMIT_REACHED'],
    creates: { kind: 'material', idField: 'materialId' },
    retrySafety: 'lookup',
    verifiedBy: ['listMaterials'],
    tool: 'create_pantone_material',
  },
  setMaterialPantone: {
    route: 'PUT /materials/{materialId}/pantone',
    summary:
      'Record a Pantone on a material without changing its look; null or empty text clears the value.',
    body: z
      .object({
        pantoneCode: z.string().trim().nullable(),
        hex: hex.or(z.literal('')).nullish().describe('required with a pantoneCode'),
      })
      .refine(({ pantoneCode, hex: swatch }) => !pantoneCode || Boolean(swatch), {
        message: 'a Pantone code requires a hex',
        path: ['hex'],
      }),
    response: PantoneMaterial,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    tool: 'set_material_pantone',
  },
});
