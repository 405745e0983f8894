// Reads request bodies of the API, up to a size no documented request comes near.
import type { Context } from 'hono';
import type { Env } from '../storage/storage.ts';
import { fail } from './failure.ts';

const mostBytes = 4 * 1024 * 1024;

/** The raw bytes. Throws VALIDATION_ERROR beyond 4 MB. */
export async function readBody(c: Context<Env>): Promise<Uint8Array> {
  const source: AsyncIterable<Uint8Array> | null = c.env?.incoming ?? c.req.raw.body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source ?? []) {
      bytes += chunk.byteLength;
      if (bytes <= mostBytes) chunks.push(chunk);
    }
  } catch {
    fail('VALIDATION_ERROR', 'body: the request was cut off');
  }
  if (bytes > mostBytes) {
    fail('VALIDATION_ERROR', `body: ${bytes} bytes; at most ${mostBytes} are accepted`);
  }
  const [only] = chunks;
  return chunks.length === 1 && only ? only : Buffer.concat(chunks);
}
