import { chmodSync, mkdirSync } from 'node:fs';

/** Creates a folder, or restricts an existing one, so that only the current user can access uploaded models. */
export function createPrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
