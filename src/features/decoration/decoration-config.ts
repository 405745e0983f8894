import { z } from 'zod';
import { expression } from '../../language/fields.ts';
import { checkMethod, checkSpec, createCheckedText, InkItems } from './ink-list.ts';

const Logo = z
  .strictObject({
    slot: z.string().min(1).max(200).describe('Name or id of the slot that holds the logo.'),
    method: createCheckedText(
      checkMethod,
      'Decoration method of the logo: Screen print, DTF, Embroidery, Sublimation, Heat transfer, Tackle twill, Other, or other text of up to 60 characters. `null` removes the method. May contain CEL.',
    )
      .nullable()
      .optional(),
    inks: InkItems.optional(),
    spec: createCheckedText(
      checkSpec,
      'Inks and size as one line of text, instead of `inks`; the platform splits the line at `/` and `;`. Example: `3.5 x 2 in / 2 colors / PMS 289, white`. May contain CEL.',
    ).optional(),
    when: expression(
      'CEL condition that selects the assets to change. Default: all assets.',
    ).optional(),
  })
  .refine(
    ({ inks, spec }) => inks === undefined || spec === undefined,
    'must have inks or spec, not both',
  )
  .refine(({ method, inks, spec }) => [method, inks, spec].some((field) => field !== undefined), {
    message: 'needs method, inks or spec',
  });

export type LogoConfig = z.output<typeof Logo>;

export const DecorationConfig = z.strictObject({
  logos: z.array(Logo).min(1).max(50).describe('Logos to change, each identified by its slot.'),
});
