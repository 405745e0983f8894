// Takes secrets out of text before it reaches an error, a log line or a history.

const redacted = '[redacted]';

/** Names of query parameters that make a signed URL work (S3, GCS, Azure, CDNs, common tokens). */
const secretParameter =
  /(?:^|[?&;])(?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|se|token|access_token|key-pair-id|policy|api[-_]?key)=/i;

const urlWithQuery = /(https?:\/\/[^\s"'<>?#]+)\?([^\s"'<>]*)/gi;
const bareParameter =
  /\b(x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|access_token|token)=[^&\s"'<>]+/gi;
const keyShape = /\bsvc_[A-Za-z0-9]+_[A-Za-z0-9]+/g;

/**
 * Replaces key values, everything shaped like a key (section 5) and the query strings of signed URLs.
 * Other query strings stay: they help whoever reads the message.
 */
export function scrub(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    // A very short secret would shred ordinary words.
    if (secret.length >= 4) clean = clean.replaceAll(secret, redacted);
  }
  return clean
    .replace(keyShape, redacted)
    .replace(urlWithQuery, (whole, address: string, query: string) =>
      secretParameter.test(`?${query}`) ? `${address}?${redacted}` : whole,
    )
    .replace(bareParameter, `$1=${redacted}`);
}

/** A scrubber that also knows the given secrets; what the logger uses. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  return (text) => scrub(text, secrets);
}

/** Scrubbed and short enough for an activity failure, which the server cuts at 4 KiB. */
export function safeMessage(text: string, secrets: readonly string[] = [], max = 600): string {
  const clean = scrub(text, secrets);
  return clean.length <= max ? clean : `${clean.slice(0, max - 1)}…`;
}
