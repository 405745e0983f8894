// Plans the files of each asset and their names, before anything is downloaded.
import type { NodeContext } from '../../engine/node-context.ts';
import { assetFailures } from '../../failures/assets.ts';
import { fieldsOfTemplate, foldPath } from '../../language/naming/naming.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { DeliveredFile, StepAsset } from '../../plan/types.ts';
import type { PathOwner } from '../../store/records/path-owners.ts';
import type { OutputRef } from '../renders/platform-ids.ts';
import { claimPaths } from './claim-paths.ts';
import {
  createFileLocator,
  deliveryOfStep,
  findExistingFiles,
  readDeliveriesOfExport,
} from './existing-files.ts';
import { catchAssetFailure, type FailedDelivery } from './failed-delivery.ts';
import { canCollide } from './file-names.ts';
import type { AcceptedChange } from './hold-back.ts';
import { type ImageNamingOptions, nameFiles } from './images/image-names.ts';
import { createAssetMetadata } from './metadata/asset-metadata.ts';
import type { MetadataOptions } from './metadata/metadata-fields.ts';
import { planModelFiles } from './models/model-files.ts';
import type { ModelFormat } from './models/model-output.ts';
import type { RetryWindow } from './outputs/fetch-retries.ts';
import { DeliveryError } from './outputs/output-error.ts';
import { findOutputKind } from './outputs/output-types.ts';
import { awaitOutputs, createUrlReader, type Deliverable, readOutputs } from './outputs/outputs.ts';
import type { PlannedFile } from './planned-file.ts';
import { filterReplaceable, findReplacedFile, readPreviousRecords } from './replaced-pictures.ts';

export interface PlannedDelivery {
  key: string;
  files: PlannedFile[];
  /** Paths of the export's files under the previous key of a moved source. Empty if they stay. */
  obsoletePaths: string[];
  /** Files that this delivery replaces under other names, by their new paths. Empty if they stay. */
  renamedFiles: ReadonlyMap<string, DeliveredFile>;
  /** Paths that the asset's files of this export used to have, with their owner: the asset, or its previous key. */
  releasedPaths: Pick<PathOwner, 'path' | 'key'>[];
  /** Outputs of the render that the asset does not know yet, without their URLs. */
  newOutputs?: OutputRef[];
}

export interface DeliveryOptions extends ImageNamingOptions {
  connector: string;
  what: readonly Deliverable[];
  /** Formats of models. Empty if something else is delivered. */
  formats?: readonly ModelFormat[] | undefined;
  /** Limit for changes without approval. If absent, every picture is delivered. */
  accept?: AcceptedChange | undefined;
  metadata?: MetadataOptions | undefined;
  /** What to do with the file at an asset's previous path. @default 'remove' */
  supersede?: 'remove' | 'keep' | undefined;
}

export function countFiles({ deliversOriginal, images }: PlannedFile): number {
  return (deliversOriginal ? 1 : 0) + images.length;
}

export async function planDelivery(
  options: DeliveryOptions,
  assets: readonly StepAsset[],
  retryWindow: RetryWindow,
  context: NodeContext,
): Promise<(PlannedDelivery | FailedDelivery)[]> {
  const deliveries = await Promise.all(
    assets.map((asset) =>
      catchAssetFailure(asset.key, () =>
        awaitOutputs(() => planAsset(asset, options, context), retryWindow, context),
      ),
    ),
  );
  return failTakenPaths(deliveries, options, context);
}

async function planAsset(
  asset: StepAsset,
  { connector, what, formats = [], accept, metadata, supersede, ...imageOptions }: DeliveryOptions,
  context: NodeContext,
): Promise<PlannedDelivery> {
  const { key } = asset;
  const keys = (asset.cells ?? [asset]).map((cell) => cell.key);
  const { record, moved, isKeyUnused } = await readPreviousRecords(context, ...keys);
  const { node, delivery = '' } = context.step;
  const isOwn = await readDeliveriesOfExport({ node, delivery, connector }, context.store);
  const ownFiles = (moved?.files ?? []).filter((file) => isOwn(file.delivery));
  const obsoletePaths = supersede === 'keep' ? [] : ownFiles.map(({ path }) => path);
  const recordedFiles = record?.files ?? [];
  const locate = await createFileLocator(asset.source, context, false);
  const renamableFiles = recordedFiles.filter((file) => {
    const { isObsolete, isInPlace } = locate(file);
    return supersede !== 'keep' && isOwn(file.delivery) && isObsolete && isInPlace;
  });
  const releasedPathsOf = (files: readonly PlannedFile[]) => {
    const usedPaths = files.flatMap((file) => pathsOf(file, imageOptions.naming));
    const paths = new Set(usedPaths.map(({ path }) => foldPath(path)));
    const earlierFiles = [
      ...recordedFiles.filter((file) => isOwn(file.delivery)).map(({ path }) => ({ path, key })),
      ...(moved && isKeyUnused ? ownFiles.map(({ path }) => ({ path, key: moved.key })) : []),
    ];
    return earlierFiles.filter(({ path }) => !paths.has(foldPath(path)));
  };
  if (formats.length > 0) {
    const { naming } = imageOptions;
    const files = await planModelFiles(asset, { record, moved }, { formats, naming }, context);
    const renamedFiles = findRenamedFiles(files, renamableFiles, imageOptions.naming);
    const releasedPaths = asset.cells ? [] : releasedPathsOf(files);
    return { key, files, obsoletePaths, renamedFiles, releasedPaths };
  }
  const assetMetadata = metadata && createAssetMetadata(metadata, asset, context.run.parameters);
  const outputs = await readOutputs(asset, what, context, false);
  const readUrl = createUrlReader(asset, context);
  const namedFiles = nameFiles(asset, outputs, { ...imageOptions, run: context.run.run });
  const knownRecipes = await context.store.recipes.readKnown();
  const replaceableOriginals = filterReplaceable(recordedFiles, isOwn, connector, knownRecipes);
  // With `accept`, the picture of a moved source is not reused but compared with the delivered one.
  const isCompared = accept !== undefined && moved !== null && replaceableOriginals.length > 0;
  const existingFiles = isCompared
    ? []
    : await findExistingFiles(asset, { record, moved }, isOwn, context);
  const files = namedFiles.map(({ output, path, deliversOriginal, images }): PlannedFile => {
    const ofOutput = existingFiles.filter(({ file }) => file.output === output.id);
    const filesOfImage = (specHash?: string) =>
      ofOutput.filter(({ file }) => file.image === specHash);
    return {
      output,
      path,
      deliversOriginal,
      delivery: deliveryOfStep(context.step, asset),
      images: images.map((image) => ({ ...image, existingFiles: filesOfImage(image.specHash) })),
      key,
      metadata: (findOutputKind(output) === 'picture' && assetMetadata) || null,
      replaces: deliversOriginal
        ? findReplacedFile(replaceableOriginals, path, namedFiles.length)
        : null,
      existingFiles: filesOfImage(),
      previousKey: moved?.key,
      readUrl: (refusedUrl) => readUrl(output, refusedUrl),
    };
  });
  const renders = outputs.filter(({ fileType }) => fileType !== 'PDF');
  const isKnown = renders.length <= (asset.platformIds.outputs?.length ?? 0);
  const newOutputs = isKnown ? undefined : renders.map(({ url: _url, ...output }) => output);
  const renamedFiles = findRenamedFiles(files, renamableFiles, imageOptions.naming);
  const releasedPaths = releasedPathsOf(files);
  return {
    key,
    files,
    obsoletePaths,
    renamedFiles,
    releasedPaths,
    ...omitUndefined({ newOutputs }),
  };
}

