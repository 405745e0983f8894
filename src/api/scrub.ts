// Removes secrets from text before it reaches an error, a log line or a history. Linear in the text.
import { plainText } from './plain-text.ts';

const redacted = '[redacted]';

/** Query parameters that authorise a signed URL (S3, GCS, Azure, CDNs, common tokens). */
const secretParameter =
  /[?&;](?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|se|token|access_token|key-pair-id|policy|api[-_]?key)=/i;

/** A URL with all that follows it; its query is searched for inside of the match. */
const url = /https?:\/\/[^\s"'<>]+/gi;
const bareParameter =
  /\b(x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|access_token|token|api[-_]?key)=[^&\s"'<>]+/gi;
const keyShape = /\bsvc_[A-Za-z0-9]+_[A-Za-z0-9]+/g;

/** Shortest secret that is removed: a shorter one would damage ordinary words. */
const shreds = 4;
/** The same in data, where a name may contain a short secret by chance. */
const shredsData = 8;

/**
 * Removes secrets, everything shaped like a key (section 5) and the query strings of signed URLs.
 * Other query strings stay, because they help readers.
 */
export function scrub(text: string, secrets: readonly string[] = []): string {
  return withoutSignatures(without(text, secrets, shreds).replace(keyShape, redacted)).replace(
    bareParameter,
    `$1=${redacted}`,
  );
}

/** Removes the query of signed URLs and nothing else, so that names keep their value. */
export function withoutSignatures(text: string): string {
  return text.replace(url, (whole) => {
    const query = whole.indexOf('?');
    const isSigned = query !== -1 && secretParameter.test(whole.slice(query));
    return isSigned ? `${whole.slice(0, query)}?${redacted}` : whole;
  });
}

/** An answer without the given secrets, wherever it repeats them. Its depth is bounded when it is parsed. */
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

/** A scrubber for the given secrets; the logger uses it. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  return (text) => scrub(text, secrets);
}

/** Foreign text for people: one short line, without control sequences and secrets. */
export function safeMessage(text: string, secrets: readonly string[] = [], max = 600): string {
  return plainText(text, max, (line, isCut) =>
    scrub(isCut ? withoutStump(line, secrets) : line, secrets),
  );
}

/** Removes the beginning of a secret at the end of a text that was cut. */
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
