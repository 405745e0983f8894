// Reads the raw body of a request up to a limit.
import type { IncomingMessage } from 'node:http';

/** Maximum size of a notification. Notifications have a few kilobytes; job.complete lists up to 50 results. */
export const maxBodyBytes = 256 * 1024;

/** Reads the body. Returns null, without reading the rest, if it is larger than `maxBytes`. */
export async function readBody(
  request: IncomingMessage,
  maxBytes = maxBodyBytes,
): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const pieces: AsyncIterable<Buffer> = request;
  for await (const chunk of pieces) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
