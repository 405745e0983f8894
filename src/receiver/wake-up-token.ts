// Authenticates workers at a receiver. Both have an API key of the workspace, and neither sends it.
import { createHmac } from 'node:crypto';

/** Returns the token that a worker needs to read wake-ups. The API key cannot be computed from it. */
export function wakeUpToken(apiKey: string): string {
  return createHmac('sha256', apiKey).update('renderline/wake-ups/v1').digest('hex');
}
