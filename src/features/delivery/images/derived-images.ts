// The images of one output: reused from an earlier delivery if possible, otherwise derived from the picture.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connector } from '../../../connectors/connector.ts';
import { openConnector } from '../../../connectors/index.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import type { KnownFailure } from '../../../failures/define.ts';
import {
  type DerivedPicture,
  derivePicture,
  ImageRefusedError,
  measureImage,
} from '../../../pictures/decoding/decode.ts';
import type { MeasureRequest } from '../../../pictures/decoding/decoder-script.ts';
import type { CheckName } from '../../../pictures/image-checks.ts';
import type { ImageSpec } from '../../../pictures/image-spec.ts';
import { PictureError } from '../../../pictures/picture-error.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import type { DeliveredFile, TransferredOutput } from '../../../plan/types.ts';
import { computeSha256 } from '../../../store/discovery/list-files.ts';
import type { TransferredFiles } from '../../../store/runs/transferred-files.ts';
import { withDeliveredCopy } from '../delivered-copy.ts';
import { deliveryFailures } from '../failures.ts';
import { reuseDelivered } from '../metadata/reuse-delivered.ts';
import { metadataBytesOf, pictureHashOf, writeWithMetadata } from '../metadata/write-metadata.ts';
import { DeliveryError, formatOutput } from '../outputs/output-error.ts';
import type { PlannedFile, PlannedImage } from '../planned-file.ts';
import { findFailedChecks, toCheckError } from './failed-checks.ts';

interface DerivedImagesOptions {
  connector: Connector;
  supersede: 'remove' | 'keep' | undefined;
  /** Maximum number of pixels of an original that is decoded. */
  maxPixels: number;
  transferredFiles: Pick<TransferredFiles<DeliveredFile>, 'get' | 'add'>;
}

/** True for checks whose failures can be marked in the picture. */
const isPictureRule = (check: CheckName): check is 'background' | 'fill' =>
  check === 'background' || check === 'fill';

const refusals: Readonly<Record<ImageRefusedError['reason'], KnownFailure>> = {
  LARGER: deliveryFailures.IMAGE_LARGER,
  BITS: deliveryFailures.IMAGE_BITS,
  BYTES: deliveryFailures.IMAGE_BYTES,
};

type Context = Pick<NodeContext, 'signal' | 'heartbeat' | 'assertLease' | 'step' | 'store'>;

export class DerivedImages {
  readonly #file: PlannedFile;
  readonly #options: DerivedImagesOptions;
  readonly #context: Context;
  readonly #deliveredByImage = new Map<PlannedImage, DeliveredFile>();
  readonly #errorByImage = new Map<PlannedImage, DeliveryError>();

  constructor(file: PlannedFile, options: DerivedImagesOptions, context: Context) {
    this.#file = file;
    this.#options = options;
    this.#context = context;
  }

  /** The images available so far, in the order of the pipeline file. */
  get files(): DeliveredFile[] {
    return this.#file.images.flatMap((image) => this.#deliveredByImage.get(image) ?? []);
  }

  /**
   * Reuses existing images, then derives the missing ones from the first of `pictures` that is still intact.
   * @param originalHash see `takeExisting`
   * @returns false if images are missing and none of the pictures is intact
   */
  async reuseOrDerive(
    pictures: readonly { file: DeliveredFile; connector: Connector | null }[],
    originalHash?: string,
  ): Promise<boolean> {
    await this.takeExisting(originalHash);
    for (const { file, connector } of pictures) {
      if (this.#isComplete) return true;
      await withDeliveredCopy({ file, connector }, this.#context, (copy) =>
        this.deriveMissing(copy, pictureHashOf(file)),
      );
    }
    return this.#isComplete;
  }

  get #isComplete(): boolean {
    return this.#deliveredByImage.size + this.#errorByImage.size === this.#file.images.length;
  }

