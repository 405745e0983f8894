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
    .describe('Fields of the channel that are based on this source, such as `checks.background`.'),
  says: z.string().min(1).max(500).describe('What the source requires, in one sentence.'),
  url: z
    .string()
    .regex(/^https?:\/\/\S+$/, 'must be an http(s) address')
    .max(500)
    .optional()
    .describe('Address of the source.'),
  read: dateField
    .optional()
    .describe('Date on which the source was read. Without a date, the rule counts as unverified.'),
});

export const channelName = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const channelForm = 'must be 1-63 lowercase letters, digits and dashes';

export const Channel = z
  .strictObject({
    description: z
      .string()
      .max(500)
      .optional()
      .describe('Description of the channel for readers of the file.'),
    ...imageShape,
    sources: z.array(Source).max(20).optional().describe("Sources of the channel's rules."),
  })
  .superRefine(asRefinement(checkImage));
/** A channel as written in a file, before defaults are applied. */
export type Channel = z.input<typeof Channel>;
