// Names the files of an asset's outputs: the originals and the images derived from them. Pure.
import { type ImageSpec, imageExtension } from '../../../pictures/image-spec.ts';
import type { StepAsset } from '../../../plan/types.ts';
import type { OutputRef } from '../../renders/refs.ts';
import { nameOutputs, type TakenNames } from '../file-names.ts';
import { renderedAs } from '../output-types.ts';
import { type ImageOptions, imageMark, imageSpec } from './image-options.ts';

export interface ImageWishes {
  naming: string;
  images?: readonly ImageOptions[] | undefined;
  /** False delivers only the images, without their originals. @default true */
  original?: boolean | undefined;
}

export interface NamedImage {
  spec: ImageSpec;
  mark: string;
  /** Relative to the connector. */
  path: string;
  /** Naming template from which the path comes. */
  own: string;
}

interface NamedFiles {
  output: OutputRef;
  path: string;
  isKept: boolean;
  images: NamedImage[];
}

/** @throws DeliveryError OUTPUT_UNNAMED */
export function nameFiles(
  asset: StepAsset,
  outputs: readonly OutputRef[],
  { naming, images = [], original = true, run }: ImageWishes & { run: string },
): NamedFiles[] {
  const taken: TakenNames = new Map();
  const isPicture = (output: OutputRef) => renderedAs(output) === 'picture';
  const isKept = (output: OutputRef) => original || images.length === 0 || !isPicture(output);
  const originals = nameOutputs(asset, outputs, { naming, run, taken, has: isKept });
  const named = images.map((image) => {
    const own = image.naming ?? naming;
    const ext = imageExtension[image.format];
    const files = nameOutputs(asset, outputs, { naming: own, run, ext, taken, has: isPicture });
    const made = { spec: imageSpec(image), mark: imageMark(image), own };
    return new Map(files.map(({ output, path }) => [output, { ...made, path }]));
  });
  const kept = new Map(originals.map(({ output, path }) => [output, path]));
  return outputs.map((output) => {
    const own = named.flatMap((files) => files.get(output) ?? []);
    const path = kept.get(output) ?? own[0]?.path ?? '';
    return { output, path, isKept: kept.has(output), images: own };
  });
}
