// Checks the first bytes of a downloaded video. Does not decode it.
import { open } from 'node:fs/promises';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { deliveryFailures } from '../failures.ts';
import { OutputError } from '../outputs/output-error.ts';

/** MP4 and QuickTime files start with a box of one of these types. */
const firstBoxes = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);

/** @throws OutputError OUTPUT_UNREADABLE */
export async function inspectVideo(
  file: string,
  output: OutputRef,
): Promise<{ width: number; height: number }> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    if (firstBoxes.has(buffer.toString('latin1', 4, bytesRead))) return { width: 0, height: 0 };
    throw new OutputError(
      deliveryFailures.OUTPUT_UNREADABLE,
      output,
      'is no MP4 and no QuickTime video',
    );
  } finally {
    await handle.close();
  }
}
