// Who types a command, as Temporal records it with everything that the command asks of it.
import { hostname, userInfo } from 'node:os';

/** `anna@studio-2`; the number of the process where the system has no name for its user, as in some containers. */
export function personHere(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username || String(process.pid);
  } catch {
    return String(process.pid);
  }
}
