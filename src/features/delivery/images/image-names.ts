import type { TakenNames } from '../../../language/naming/free-name.ts';
import { type ImageSpec, imageExtension } from '../../../pictures/image-spec.ts';
import type { StepAsset } from '../../../plan/types.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { nameOutputs } from '../file-names.ts';
import { outputKind } from '../outputs/output-types.ts';
import type { ImageOptions } from './image-fields.ts';
import { hashImageSpec, toImageSpec } from './image-recipe.ts';

export interface ImageNamingOptions {
  naming: string;
  images?: readonly ImageOptions[] | undefined;
  /** False delivers only the images, without their originals. @default true */
  original?: boolean | undefined;
}

export interface NamedImage {
  spec: ImageSpec;
  specHash: string;
  /** Relative to the connector. */
  path: string;
  pathTemplate: string;
  /** Name of the channel for which the image is made. */
  channel?: string | undefined;
}

interface NamedFiles {
  output: OutputRef;
  path: string;
  deliversOriginal: boolean;
  images: NamedImage[];
}

/** @throws DeliveryError OUTPUT_UNNAMED */
export function nameFiles(
  asset: StepAsset,
  outputs: readonly OutputRef[],
  { naming, images = [], original = true, run }: ImageNamingOptions & { run: string },
): NamedFiles[] {
  const takenNames: TakenNames = new Map();
  const isPicture = (output: OutputRef) => outputKind(output) === 'picture';
  const isOriginalDelivered = (output: OutputRef) =>
    original || images.length === 0 || !isPicture(output);
  const originals = nameOutputs(asset, outputs, {
    naming,
    run,
    takenNames,
    has: isOriginalDelivered,
  });
  const namedImages = images.map((image) => {
    const imageNaming = image.naming ?? naming;
    const ext = imageExtension[image.format];
    const files = nameOutputs(asset, outputs, {
      naming: imageNaming,
      run,
      ext,
      takenNames,
      has: isPicture,
    });
    const { channel } = image;
    const spec = toImageSpec(image);
    const imageFields = {
      spec,
      specHash: hashImageSpec(image),
      pathTemplate: imageNaming,
      channel,
    };
    return new Map(files.map(({ output, path }) => [output, { ...imageFields, path }]));
  });
  const originalPaths = new Map(originals.map(({ output, path }) => [output, path]));
  return outputs.map((output) => {
    const ownImages = namedImages.flatMap((files) => files.get(output) ?? []);
    const path = originalPaths.get(output) ?? ownImages[0]?.path ?? '';
    return { output, path, deliversOriginal: originalPaths.has(output), images: ownImages };
  });
}
