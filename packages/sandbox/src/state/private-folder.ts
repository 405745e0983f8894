// Creates folders that only the current user can access, since uploaded models are private.
import { chmodSync, mkdirSync } from 'node:fs';

/** Creates a private folder; also restricts an existing folder. */
export function createPrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
