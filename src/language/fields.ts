// Config fields with a meaning beyond their type. The checker reads the annotations `reference` and `language` from
// the metadata of the schema, so it needs no list of node types.
import { z } from 'zod';
import { scrubSecrets } from '../api/responses/scrub.ts';
import { secretName } from '../settings/file-fields.ts';
import { byteSizeForm } from './byte-size.ts';
import { isDateText } from './calendar/days.ts';
import { durationForm, durationPattern, maxDurationForm, parseDurationMs } from './duration.ts';
import { maxGlobLength } from './read-glob.ts';
import { maxRegexLength } from './regex-safety.ts';

export const connectorName = z
  .string()
  .min(1)
  .meta({ reference: 'connector', description: 'Name of a connector in this file.' });

/** A template on the platform. Only the platform knows, during a run, whether the template exists. */
export const templateName = z
  .string()
  .min(1)
  .meta({ reference: 'template', description: 'Template name or id.' });

/** A CEL expression over `asset`, `params` and what earlier nodes have found. */
export function expression(description: string) {
  return z.string().min(1).meta({ language: 'cel', description });
}

/** A CEL expression that may also read the `variant` that is tested. */
export function variantExpression(description: string) {
  return z.string().min(1).meta({ language: 'variant cel', description });
}

/** One of several words. The first word is the default. */
export function choice<const Word extends string>(
  words: readonly [Word, ...Word[]],
  description: string,
) {
  return z.enum(words).default(words[0]).describe(description);
}

export const maxNamingLength = 1_000;

/** A path with `{{ field }}` placeholders. */
export function naming(description: string, language: 'naming' | 'key' = 'naming') {
  return z.string().min(1).max(maxNamingLength).meta({ language, description });
}

/** Template of a value in a manifest: text with `{{ field }}` placeholders. */
export const manifestColumn = z.string().max(maxNamingLength).meta({ language: 'manifest' });

/** The path of a manifest, which may contain `{{ run }}`. */
export function manifestPath(description: string) {
  return z.string().min(1).max(maxNamingLength).meta({ language: 'manifest path', description });
}

/** A duration that no timer waits for, so it may be years. */
export function age(description: string) {
  return z
    .string()
    .regex(durationPattern, { error: durationForm, abort: true })
    .refine((text) => parseDurationMs(text) !== null, maxDurationForm)
    .describe(description);
}

/** A duration such as 500ms, 30s, 15m or 1h30m. */
export function duration(description: string) {
  return age(description).meta({ language: 'duration', description });
}

export const glob = z.string().min(1).max(maxGlobLength).meta({ language: 'glob' });

export const maxGlobs = 50;

/** Globs over paths. A path must match at least one of them. */
export const globs = z.array(glob).max(maxGlobs);

/** A regular expression without lookaheads, lookbehinds or back-references, checked for safety. */
export const regex = z.string().min(1).max(maxRegexLength).meta({ language: 'regex' });

export const maxValueLength = 2_000;

/** A value that may contain CEL in double braces. */
export const valueText = z.string().max(maxValueLength).meta({ language: 'value' });

/** Webhooks of chats. Whoever knows such a URL can post there. */
const chatWebhook = /^https:\/\/(?:hooks\.slack\.com|[^/]+\.webhook\.office\.com)\//i;

/** Address that notices are posted to. Workflow histories keep it, so it must contain no credentials. */
const receiverUrl = z
  .string()
  .max(2_000)
  .regex(/^https?:\/\/[^\s@]+$/, {
    error: 'must be an http(s) URL without a user or password',
    abort: true,
  })
  .refine(
    (url) => scrubSecrets(url) === url && !chatWebhook.test(url),
    'contains a secret, which the history of each run would show: write the URL into a variable of the worker that begins with RENDERLINE_SECRET_, and name the variable in `urlFrom`',
  )
  .meta({
    reference: 'address',
    description: 'Address to post the notice to; redirects are not followed.',
  });

const signingSecretName = secretName(
  'Environment variable of the worker that contains the signing secret.',
);

/**
 * Receiver of a notice: a URL that the signed notice is posted to, or a channel of Slack or Teams. If the URL is a
 * secret, like that of a channel, the file contains only the name of its environment variable.
 */
export const receiverFields = {
  url: receiverUrl.optional(),
  secretFrom: signingSecretName.optional(),
  format: z
    .enum(['slack', 'teams'])
    .optional()
    .describe('Sends a chat message instead of the signed notice; requires `urlFrom`.'),
  urlFrom: secretName(
    'Environment variable of the worker that contains the address, if the address is a secret, like that of an incoming webhook (Slack) or of a workflow (Teams).',
  ).optional(),
};

export const receiverForm =
  'must have `url` or `urlFrom`, with `secretFrom`; or `format` with `urlFrom`';

/** True if the fields together form a receiver. */
export function isValidReceiver(fields: {
  url?: string | undefined;
  secretFrom?: string | undefined;
  format?: string | undefined;
  urlFrom?: string | undefined;
}): boolean {
  const { url, secretFrom, format, urlFrom } = fields;
  if (format !== undefined) return urlFrom !== undefined && (url ?? secretFrom) === undefined;
  return secretFrom !== undefined && (url === undefined) !== (urlFrom === undefined);
}

/** A day that exists, such as `2026-01-31`. */
export const dateField = z
  .string()
  .refine(isDateText, 'must be a date such as 2026-01-31')
  .meta({ format: 'date' });

export const byteSize = z.string().regex(byteSizeForm, 'must be a size such as 500MB or 2GiB');

export const pipelineName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
    'must be 1-63 letters, digits, dots, dashes and underscores, beginning with a letter or digit',
  );

export const tablePath = z
  .string()
  .regex(
    /\.(?:csv|tsv|jsonl|ndjson|xls[xm])$/i,
    'must end in .csv, .tsv, .jsonl, .ndjson, .xlsx or .xlsm; save other tables, such as .xls, .xlsb, .ods and .numbers, as .xlsx or CSV',
  )
  .refine(
    (path) => /^(?!\/|[A-Za-z]:)(?!(?:.*\/)?\.{0,2}\/)[^\\]*$/.test(path),
    'must be a path below the connector, with forward slashes and without . and ..; a parameter for it has `type: string`, because `type: path` makes paths absolute',
  );
