// Folders of the sandbox's state, closed to other users: a catalogue's models are private.
import { chmodSync, mkdirSync } from 'node:fs';

/** For this user alone, also where it was there before. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}
