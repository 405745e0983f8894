import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Reads a small file as text. Returns null if the file is larger than `maxBytes`. Reading is bounded, because a device
 * such as /dev/zero has no size and no end.
 * @throws Error of the file system
 */
export function readBoundedFile(path: string, maxBytes: number): string | null {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes + 1);
    let filledBytes = 0;
    for (let bytesRead = -1; bytesRead !== 0 && filledBytes <= maxBytes; filledBytes += bytesRead) {
      bytesRead = readSync(file, bytes, filledBytes, bytes.length - filledBytes, null);
    }
    return filledBytes > maxBytes ? null : bytes.toString('utf8', 0, filledBytes);
  } finally {
    closeSync(file);
  }
}
