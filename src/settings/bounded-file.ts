import { closeSync, openSync, readSync } from 'node:fs';

/**
 * A small file as text; null where it is larger. No more than `mostBytes` are read, whatever the file is: devices without an
 * end have no size.
 * @throws Error of the file system
 */
export function readBoundedFile(path: string, mostBytes: number): string | null {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(mostBytes + 1);
    let filled = 0;
    for (let came = -1; came !== 0 && filled <= mostBytes; filled += came) {
      came = readSync(file, bytes, filled, bytes.length - filled, null);
    }
    return filled > mostBytes ? null : bytes.toString('utf8', 0, filled);
  } finally {
    closeSync(file);
  }
}