  /** Must be called after the other images are delivered. @throws DeliveryError with the reasons of failed images */
  throwIfFailed(): void {
    const [first, ...others] = this.#errorByImage.values();
    if (first === undefined) return;
    if (others.length === 0) throw first;
    const messages = [first, ...others].map(({ message }) => message).join('; ');
    throw new DeliveryError(first.failure, messages, 1, { cause: first });
  }

  /**
   * Takes the images that an earlier attempt or run created.
   * @param originalHash hash of the original. Absent if it is not delivered. The output id then identifies the picture
   */
  async takeExisting(originalHash?: string): Promise<void> {
    const isOfOriginal = (file: DeliveredFile) =>
      originalHash === undefined || file.sourceHash === originalHash;
    for (const image of this.#file.images) {
      const attemptFile =
        this.#deliveredByImage.get(image) ?? (await this.#takeFromEarlierAttempt(image));
      const file =
        attemptFile && isOfOriginal(attemptFile) && this.#hasMetadata(attemptFile)
          ? attemptFile
          : await this.#takeFromEarlierDelivery(image, isOfOriginal);
      if (file === null) this.#deliveredByImage.delete(image);
      else await this.#addImage(image, file);
    }
  }

  /** Derives the missing images from a local picture. `throwIfFailed` reports images that cannot be derived. */
  async deriveMissing(original: string, originalHash: string): Promise<void> {
    for (const image of this.#file.images) {
      if (this.#deliveredByImage.has(image) || this.#errorByImage.has(image)) continue;
      this.#context.signal.throwIfAborted();
      const folder = await mkdtemp(join(tmpdir(), 'renderline-image-'));
      try {
        await this.#addImage(image, await this.#makeOne(image, original, folder, originalHash));
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        this.#errorByImage.set(image, error);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }

  async #makeOne(
    image: PlannedImage,
    original: string,
    folder: string,
    originalHash: string,
  ): Promise<TransferredOutput> {
    const { path, specHash } = image;
    const { signal, heartbeat, assertLease } = this.#context;
    const { connector } = this.#options;
    const { name, picture } = await this.#derive(image, original, folder);
    await this.#check(image, original, { file: join(folder, name), picture });
    const { width, height, bytes } = picture;
    const staged = await connector.stage(path);
    try {
      const local = openConnector({ type: 'local', path: folder });
      const sha256 = await computeSha256(local, name, signal, (chunk) => {
        heartbeat();
        return staged.write(chunk);
      });
      await assertLease();
      await staged.commit({ signal, onProgress: () => heartbeat() });
      const { key, metadata } = this.#file;
      const hashes = { sha256, image: specHash, sourceHash: originalHash };
      const metadataField = omitUndefined({ metadata: metadata?.hash });
      return { key, path, bytes, width, height, ...hashes, ...metadataField };
    } finally {
      await staged.discard().catch(() => undefined);
    }
  }

  /** Derives an image, with its metadata. Returns the name of its file in the folder, and its size. */
  async #derive({ spec, path }: PlannedImage, original: string, folder: string) {
    const { metadata } = this.#file;
    const maxBytes = spec.maxBytes && Math.max(1, spec.maxBytes - metadataBytesOf(metadata));
    const derive = { image: { ...spec, maxBytes }, into: join(folder, 'image') };
    const picture = await this.#derivePicture(original, derive, path);
    if (metadata === null) return { name: 'image', picture };
    await writeWithMetadata(derive.into, join(folder, 'with-metadata'), metadata, path);
    const { size: bytes } = await stat(join(folder, 'with-metadata'));
    return { name: 'with-metadata', picture: { ...picture, bytes } };
  }

  #derivePicture(original: string, derive: { image: ImageSpec; into: string }, path: string) {
    const limits = { maxPixels: this.#options.maxPixels, signal: this.#context.signal };
    return derivePicture(original, derive, limits).catch((error: unknown) => {
      throw this.#toDeliveryError(error, path);
    });
  }

  /** @throws DeliveryError if the finished image fails a check. A marked copy is kept for the report */
  async #check(
    image: PlannedImage,
    original: string,
    { file, picture }: { file: string; picture: DerivedPicture },
  ): Promise<void> {
    const { path, spec } = image;
    const { checks } = spec;
    if (checks === undefined) return;
    const { signal, store } = this.#context;
    const { background } = checks;
    const measure = (request: Pick<MeasureRequest, 'mark' | 'outline'>) =>
      measureImage(file, picture, { background, ...request }, { signal }).catch(
        (error: unknown) => {
          throw this.#toDeliveryError(error, path);
        },
      );
    const findFailed = async (outline?: string) =>
      findFailedChecks((await measure({ outline })).measures, checks);
    let failedChecks = await findFailed();
    let outline: string | undefined;
    if (failedChecks.some(({ check }) => isPictureRule(check)) && picture.inner === undefined) {
      // Only a transparent original shows where an object has the same colour as its background.
      const { maxBytes: _maxBytes, ...frame } = spec;
      const png: ImageSpec = { ...frame, format: 'PNG', bits: 8, background: 'transparent' };
      outline = `${file}-outline`;
      await this.#derivePicture(original, { image: png, into: outline }, path);
      failedChecks = await findFailed(outline);
    }
    const [first] = failedChecks;
    if (first === undefined) return;
    const mark = isPictureRule(first.check) ? first.check : 'nothing';
    const { marked } = await measure({ mark, outline });
    const { key, output } = this.#file;
    if (marked !== null) await store.failedImages.write(key, { path, picture: marked });
    throw toCheckError(image, formatOutput(output), [first, ...failedChecks.slice(1)]);
  }

  #toDeliveryError(error: unknown, path: string): unknown {
    const imageLabel = `image "${path}" of ${formatOutput(this.#file.output)}`;
    if (error instanceof ImageRefusedError) {
      const failure = refusals[error.reason];
      const subject = error.reason === 'BYTES' ? 'it' : 'its original';
      const bytes = error.reason === 'BYTES' ? metadataBytesOf(this.#file.metadata) : 0;
      const metadataNote = bytes > 0 ? `, which leaves ${bytes} for the metadata` : '';
      const message = `${imageLabel}: ${subject} ${error.message}${metadataNote}`;
      return new DeliveryError(failure, message);
    }
    if (!(error instanceof PictureError)) return error;
    const message = `${imageLabel}: its original ${error.message}`;
    return new DeliveryError(deliveryFailures.IMAGE_FAILED, message);
  }

  async #takeFromEarlierAttempt(image: PlannedImage): Promise<DeliveredFile | null> {
    const transferredFile = this.#options.transferredFiles.get(this.#idOf(image));
    if (transferredFile === undefined) return null;
    const entry = await this.#options.connector.stat(image.path);
    return entry?.bytes === transferredFile.bytes ? transferredFile : null;
  }

