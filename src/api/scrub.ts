// Takes secrets out of text before it reaches an error, a log line or a history. Linear in the text.
import { plainText } from './plain-text.ts';

const redacted = '[redacted]';

/** Names of query parameters that make a signed URL work (S3, GCS, Azure, CDNs, common tokens). */
const secretParameter =
  /[?&;](?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|se|token|access_token|key-pair-id|policy|api[-_]?key)=/i;

/** With whatever stands behind the address: where a query begins is looked for in what was found. */
const url = /https?:\/\/[^\s"'<>]+/gi;
const bareParameter =
  /\b(x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|access_token|token|api[-_]?key)=[^&\s"'<>]+/gi;
const keyShape = /\bsvc_[A-Za-z0-9]+_[A-Za-z0-9]+/g;

/** A shorter secret would shred ordinary words. */
const shreds = 4;
/** In data a name may hold a short secret by chance. */
const shredsData = 8;

/**
 * Replaces key values, everything shaped like a key (section 5) and the query strings of signed URLs.
 * Other query strings stay: they help whoever reads the message.
 */
export function scrub(text: string, secrets: readonly string[] = []): string {
  return withoutSignatures(without(text, secrets, shreds).replace(keyShape, redacted)).replace(
    bareParameter,
    `$1=${redacted}`,
  );
}

/** Signed URLs lose their query; all else stays, so that a name that holds none keeps its value. */
export function withoutSignatures(text: string): string {
  return text.replace(url, (whole) => {
    const query = whole.indexOf('?');
    const isSigned = query !== -1 && secretParameter.test(whole.slice(query));
    return isSigned ? `${whole.slice(0, query)}?${redacted}` : whole;
  });
}

/** An answer without the values of the secrets, wherever it repeats them. It is nested no deeper than answers may be. */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return without(value, secrets, shredsData);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, secrets));
  const entries = Object.entries(value).map(([name, part]) => [
    without(name, secrets, shredsData),
    withoutSecrets(part, secrets),
  ]);
  return Object.fromEntries(entries);
}

function without(text: string, secrets: readonly string[], atLeast: number): string {
  const long = secrets.filter((secret) => secret.length >= atLeast);
  return long.reduce((clean, secret) => clean.replaceAll(secret, redacted), text);
}

/** A scrubber that also knows the given secrets; what the logger uses. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  return (text) => scrub(text, secrets);
}

/** Text of others as a person may read it: one short line, nothing that steers a terminal, no secrets. */
export function safeMessage(text: string, secrets: readonly string[] = [], max = 600): string {
  return plainText(text, max, (line, isCut) =>
    scrub(isCut ? withoutStump(line, secrets) : line, secrets),
  );
}

/** A text that was cut may end with the beginning of a secret. */
function withoutStump(text: string, secrets: readonly string[]): string {
  let shortest = text.length;
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= shreds; length -= 1) {
      if (text.endsWith(secret.slice(0, length)))
        shortest = Math.min(shortest, text.length - length);
    }
  }
  return text.slice(0, shortest);
}
