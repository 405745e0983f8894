// How a receiver knows a worker: both hold a key of the workspace, and neither sends it.
import { createHmac } from 'node:crypto';

/** Token with which a worker reads hints. The API key cannot be computed from it. */
export function hintToken(apiKey: string): string {
  return createHmac('sha256', apiKey).update('renderline/hints/v1').digest('hex');
}
