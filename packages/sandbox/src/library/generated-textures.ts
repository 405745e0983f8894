// Generates missing texture channels from the given ones by image processing.

import { type TextureChannel, textureChannels } from 'renderline/api/operations/materials';
import sharp from 'sharp';
import type { Sandbox } from '../context/sandbox.ts';
import type { MaterialRecord, TextureRecord } from '../state/library-records.ts';
import { texturesOf } from './materials.ts';
import { computeNormals } from './normal-map.ts';

/** Maximum length of the longer side of a generated map. */
const maxPixels = 512;

/** Default colour of a material without a colour map. */
const neutral = { r: 186, g: 186, b: 186 };

type Maps = Readonly<Record<TextureChannel, Buffer>>;

/** Generates and stores the missing channels. Rejects if an image does not decode. */
export async function generateTextures(
  sandbox: Sandbox,
  material: MaterialRecord,
): Promise<{ diffuse: Buffer; generated: Record<string, TextureRecord> }> {
  const pathByChannel = new Map<TextureChannel, string>();
  for (const [channel, { fileType, uploadKey, file, generated }] of texturesOf(material)) {
    // An EXR counts as given but cannot be decoded here, so the other channels are created without it.
    if (file && !generated && fileType !== 'exr')
      pathByChannel.set(channel, sandbox.files.path(uploadKey));
  }
  const maps = await createMaps(pathByChannel);
  const generated: Record<string, TextureRecord> = {};
  for (const channel of textureChannels) {
    const texture = material.textures[channel];
    if (texture?.file && !texture.generated) continue;
    const uploadKey = `materials/${material.id}/generated-${channel}.png`;
    const png = maps[channel];
    const { bytes, sha256 } = await sandbox.files.write(uploadKey, [png], png.length, png.length);
    const file = { bytes, sha256, uploadedAt: sandbox.options.clock() };
    generated[channel] = { fileType: 'png', uploadKey, file, generated: true };
  }
  return { diffuse: maps.diffuse, generated };
}

/**
 * Missing depth is the brightness of the colour, normals are the slopes of the depth, roughness is lower where the
 * colour is bright, metallic is 0, opacity is the colour's alpha or full. Without colour, depth and roughness are flat.
 */
async function createMaps(pathByChannel: ReadonlyMap<TextureChannel, string>): Promise<Maps> {
  const first = pathByChannel.get('diffuse') ?? [...pathByChannel.values()][0];
  const size = await readFittedSize(first);
  const read = (channel: TextureChannel) => {
    const path = pathByChannel.get(channel);
    return path === undefined
      ? undefined
      : sharp(path, { failOn: 'error' })
          .autoOrient()
          .resize({ ...size, fit: 'fill' });
  };
  const flat = (value: number | typeof neutral) => {
    const background = typeof value === 'number' ? { r: value, g: value, b: value } : value;
    return sharp({ create: { ...size, channels: 3, background } })
      .png()
      .toBuffer();
  };
  const diffuse = (await read('diffuse')?.png().toBuffer()) ?? (await flat(neutral));
  const hasColor = pathByChannel.has('diffuse');
  const grey = () => sharp(diffuse).removeAlpha().greyscale();
  const depth =
    (await read('depth')?.greyscale().png().toBuffer()) ??
    (hasColor ? await grey().blur(1.2).normalise().png().toBuffer() : await flat(128));
  const opaque = !(await sharp(diffuse).metadata()).hasAlpha;
  return {
    diffuse,
    depth,
    normal: (await read('normal')?.png().toBuffer()) ?? (await computeNormals(depth)),
    roughness:
      (await read('roughness')?.png().toBuffer()) ??
      (hasColor ? await grey().negate().linear(0.4, 110).png().toBuffer() : await flat(160)),
    metallic: (await read('metallic')?.png().toBuffer()) ?? (await flat(0)),
    opacity:
      (await read('opacity')?.png().toBuffer()) ??
      (opaque ? await flat(255) : await sharp(diffuse).extractChannel('alpha').png().toBuffer()),
  };
}

async function readFittedSize(path: string | undefined) {
  if (path === undefined) return { width: 64, height: 64 };
  const { width, height } = (await sharp(path).metadata()).autoOrient;
  const scale = Math.min(1, maxPixels / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}
