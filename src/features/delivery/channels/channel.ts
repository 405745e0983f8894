// A channel: what a shop or marketplace takes, as data. It has the fields of an image, and the sources of its rules.
import { z } from 'zod';
import { imageShape } from '../images/image-fields.ts';
import { checkImage } from '../images/image-options.ts';

const Source = z.strictObject({
  rules: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(20)
    .describe('Fields that rest on this source, such as `checks.background`.'),
  says: z.string().min(1).max(500).describe('What the source says.'),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where it says so.'),
  read: z.iso.date().optional().describe('When it was read. Without it, the rule is unverified.'),
});
export type ChannelSource = z.output<typeof Source>;

export const channelName = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const channelForm = 'must be 1-63 lowercase letters, digits and dashes';

export const Channel = z
  .strictObject({
    description: z.string().max(500).optional().describe('For people.'),
    ...imageShape,
    sources: z.array(Source).max(20).optional().describe('Where the rules are written.'),
  })
  .superRefine((channel, context) =>
    checkImage(channel, (message, ...path) => context.addIssue({ code: 'custom', message, path })),
  );
/** A channel as it is written. */
export type Channel = z.input<typeof Channel>;