/**
 * Pairs earlier files with the files that replace them, original with original and image with image. Earlier files stay
 * if there are more of them than new files, because some of them then have no successor, or if the names of new files use
 * `{{ run }}`, because each run then has files of its own.
 */
function findRenamedFiles(
  files: readonly PlannedFile[],
  earlierFiles: readonly DeliveredFile[],
  naming: string,
): Map<string, DeliveredFile> {
  const newFiles = files.flatMap(({ path, deliversOriginal, images }) => [
    ...(deliversOriginal ? [{ path, image: undefined, template: naming }] : []),
    ...images.map((image) => ({
      path: image.path,
      image: image.specHash,
      template: image.pathTemplate,
    })),
  ]);
  const images = [...new Set(newFiles.map(({ image }) => image))];
  return new Map(
    images.flatMap((image) => {
      const successors = newFiles.filter((file) => file.image === image);
      const replaced = earlierFiles.filter((file) => file.image === image);
      if (replaced.length > successors.length) return [];
      return successors.flatMap(({ path, template }, index) => {
        const file = replaced[index];
        const isOfRun = fieldsOfTemplate(template).includes('run');
        return file === undefined || isOfRun ? [] : [[path, file] as const];
      });
    }),
  );
}

/** Fails an asset whose file would overwrite another asset's file, before anything is downloaded. */
async function failTakenPaths(
  deliveries: readonly (PlannedDelivery | FailedDelivery)[],
  { connector, naming, supersede }: DeliveryOptions,
  context: NodeContext,
): Promise<(PlannedDelivery | FailedDelivery)[]> {
  const destination = context.getConnector(connector).describe();
  const planned = deliveries.filter((delivery) => 'files' in delivery);
  const files = planned
    .flatMap((delivery) => delivery.files.flatMap((file) => pathsOf(file, naming)))
    .filter(({ path, pathTemplate, isMoved }) => isMoved || canCollide(path, pathTemplate));
  const claims = files.map(({ path, key, previousKey }) => ({
    destination,
    path,
    key,
    ...omitUndefined({ previousKey }),
  }));
  const releases = planned.flatMap(({ releasedPaths }) =>
    releasedPaths.map((released) => ({ destination, ...released })),
  );
  const holders = await claimPaths(claims, supersede === 'keep' ? null : releases, context);
  const clashByKey = new Map(
    files.flatMap(({ key, path }, index) => {
      const holder = holders[index];
      return holder === key ? [] : [[key, { path, holder }] as const];
    }),
  );
  return deliveries.map((delivery) => {
    const { key } = delivery;
    const clash = clashByKey.get(key);
    if (clash === undefined) return delivery;
    const message = `"${clash.path}" in ${destination} already belongs to the asset "${clash.holder}"; use a folder for each asset in \`naming\` of "${context.step.node}": {{ key }}/{{ output }}.{{ ext }}`;
    return { key, error: new DeliveryError(assetFailures.OUTPUT_PATH_TAKEN, message) };
  });
}

/** Returns the paths that an output occupies, each with its naming template. */
function pathsOf(
  { key, previousKey, path, deliversOriginal, images, existingFiles }: PlannedFile,
  naming: string,
) {
  const files = [
    ...(deliversOriginal ? [{ path, pathTemplate: naming, existingFiles }] : []),
    ...images,
  ];
  return files.map(({ existingFiles, ...file }) => ({
    ...file,
    key,
    previousKey,
    isMoved: existingFiles.length > 0,
  }));
}
