// Reads the raw body of a request up to a limit.
import type { IncomingMessage } from 'node:http';
import { readBoundedBody } from '../api/network/read-bounded-body.ts';

/** Maximum size of a notification. Notifications are a few kilobytes. job.complete lists up to 50 results. */
export const maxBodyBytes = 256 * 1024;

/** Reads the body. Returns null, without reading the rest, if it is larger than `maxBytes`. */
export async function readBody(
  request: IncomingMessage,
  maxBytes = maxBodyBytes,
): Promise<Buffer | null> {
  const isTooLarge = Number(request.headers['content-length'] ?? 0) > maxBytes;
  return isTooLarge ? null : readBoundedBody(request, maxBytes);
}
