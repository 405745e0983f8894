// How a receiver knows a worker: both hold a key of the workspace, and neither sends it.
import { createHmac } from 'node:crypto';

/** What a worker shows to read hints; tells nothing about the key it is made from. */
export function hintToken(apiKey: string): string {
  return createHmac('sha256', apiKey).update('renderline/hints/v1').digest('hex');
}
