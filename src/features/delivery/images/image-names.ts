import { type ImageSpec, imageExtension } from '../../../pictures/image-spec.ts';
import type { StepAsset } from '../../../plan/types.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { nameOutputs } from '../file-names.ts';
import { findOutputKind } from '../outputs/output-types.ts';
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
  /** Path relative to the connector. */
  path: string;
  pathTemplate: string;
  /** Name of the channel that the image is for. */
  channel?: string | undefined;
}

/** @throws DeliveryError OUTPUT_UNNAMED */
export function nameFiles(
  asset: StepAsset,
  outputs: readonly OutputRef[],
  { naming, images = [], original = true, run }: ImageNamingOptions & { run: string },
) {
  const common = { run, takenNames: new Map() };
  const isPicture = (output: OutputRef) => findOutputKind(output) === 'picture';
  const isOriginalDelivered = (output: OutputRef) =>
    original || images.length === 0 || !isPicture(output);
  const originalOptions = { ...common, naming, has: isOriginalDelivered };
  const originals = nameOutputs(asset, outputs, originalOptions);
  const namedImages = images.map((image) => {
    const { channel, format, naming: pathTemplate = naming } = image;
    const ext = imageExtension[format];
    const options = { ...common, naming: pathTemplate, ext, has: isPicture };
    const spec = toImageSpec(image);
    const imageFields = { spec, specHash: hashImageSpec(image), pathTemplate, channel };
    return new Map(
      nameOutputs(asset, outputs, options).map(({ output, path }) => [
        output,
        { ...imageFields, path },
      ]),
    );
  });
  const originalPaths = new Map(originals.map(({ output, path }) => [output, path]));
  return outputs.map((output) => {
    const ownImages = namedImages.flatMap((files) => files.get(output) ?? []);
    const path = originalPaths.get(output) ?? ownImages[0]?.path ?? '';
    return { output, path, deliversOriginal: originalPaths.has(output), images: ownImages };
  });
}