  #hasMetadata({ metadata }: DeliveredFile): boolean {
    return metadata === this.#file.metadata?.hash;
  }

  #takeFromEarlierDelivery(
    { path, existingFiles, spec }: PlannedImage,
    isOfOriginal: (file: DeliveredFile) => boolean,
  ): Promise<DeliveredFile | null> {
    const { key, metadata } = this.#file;
    const { connector, supersede } = this.#options;
    const derivedFiles = existingFiles.filter(({ file }) => isOfOriginal(file));
    const inspect = async () => ({ width: 0, height: 0 });
    const maxBytes = Math.min(spec.maxBytes ?? Infinity, spec.checks?.maxBytes ?? Infinity);
    const target = { key, path, connector, inspect, maxBytes };
    return reuseDelivered(derivedFiles, target, { metadata, supersede }, this.#context);
  }

  async #addImage(image: PlannedImage, file: TransferredOutput): Promise<void> {
    const { delivery = '' } = this.#file;
    const deliveredFile = { ...file, output: this.#file.output.id, delivery };
    this.#deliveredByImage.set(image, deliveredFile);
    await this.#options.transferredFiles.add(this.#idOf(image), deliveredFile);
  }

  #idOf({ path, specHash }: PlannedImage): string {
    return JSON.stringify([this.#file.key, this.#file.output.id, path, specHash]);
  }
}
