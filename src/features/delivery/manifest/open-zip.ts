// A zip of delivered files. The first pass over the records decides whether it is due, and the second writes it.
import { createHash } from 'node:crypto';
import { extname } from 'node:path/posix';
import type { Connector, StagedFile } from '../../../connectors/connector.ts';
import {
  type DeliveryManifest,
  type DeliveryZip,
  originalImage,
} from '../../../plan/delivery-manifests.ts';
import { isMissingError } from '../../../store/objects/json-objects.ts';
import type { PublishedZip } from '../../../store/runs/publications/published-zips.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';
import { ZipWriter } from '../archive/zip-writer.ts';

interface ZippedFile {
  path: string;
  sha256: string;
  /** Fingerprint of the image, or an empty string for an original. */
  image: string;
}

interface OpenZipOptions {
  zip: DeliveryZip;
  manifest: Pick<DeliveryManifest, 'connector' | 'images'>;
  /** Path of the zip in this run. */
  path: string;
  connector: Connector;
  store: Pick<RunStore, 'publishedZips' | 'context'>;
  signal: AbortSignal;
}

/** Extensions of formats that are already compressed. */
const packed = new Set(['.png', '.jpg', '.jpeg', '.webp', '.avif', '.usdz', '.mp4', '.mov']);
const [unpackedLevel, packedLevel] = [1, 0];

export class OpenZip {
  readonly #options: OpenZipOptions;
  readonly #previousZip: PublishedZip | null;
  #content = new ZipContent();
  #output: { staged: StagedFile; writer: ZipWriter } | null = null;
  #absentPaths: string[] = [];
  #alteredPaths: string[] = [];

  constructor(options: OpenZipOptions, previousZip: PublishedZip | null) {
    this.#options = options;
    this.#previousZip = previousZip;
  }

  get isOfChanges(): boolean {
    return this.#options.zip.changed;
  }

  /** In the first pass, counts the file if the zip includes it. */
  count(file: ZippedFile): void {
    if (this.#isIncluded(file)) this.#content.add(file);
  }

  /** True if the zip must be written. Call this after the first pass. */
  async isDue(): Promise<boolean> {
    const { path, connector } = this.#options;
    const previousZip = this.#previousZip;
    const { files, digest } = this.#content;
    if (files === 0 && (previousZip === null || this.isOfChanges)) return false;
    const isSame =
      previousZip?.digest === digest &&
      previousZip.path === path &&
      previousZip.absent === 0 &&
      previousZip.altered === 0;
    if (!isSame) return true;
    const entry = await connector.stat(path);
    return entry?.bytes !== previousZip.bytes || entry.mtimeMs !== previousZip.mtimeMs;
  }

  /** Starts the second pass. */
  async begin(): Promise<void> {
    const staged = await this.#options.connector.stage(this.#options.path);
    this.#output = { staged, writer: new ZipWriter((bytes) => staged.write(bytes)) };
    this.#content = new ZipContent();
  }

  /** Adds a file in the second pass. A file that is missing at its destination is omitted and causes a warning. */
  async add(file: ZippedFile): Promise<void> {
    if (this.#output === null || !this.#isIncluded(file)) return;
    this.#content.add(file);
    const { connector, signal } = this.#options;
    const source = await connector.open(file.path, signal).catch((error: unknown) => {
      if (!isMissingError(error)) throw error;
      return null;
    });
    if (source === null) {
      this.#absentPaths.push(file.path);
      return;
    }
    try {
      const { bytes, mtimeMs: modifiedAtMs } = source.entry;
      const level = packed.has(extname(file.path).toLowerCase()) ? packedLevel : unpackedLevel;
      const entry = await this.#output.writer.open({ name: file.path, bytes, modifiedAtMs, level });
      const hash = createHash('sha256');
      try {
        const content = await source.content();
        for await (const chunk of content instanceof Uint8Array ? [content] : content) {
          signal.throwIfAborted();
          hash.update(chunk);
          await entry.write(chunk);
        }
        await entry.end();
      } finally {
        entry.discard();
      }
      if (hash.digest('hex') !== file.sha256) this.#alteredPaths.push(file.path);
    } finally {
      await source.close();
    }
  }

  /** Ends the second pass. The zip keeps its temporary name until `commit`. */
  async end(): Promise<void> {
    await this.#output?.writer.end();
  }

  /** Renames the zip if it was due, and stores its digest and size for later runs. */
  async commit(): Promise<void> {
    const { zip, manifest, path, store, signal } = this.#options;
    const { run } = store.context;
    const previousZip = this.#previousZip;
    if (this.#output === null) {
      if (previousZip === null) return;
      const isNew = previousZip.run === run && previousZip.isNew;
      await store.publishedZips.write(zip.path, { ...previousZip, run, isNew });
      return;
    }
    const { bytes, mtimeMs } = await this.#output.staged.commit({ signal });
    const { digest, files } = this.#content;
    const [absent, altered] = [this.#absentPaths.length, this.#alteredPaths.length];
    const content = { digest, files: files - absent, absent, altered };
    const file = { connector: manifest.connector, path, bytes, mtimeMs };
    await store.publishedZips.write(zip.path, { ...content, run, ...file, isNew: true });
  }

  async discard(): Promise<void> {
    await this.#output?.staged.discard();
  }

  warnings(): string[] {
    const { path } = this.#options;
    const fix =
      '`renderline run --verify` delivers the files again, and the next run writes the zip again';
    const warn = (files: readonly string[], problem: string) => {
      const [first] = files;
      const omittedNote = files.length > 1 ? ` and ${files.length - 1} more` : '';
      return first === undefined ? [] : [`${path} ${problem}: ${first}${omittedNote}; ${fix}`];
    };
    return [
      ...warn(
        this.#absentPaths,
        'does not include files that are no longer at their delivery paths',
      ),
      ...warn(this.#alteredPaths, 'contains files that somebody has changed since their delivery'),
    ];
  }

  #isIncluded({ image }: ZippedFile): boolean {
    const { zip, manifest } = this.#options;
    if (zip.image === null) return true;
    return zip.image === originalImage ? image === '' : manifest.images[image] === zip.image;
  }
}

/** Number and digest of the files of a zip. */
class ZipContent {
  readonly #hash = createHash('sha256');
  files = 0;

  add({ path, sha256 }: ZippedFile): void {
    this.#hash.update(`${JSON.stringify([path, sha256])}\n`);
    this.files += 1;
  }

  get digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
