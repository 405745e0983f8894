import { z } from 'zod';
import { byteSize } from '../../language/fields.ts';

const levels = ['fail', 'warn'] as const;
export type Level = (typeof levels)[number];
const level = z
  .enum(levels)
  .default('fail')
  .describe(
    '`fail` refuses a model that breaks the rule, `warn` accepts the model with a warning.',
  );

const count = z.int().min(0);
const names = z.array(z.string().min(1).max(200)).min(1).max(100);

const rangeField = (description: string) =>
  z
    .strictObject({ min: z.number().min(0).optional(), max: z.number().min(0).optional() })
    .refine(({ min, max }) => (min ?? max) !== undefined, 'needs min or max')
    .refine(({ min = 0, max = Infinity }) => min <= max, 'has a min greater than its max')
    .optional()
    .describe(description);

/** Metres per unit. */
export const unitMetres = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254, ft: 0.3048 } as const;
export type Unit = keyof typeof unitMetres;
const units = Object.keys(unitMetres) as [Unit, ...Unit[]];

const fields = {
  triangles: z
    .strictObject({ max: count.describe('Maximum number of drawn triangles.'), level })
    .optional()
    .describe(
      'Limit on drawn triangles: a mesh counts once for each node and instance that shows it.',
    ),
  textures: z
    .strictObject({
      max: count.optional().describe('Maximum number of images.'),
      maxSize: z
        .int()
        .min(1)
        .optional()
        .describe('Maximum length of the longest side of an image, in pixels.'),
      powerOfTwo: z
        .literal(true)
        .optional()
        .describe('Requires that both sides of each image are powers of two.'),
      level,
    })
    .refine(({ max, maxSize, powerOfTwo }) => max !== undefined || maxSize || powerOfTwo, {
      message: 'needs max, maxSize or powerOfTwo',
    })
    .optional()
    .describe(
      'Limits on the images in the file, read from their headers: PNG, JPEG, WebP and KTX2.',
    ),
  bytes: z
    .strictObject({ max: byteSize.describe('Maximum size of the file, for example 25MB.'), level })
    .optional()
    .describe('Limit on the size of the file.'),
  materials: z
    .strictObject({ max: count.describe('Maximum number of materials.'), level })
    .optional()
    .describe('Limit on the number of materials.'),
  slots: z
    .strictObject({
      required: names.describe('Names of slots (materials) that the file must have.'),
      level,
    })
    .optional()
    .describe('Slots that the model must have, by name.'),
  variants: z
    .strictObject({ required: names.describe('Names of variants that the file must have.'), level })
    .optional()
    .describe('Variants that the model must have, by name.'),
  size: z
    .strictObject({
      unit: z.enum(units).default('m').describe('Unit of the limits.'),
      width: rangeField('Size along the x axis.'),
      height: rangeField('Size along the y axis, which points up.'),
      depth: rangeField('Size along the z axis.'),
      level,
    })
    .refine(({ width, height, depth }) => width ?? height ?? depth, 'needs width, height or depth')
    .optional()
    .describe(
      'Limits on the real-world size, measured as the box around the default scene at rest.',
    ),
  khronos: z
    .enum(['off', 'warn', 'fail'])
    .default('off')
    .describe(
      'Findings of the Khronos glTF validator, which reads the whole file: `warn` reports errors and warnings, `fail` also refuses a model with errors.',
    ),
};

export const ModelRules = z
  .strictObject(fields)
  .refine(({ khronos, ...rules }) => khronos !== 'off' || Object.keys(rules).length > 0, {
    message: 'needs at least one rule',
  });
export type ModelRules = z.output<typeof ModelRules>;
