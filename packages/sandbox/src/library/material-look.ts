// The look of a material for drawing.
import { createHash } from 'node:crypto';
import type { TextureChannel } from 'renderline/api/operations/materials';
import type { Sandbox } from '../context/sandbox.ts';
import type { MaterialRecord } from '../state/library-records.ts';
import { texturesOf } from './materials.ts';

export interface MaterialLook {
  /** Equal for materials that look the same. */
  readonly key: string;
  /** `#RRGGBB` of a flat material, else the dominant colour of its surface. */
  readonly colorHex: string;
  /** Paths of PNG or JPEG files; empty for a flat material. */
  readonly textures: Readonly<Partial<Record<TextureChannel, string>>>;
}

const neutralHex = '#bababa';

/** The look of a ready material, without its EXR channels, which the sandbox cannot decode. */
export function materialLook({ files }: Sandbox, material: MaterialRecord): MaterialLook {
  const colorHex = material.flatHex ?? material.outcome?.colorHex ?? neutralHex;
  const readable = texturesOf(material).filter(
    ([, { file, fileType }]) => file?.problem === undefined && file && fileType !== 'exr',
  );
  const contents = readable.map(([channel, { file }]) => `${channel}=${file?.sha256 ?? ''}`);
  return {
    key: createHash('sha256')
      .update([colorHex, ...contents.sort()].join('\n'))
      .digest('hex'),
    colorHex,
    textures: Object.fromEntries(
      readable.map(([channel, { uploadKey }]) => [channel, files.path(uploadKey)]),
    ),
  };
}
