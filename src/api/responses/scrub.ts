// Removes secrets from text before the text reaches an error, a log line or a workflow history. Takes linear time.
import { toPlainText } from './plain-text.ts';

const redacted = '[redacted]';

const names =
  'x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|(?:\\w{1,30}[_-])?token|jwt|auth|password|passwd|(?:client_)?secret|(?:x-)?api[-_]?key';

/** Text that precedes and follows the name of a parameter: plain, or escaped for JSON, HTML or another URL. */
const prefix = '[?&;#]|\\\\u0026|&amp;|%(?:26|3[fb])';
const equals = '(?:=|%3d|\\\\u003d)';

/** Query parameters of signed URLs (S3, GCS, Azure, CDNs, common tokens). */
const secretParameter = new RegExp(`(?:${prefix})(?:${names}|se|key-pair-id|policy)${equals}`, 'i');

/** A URL up to the next space or quote. Its query is searched inside the match. */
const url = /https?:\/\/[^\s"'<>]+/gi;
const bareParameter = new RegExp(`(\\b|u0026|%26|%3[fb])(${names})${equals}[^&\\s"'<>]+`, 'gi');
/** A secret field of JSON, including JSON inside a JSON string. */
const field = new RegExp(
  `(\\\\{0,3}["'](?:${names}|authorization)\\\\{0,3}["']\\s{0,9}:\\s{0,9}\\\\{0,3}["'])[^"'\\\\]{1,4000}`,
  'gi',
);

/** Headers that contain only secrets. */
const header =
  /\b(x-api-key|api-key|(?:x-auth|private|x-amz-security)-token|(?:set-)?cookie): ?[^\s"',;]{4,}/gi;
/** User and password before a host. The password may contain characters that should be escaped. */
const userInfo =
  /\b([a-z][a-z0-9+.-]{0,20}:\\?\/\\?\/)(?:[^\s/?#"'<>]{1,500}|[^\s/?#@:"'<>]{1,100}:(?!\d{1,5}(?:[/?#]|$))[^\s"'<>]{1,200})@/gi;
/** The lookahead requires a character that words do not contain, so that only tokens are removed. */
const authorization =
  /\b(bearer|authorization: ?\w{1,20}) (?=[^\s"']{0,200}[\d._~+/=-])[^\s"']{4,}/gi;
const keyShape = /\bsvc_[A-Za-z0-9]+_[A-Za-z0-9]+/g;
const jwtShape = /(?<![\w-])eyJ[\w-]{8,1000}\.[\w-]{8,4000}\.[\w-]{0,1000}/g;

/** Minimum length of secrets to remove. Removing shorter ones would damage ordinary words. */
const minSecretLength = 4;
/** Minimum length of secrets to remove from data, where a name may contain a shorter one by chance. */
const minSecretLengthInData = 8;
/** Minimum length at which a line of a multi-line secret is also removed on its own. */
const minSecretLineLength = 20;
/** Longer secrets are searched for only in their usual forms. */
const maxSpelledLength = 300;

/** Removes secrets, anything like an API key, and queries of signed URLs. Other queries are kept for readers. */
export function scrubSecrets(text: string, secrets: readonly string[] = []): string {
  return scrubberOf(secrets)(text);
}

/** Scrubbers by set of secrets. A process has few sets, and creating a scrubber takes longer than using it. */
const scrubbers = new Map<string, (text: string) => string>();
const maxScrubbers = 8;

function scrubberOf(secrets: readonly string[]): (text: string) => string {
  const name = secrets.join('\0');
  const scrubber = scrubbers.get(name) ?? createScrubber(secrets);
  if (!scrubbers.has(name) && scrubbers.size >= maxScrubbers) scrubbers.clear();
  scrubbers.set(name, scrubber);
  return scrubber;
}

/** Creates a function that removes secrets as `scrubSecrets` does, for use on many strings. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const forms = formsOf(secrets, minSecretLength);
  const escapedSecrets = createSecretPattern(secrets);
  // The search for other spellings is slow, and only text with an escape or with an end of a secret can contain one. If
  // white space splits the secret, at least one end is still complete.
  const ends = forms
    .filter(({ length }) => length >= minSecretLengthInData)
    .flatMap((form) => [form.slice(0, minSecretLength), form.slice(-minSecretLength)]);
  const isSuspect = (text: string) => escape.test(text) || ends.some((end) => text.includes(end));
  return (text) => {
    const isSearched = escapedSecrets !== null && isSuspect(text);
    return redact(isSearched ? text.replace(escapedSecrets, redacted) : text, forms);
  };
}

function redact(text: string, forms: readonly string[]): string {
  const plain = redactForms(text, forms).replace(keyShape, redacted).replace(jwtShape, redacted);
  return redactSignedQueries(plain)
    .replace(userInfo, `$1${redacted}@`)
    .replace(authorization, `$1 ${redacted}`)
    .replace(field, `$1${redacted}`)
    .replace(header, `$1: ${redacted}`)
    .replace(bareParameter, `$1$2=${redacted}`);
}

/** Removes only the queries of signed URLs, so that names are not changed. */
export function redactSignedQueries(text: string): string {
  return text.replace(url, (match) => {
    const query = match.indexOf('?');
    const isSigned = query !== -1 && secretParameter.test(match.slice(query));
    return isSigned ? `${match.slice(0, query)}?${redacted}` : match;
  });
}

/** Removes the given secrets from all strings of a parsed response, whose depth was bounded before parsing. */
export function redactSecrets(value: unknown, secrets: readonly string[]): unknown {
  return redactFormsDeep(value, formsOf(secrets, minSecretLengthInData));
}

function redactFormsDeep(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return redactForms(value, forms);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactFormsDeep(item, forms));
  const entries = Object.entries(value).map(([name, part]) => [
    redactForms(name, forms),
    redactFormsDeep(part, forms),
  ]);
  return Object.fromEntries(entries);
}

function redactForms(text: string, forms: readonly string[]): string {
  return forms.reduce((clean, form) => clean.replaceAll(form, redacted), text);
}

const escape = /[%\\&\p{Cc}\p{Cf}]/u;

/** Returns the forms that secrets take in text: plain, URL-encoded, hexadecimal, and base64 at any offset. */
function formsOf(secrets: readonly string[], minLength: number): string[] {
  const forms = secretLinesOf(secrets)
    .filter((secret) => secret.length >= minLength)
    .flatMap((secret) => {
      if (secret.length < minSecretLengthInData) return [secret];
      const hex = Buffer.from(secret).toString('hex');
      return [secret, encodeURIComponent(secret), hex, hex.toUpperCase(), ...base64FormsOf(secret)];
    });
  // Longer forms come first, because one form may be part of another.
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Returns the secrets and their lines, because a PEM key may be shown or cut line by line. */
function secretLinesOf(secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => [
    secret,
    ...(secret.includes('\n') ? secret.split(/\r?\n/).filter(isSecretLine) : []),
  ]);
}

function isSecretLine(line: string): boolean {
  return line.length >= minSecretLineLength && !line.startsWith('-----');
}

function base64FormsOf(secret: string): string[] {
  return [0, 1, 2].flatMap((ahead) => base64Of(secret, ahead));
}

/** Text that may split a secret but leave it readable: line ends, colours, control characters, plain or escaped. */
const separators = String.raw`(?:[\s\p{Cc}\p{Cf}]|\\[nrtbf]|\\u[0-9a-fA-F]{4}(?:\[[\d;]{0,8}[A-Za-z])?){0,4}`;

/**
 * Creates a pattern for secrets in other spellings: with characters escaped for URLs, JSON or HTML, and split anywhere.
 * Returns null if no secret is long enough to be distinguished from ordinary words.
 */
function createSecretPattern(secrets: readonly string[]): RegExp | null {
  const long = secretLinesOf(secrets).filter(
    ({ length }) => length >= minSecretLengthInData && length <= maxSpelledLength,
  );
  if (long.length === 0) return null;
  const patterns = long.flatMap((secret) => [
    Array.from(secret, spellingsOf).join(separators),
    ...base64FormsOf(secret).map((form) =>
      Array.from(form, (char) => (/\w/.test(char) ? char : spellingsOf(char))).join(separators),
    ),
  ]);
  return new RegExp([...new Set(patterns)].join('|'), 'gu');
}

/** Returns a pattern for a character: plain, after backslashes, and escaped for URLs (also twice), JSON and HTML. */
function spellingsOf(char: string): string {
  const anyCase = (hex: string) =>
    hex.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
  const hexOf = (number: number, digits: number) =>
    anyCase(number.toString(16).padStart(digits, '0'));
  const point = char.codePointAt(0) ?? 0;
  const percent = [...Buffer.from(char)].map((byte) => `%(?:25)?${hexOf(byte, 2)}`).join('');
  const units = char
    .split('')
    .map((unit) => `\\\\{1,3}u${hexOf(unit.charCodeAt(0), 4)}`)
    .join('');
  const entity = `&#(?:0{0,4}${point}|[xX]0{0,4}${hexOf(point, 1)});`;
  const namedEntity = entities[char];
  const plain = `${char === ' ' ? '[+]|' : ''}\\\\{0,3}${char.replace(/[\\^$.*+?()[\]{}|/]/u, String.raw`\$&`)}`;
  return `(?:${[plain, percent, units, entity, ...(namedEntity ? [namedEntity] : [])].join('|')})`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** The base64 characters that depend only on the secret, in both alphabets. @param offset bytes before it, modulo 3 */
function base64Of(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor((bytes.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((alphabet) =>
    bytes.toString(alphabet).slice(from, to),
  );
}

/** Makes untrusted text safe to show: one short line without control sequences or secrets. */
export function toSafeMessage(
  text: string,
  secrets: readonly string[] = [],
  maxLength = 600,
): string {
  return toPlainText(text, maxLength, (line, isCut) =>
    scrubSecrets(isCut ? removeCutSecret(line, secrets) : line, secrets),
  );
}

/** Removes the beginning of a secret, in any form, at the end of text that was cut off. */
function removeCutSecret(text: string, secrets: readonly string[]): string {
  let shortest = text.length;
  for (const secret of formsOf(secrets, minSecretLength)) {
    for (let length = secret.length - 1; length >= minSecretLength; length -= 1) {
      if (text.endsWith(secret.slice(0, length)))
        shortest = Math.min(shortest, text.length - length);
    }
  }
  return text.slice(0, shortest);
}
