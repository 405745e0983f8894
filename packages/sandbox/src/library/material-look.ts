import { createHash } from 'node:crypto';
import type { Sandbox } from '../context/sandbox.ts';
import type { MaterialLook } from '../drawing/materials/material-swap.ts';
import type { MaterialRecord } from '../state/library-records.ts';
import { texturesOf } from './materials.ts';

const neutralHex = '#bababa';

/** Returns the look of a ready material, without its EXR channels, which the sandbox cannot decode. */
export function materialLookOf({ files }: Sandbox, material: MaterialRecord): MaterialLook {
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
