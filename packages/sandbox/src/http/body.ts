// Reads request bodies of the API up to a limit that is far above every documented request.
import type { Context } from 'hono';
import type { Env } from './env.ts';
import { refuseInput } from './failure.ts';

const maxBytes = 4 * 1024 * 1024;

function failTooLarge(bytes: number): never {
  refuseInput(`body: ${bytes} bytes; the maximum is ${maxBytes}`);
}

/** Returns the raw bytes. @throws ApiFailure VALIDATION_ERROR above 4 MB */
export async function readBody(c: Context<Env>): Promise<Uint8Array> {
  // A Content-Length that is too large is refused before any byte is read.
  const declaredBytes = Number(c.req.header('content-length') ?? 0);
  if (declaredBytes > maxBytes) failTooLarge(declaredBytes);
  const source: AsyncIterable<Uint8Array> | null = c.env?.incoming ?? c.req.raw.body;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source ?? []) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) chunks.push(chunk);
      // The server reads on for a while, because most clients read the response only after they have sent the body.
      if (bytes > 16 * maxBytes) break;
    }
  } catch {
    refuseInput('body: the request was cut off');
  }
  if (bytes > maxBytes) failTooLarge(bytes);
  const [only] = chunks;
  return chunks.length === 1 && only ? only : Buffer.concat(chunks);
}
