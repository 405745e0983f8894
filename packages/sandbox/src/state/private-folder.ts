// Folders of the sandbox's own state: models of a catalogue are nobody else's business.
import { chmodSync, mkdirSync } from 'node:fs';

/** For this user alone, also where it was there before. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
