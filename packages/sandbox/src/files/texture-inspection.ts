// Checks that a texture is readable. Images are decoded, but for an EXR only the header is checked.
import type { TextureFileType } from 'renderline/api/operations/materials';
import { inspectImage } from './image-inspection.ts';
import { readFirstBytes } from './image-limits.ts';

const exrMagic = Buffer.from([0x76, 0x2f, 0x31, 0x01]);

/** Returns why a texture cannot be used, or undefined. */
export async function findTextureProblem(
  fileType: TextureFileType,
  source: string | Uint8Array,
): Promise<string | undefined> {
  if (fileType === 'exr') {
    const start = await readFirstBytes(source, 4);
    return exrMagic.equals(start) ? undefined : 'the file is not an OpenEXR image';
  }
  const look = await inspectImage(source);
  return 'problem' in look ? look.problem : undefined;
}
