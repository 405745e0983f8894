import { chmodSync, mkdirSync } from 'node:fs';

/**
 * Makes a folder that only the current user can access, since uploaded models are private; restricts an existing one.
 */
export function createPrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
