// Serves files that runs delivered. A requested path can never reach any other file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Connector } from '../connectors/connector.ts';
import { openConnector } from '../connectors/index.ts';
import { shrinkPicture } from '../pictures/decoding/decode.ts';
import { memoize } from '../plan/helpers/memoize.ts';
import { destinationsOfFile, type ExportMemo } from '../plan/run/run-memo.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';

export interface ServedFile {
  bytes: Buffer;
  type: string;
}

const maxBytes = 64 * 1024 ** 2;
const thumbnailBox = { width: 360, height: 270 };
const previewBox = { width: 1_600, height: 1_200 };
/** Maximum number of thumbnails cached in memory, at about 15 KB each. */
const maxThumbnails = 2_000;
/** Maximum number of runs, or of connectors with their waiting pictures, whose paths are kept in memory. */
const maxRuns = 100;
/** Maximum number of these paths, at up to 200 bytes each. A larger run is kept alone. */
const maxPaths = 1_000_000;
/** Maximum number of destinations kept open. */
const maxConnectors = 100;

/** Content types that browsers display. Browsers download files of other types. */
const contentTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
};

const browserOnlyTypes: ReadonlySet<string> = new Set(['image/webp', 'image/avif']);

/** True if browsers can show the file as a picture. False, for example, for TIFF. */
export function isShownByBrowsers(path: string): boolean {
  return contentTypes[extname(path).toLowerCase()]?.startsWith('image/') ?? false;
}

interface RunFiles {
  /** Connectors in the order of the search. A file is read from the first connector that contains its path. */
  destinations: readonly ConnectorSpec[];
  /** The destination of each export. Absent if there is only one export. */
  exports?: readonly ExportMemo[];
  paths: ReadonlySet<string>;
}

export class DeliveredFiles {
  readonly #filesByRun = new Map<string, RunFiles>();
  readonly #thumbnails = new Map<string, Buffer>();
  /** Opens each destination once for all pages and runs, because each file of a page is requested on its own. */
  readonly #connectorOf: (destination: string) => Connector;

  constructor(env: Environment) {
    const open = (destination: string) => openConnector(JSON.parse(destination), env);
    this.#connectorOf = memoize(open, maxConnectors);
  }

  has(run: string, path: string): boolean {
    return this.#filesByRun.get(run)?.paths.has(path) ?? false;
  }

  setRunFiles(run: string, files: RunFiles): void {
    this.#filesByRun.delete(run);
    const keptFiles = [...this.#filesByRun.values(), files];
    const pathCount = keptFiles.reduce((sum, { paths }) => sum + paths.size, 0);
    if (keptFiles.length > maxRuns || pathCount > maxPaths) this.#filesByRun.clear();
    this.#filesByRun.set(run, files);
  }

  /**
   * Reads a delivered file. Returns null if `setRunFiles` did not list it for the run, or if it no longer exists.
   * @param delivery the export of the file, if several exports may have delivered a file with this path
   * @throws ConnectorError
   */
  async read(run: string, path: string, delivery?: string): Promise<ServedFile | null> {
    const type = contentTypes[extname(path).toLowerCase()] ?? 'application/octet-stream';
    for (const connector of this.#connectorsOf(run, path, delivery)) {
      if ((await connector.stat(path)) !== null)
        return { bytes: await connector.read(path, maxBytes), type };
    }
    return null;
  }

  /** Returns a small JPEG, or the image itself. Null if the file is not a picture. @throws ConnectorError */
  async thumbnail(run: string, path: string, delivery?: string): Promise<ServedFile | null> {
    const id = JSON.stringify([run, path, delivery]);
    const cachedBytes = this.#thumbnails.get(id);
    if (cachedBytes) return { bytes: cachedBytes, type: 'image/jpeg' };
    const file = await this.read(run, path, delivery);
    const bytes = file && (await shrinkBytes(file.bytes, thumbnailBox));
    // Formats that cannot be decoded here are sent unchanged, because the browser may display them.
    if (bytes === null) return file && browserOnlyTypes.has(file.type) ? file : null;
    if (this.#thumbnails.size >= maxThumbnails) this.#thumbnails.clear();
    this.#thumbnails.set(id, bytes);
    return { bytes, type: 'image/jpeg' };
  }

  /** Returns a JPEG that fills a screen. Null if the file cannot be decoded here. @throws ConnectorError */
  async preview(run: string, path: string): Promise<ServedFile | null> {
    const file = await this.read(run, path);
    const bytes = file && (await shrinkBytes(file.bytes, previewBox));
    return bytes && { bytes, type: 'image/jpeg' };
  }

  *#connectorsOf(run: string, path: string, delivery: string | undefined): Generator<Connector> {
    const files = this.#filesByRun.get(run);
    if (!files?.paths.has(path)) return;
    const destinations = destinationsOfFile(files.destinations, files.exports, delivery);
    for (const destination of destinations) yield this.#connectorOf(JSON.stringify(destination));
  }
}

/** Shrinks a picture in a separate process, which reads it from a file, because pictures are untrusted. */
async function shrinkBytes(bytes: Buffer, box: typeof thumbnailBox): Promise<Buffer | null> {
  const folder = await mkdtemp(join(tmpdir(), 'renderline-ui-'));
  try {
    const file = join(folder, 'picture');
    await writeFile(file, bytes, { mode: 0o600 });
    return await shrinkPicture(file, box).catch(() => null);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
