// Schema of a channel: the image requirements of a shop or marketplace, with the sources of these rules.
import { z } from 'zod';
import { dateField } from '../../../language/fields.ts';
import { imageShape } from '../images/image-fields.ts';
import { asRefinement, checkImage } from '../images/image-options.ts';

const Source = z.strictObject({
  rules: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(20)
    .describe('Fields that this source supports, such as `checks.background`.'),
  says: z.string().min(1).max(500).describe('Text of the source.'),
  url: z
    .string()
    .regex(/^https?:\/\/\S+$/, 'must be an http(s) address')
    .max(500)
    .optional()
    .describe('Address of the source.'),
  read: dateField.optional().describe('When it was read. Without it, the rule is unverified.'),
});

export const channelName = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const channelForm = 'must be 1-63 lowercase letters, digits and dashes';

export const Channel = z
  .strictObject({
    description: z.string().max(500).optional().describe('For people.'),
    ...imageShape,
    sources: z.array(Source).max(20).optional().describe("Address of the channel's rules."),
  })
  .superRefine(asRefinement(checkImage));
/** A channel as written in a file, before defaults are applied. */
export type Channel = z.input<typeof Channel>;
