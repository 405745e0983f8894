// Converts histories to readable JSON with payloads as text, and back to what the SDK replays. The SDK's own JSON
// cannot be read back if several copies of its protobuf library are installed.

/** Bytes in a recording: text if they are UTF-8, otherwise Base64. */
type Bytes = { $text: string } | { $base64: string };

/** Fields with names of processes or machines, random ids and stack traces. A replay does not read them. */
const nameless = new Set(['identity', 'requestId', 'binaryChecksum', 'stackTrace']);

/** Returns a decoded history as plain JSON. Enums stay numbers, and 64-bit integers become numbers. */
export function toPlain(value: unknown, field = ''): unknown {
  if (nameless.has(field) && typeof value === 'string') return field;
  if (value instanceof Uint8Array) return bytesToPlain(value);
  if (Array.isArray(value)) return value.map((item) => toPlain(item));
  if (typeof value !== 'object' || value === null) return value;
  if ('toNumber' in value && typeof value.toNumber === 'function') return Number(value.toNumber());
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, toPlain(item, name)]));
}

/** Reverses `toPlain`, for `Worker.runReplayHistories`. */
export function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== 'object' || value === null) return value;
  if (isBytes(value)) {
    return '$text' in value ? Buffer.from(value.$text) : Buffer.from(value.$base64, 'base64');
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fromPlain(item)]));
}

function bytesToPlain(bytes: Uint8Array): Bytes {
  try {
    return { $text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { $base64: Buffer.from(bytes).toString('base64') };
  }
}

function isBytes(value: object): value is Bytes {
  return '$text' in value || '$base64' in value;
}

/** Returns the text of a recording, with one event per line and without paths or names from the machine. */
export function recordingText(
  history: { readonly events?: readonly unknown[] | null | undefined },
  replacements: Readonly<Record<string, string>>,
): string {
  const lines = (history.events ?? []).map((event) => JSON.stringify(toPlain(event)));
  const text = `{"events":[\n${lines.join(',\n')}\n]}\n`;
  return Object.entries(replacements).reduce(
    (result, [from, to]) => result.replaceAll(from, to),
    text,
  );
}
