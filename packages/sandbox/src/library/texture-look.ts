// Whether a texture can be read: images are decoded, of an EXR only the header is looked at.
import { open } from 'node:fs/promises';
import type { TextureFileType } from 'renderline/api/operations/materials';
import { lookAtImage } from './image-look.ts';

const exrMagic = Buffer.from([0x76, 0x2f, 0x31, 0x01]);

/** Why a texture cannot be used, or undefined. */
export async function lookAtTexture(
  fileType: TextureFileType,
  source: string | Uint8Array,
): Promise<string | undefined> {
  if (fileType === 'exr') {
    const start = typeof source === 'string' ? await firstBytes(source, 4) : source.subarray(0, 4);
    return exrMagic.equals(start) ? undefined : 'the file is not an OpenEXR image';
  }
  const look = await lookAtImage(source);
  return 'problem' in look ? look.problem : undefined;
}

async function firstBytes(path: string, count: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(count), length: count });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
