// Removes secrets from text before it reaches an error, a log line or a history. Linear in the text.
import { plainText } from './plain-text.ts';

const redacted = '[redacted]';

const names =
  'x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|(?:access_|refresh_|id_)?token|jwt|auth|password|(?:client_)?secret|api[-_]?key';

/** Query parameters that authorise a signed URL (S3, GCS, Azure, CDNs, common tokens). */
const secretParameter = new RegExp(`[?&;](?:${names}|se|key-pair-id|policy)=`, 'i');

/** A URL with all that follows it; its query is searched for inside of the match. */
const url = /https?:\/\/[^\s"'<>]+/gi;
const bareParameter = new RegExp(`\\b(${names})=[^&\\s"'<>]+`, 'gi');
/** User and password before a host. */
const userInfo = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>]{1,500}@/gi;
/** A token is told from a word by what no word has. */
const authorization =
  /\b(bearer|authorization: ?\w{1,20}) (?=[^\s"']{0,200}[\d._~+/=-])[^\s"']{4,}/gi;
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
  return createScrubber(secrets)(text);
}

/** A scrubber for the given secrets, for texts of which there are many: the logger uses it. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const forms = formsOf(secrets, shreds);
  return (text) => scrubbed(text, forms);
}

function scrubbed(text: string, forms: readonly string[]): string {
  return withoutSignatures(without(text, forms).replace(keyShape, redacted))
    .replace(userInfo, `$1${redacted}@`)
    .replace(authorization, `$1 ${redacted}`)
    .replace(bareParameter, `$1=${redacted}`);
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
  return withoutForms(value, formsOf(secrets, shredsData));
}

function withoutForms(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return without(value, forms);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutForms(item, forms));
  const entries = Object.entries(value).map(([name, part]) => [
    without(name, forms),
    withoutForms(part, forms),
  ]);
  return Object.fromEntries(entries);
}

function without(text: string, forms: readonly string[]): string {
  return forms.reduce((clean, form) => clean.replaceAll(form, redacted), text);
}

/** Secrets as they stand in texts: as they are, in an address, and in base64 with anything before and behind. */
function formsOf(secrets: readonly string[], atLeast: number): string[] {
  return secrets
    .filter((secret) => secret.length >= atLeast)
    .flatMap((secret) => {
      if (secret.length < shredsData) return [secret];
      const encoded = [0, 1, 2].flatMap((before) => base64Of(secret, before));
      return [...new Set([secret, encodeURIComponent(secret), ...encoded])];
    });
}

/** The characters of base64, of both alphabets, that only the secret decides. @param before bytes before it, of three */
function base64Of(secret: string, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const from = Math.ceil((before * 8) / 6);
  const to = Math.floor((bytes.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((alphabet) =>
    bytes.toString(alphabet).slice(from, to),
  );
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
