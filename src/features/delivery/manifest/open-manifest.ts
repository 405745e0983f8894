// Writes a manifest and its changes in a first pass over all assets. In a second pass, writes the zips that are due.
import type { Connector } from '../../../connectors/connector.ts';
import { renderText, toSafeName } from '../../../language/naming/naming.ts';
import type { DeliveryManifest } from '../../../plan/delivery-manifests.ts';
import type { Row } from '../../../plan/rows.ts';
import type { DeliveredAsset } from '../../../store/runs/publications/delivered-assets.ts';
import type { Publication, PublishedFile } from '../../../store/runs/publications/publications.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';
import { readDeliveriesOfExport } from '../existing-files.ts';
import { type FileChange, FileComparison } from './compare-files.ts';
import { cellsOfFiles } from './file-values.ts';
import { OpenZip } from './open-zip.ts';
import { type StagedRows, stageRows } from './staged-rows.ts';

const changeHeadings = ['change', 'previousFile'];

export interface OpenManifestDeps {
  store: RunStore;
  getConnector: (name: string) => Connector;
  signal: AbortSignal;
}

interface ManifestParts {
  manifest: DeliveryManifest;
  publication: Publication;
  deps: OpenManifestDeps;
  isOwnDelivery: (delivery: string) => boolean;
  allRows: StagedRows;
  changes: Awaited<ReturnType<typeof openChanges>>;
  zips: readonly OpenZip[];
}

export class OpenManifest {
  readonly #parts: ManifestParts;
  /** Zips that the second pass writes. */
  #dueZips: OpenZip[] = [];
  #comparison: FileComparison | null = null;

  private constructor(parts: ManifestParts) {
    this.#parts = parts;
  }

  static async open(
    manifest: DeliveryManifest,
    publication: Publication,
    deps: OpenManifestDeps,
  ): Promise<OpenManifest> {
    const { store, getConnector, signal } = deps;
    const isOwnDelivery = await readDeliveriesOfExport(manifest, store);
    const connector = getConnector(manifest.connector);
    const zips: OpenZip[] = [];
    for (const zip of manifest.zips ?? []) {
      const path = pathOf(zip.path, store.context.run);
      const previousZip = await store.publishedZips.read(manifest.connector, zip.path);
      zips.push(new OpenZip({ zip, manifest, path, connector, store, signal }, previousZip));
    }
    const allRows = await openRows(manifest, manifest.path, [], { connector, store });
    try {
      const changes = await openChanges(manifest, publication, { connector, store, zips });
      const parts = { manifest, publication, deps, isOwnDelivery, allRows, changes, zips };
      return new OpenManifest(parts);
    } catch (error) {
      await allRows.discard();
      throw error;
    }
  }

  /** Adds the files of an asset to the lists in the first pass. */
  async add(asset: DeliveredAsset, row: Row['values']): Promise<void> {
    const publishedFiles = this.#publishedFiles(asset, row);
    if (publishedFiles.length === 0) return;
    for (const { cells } of publishedFiles) await this.#parts.allRows.add(cells);
    for (const zip of this.#parts.zips) {
      if (!zip.isOfChanges) for (const file of publishedFiles) zip.count(toZippedFile(file));
    }
    await this.#parts.changes?.add(asset.name, publishedFiles);
  }

  /** Ends the first pass, and decides which zips are due. */
  async end(): Promise<void> {
    await this.#parts.changes?.end();
    await this.#parts.allRows.end();
    for (const zip of this.#parts.zips) if (await zip.isDue()) this.#dueZips.push(zip);
    const ofChanges = this.#dueZips.filter((zip) => zip.isOfChanges);
    if (ofChanges.length === 0) return;
    const emit = async (change: FileChange) => {
      if (isZipChange(change)) for (const zip of ofChanges) await zip.add(toZippedFile(change));
    };
    const { store } = this.#parts.deps;
    this.#comparison = compareWithLast(this.#parts.manifest, this.#parts.publication, store, emit);
  }

  get hasSecondPass(): boolean {
    return this.#dueZips.length > 0;
  }

  async beginZips(): Promise<void> {
    for (const zip of this.#dueZips) await zip.begin();
  }

  /** Adds the files of an asset to the due zips in the second pass. */
  async zip(asset: DeliveredAsset, row: Row['values']): Promise<void> {
    if (!this.hasSecondPass) return;
    const publishedFiles = this.#publishedFiles(asset, row);
    for (const zip of this.#dueZips) {
      if (!zip.isOfChanges) for (const file of publishedFiles) await zip.add(toZippedFile(file));
    }
    if (publishedFiles.length > 0)
      await this.#comparison?.add({ name: asset.name, files: publishedFiles });
  }

  /** Ends the second pass. */
  async endZips(): Promise<void> {
    await this.#comparison?.finish();
    for (const zip of this.#dueZips) await zip.end();
  }

  /** Renames the zips last, so that a reader of a zip finds the manifest that lists its files. */
  async commit(): Promise<void> {
    const { signal } = this.#parts.deps;
    await this.#parts.changes?.rows?.commit({ signal });
    await this.#parts.allRows.commit({ signal });
    for (const zip of this.#parts.zips) await zip.commit();
  }

  async discard(): Promise<void> {
    await this.#parts.changes?.rows?.discard();
    await this.#parts.allRows.discard();
    for (const zip of this.#dueZips) await zip.discard();
  }

  warnings(): { key: string; message: string }[] {
    const { node } = this.#parts.manifest;
    return this.#dueZips.flatMap((zip) =>
      zip.warnings().map((message) => ({ key: node, message })),
    );
  }

  #publishedFiles(asset: DeliveredAsset, row: Row['values']): PublishedFile[] {
    const files = asset.files.filter(({ delivery }) => this.#parts.isOwnDelivery(delivery ?? ''));
    const cells = cellsOfFiles(asset, files, this.#parts.manifest, row);
    return files.map(({ path, sha256, output, image = '' }, index) => {
      return { path, sha256, shows: `${output} ${image}`, cells: cells[index] ?? [] };
    });
  }
}

/** True for a file whose content or path is new. */
function isZipChange({ change }: FileChange): boolean {
  return change !== 'removed' && change !== 'updated';
}

function toZippedFile({ path, sha256, shows }: Pick<PublishedFile, 'path' | 'sha256' | 'shows'>) {
  return { path, sha256, image: shows.slice(shows.lastIndexOf(' ') + 1) };
}

function compareWithLast(
  { node, columns }: DeliveryManifest,
  { before }: Publication,
  { publications }: RunStore,
  emit: (change: FileChange) => Promise<void>,
): FileComparison {
  const headings = columns.map(([heading]) => heading);
  return new FileComparison(publications.read(before, node, headings), emit);
}

/** Writes the changes since the last manifest, and stores the current files for the comparison in the next run. */
async function openChanges(
  manifest: DeliveryManifest,
  publication: Publication,
  { connector, store, zips }: { connector: Connector; store: RunStore; zips: OpenZip[] },
) {
  const { node, changes, columns } = manifest;
  const ofChanges = zips.filter((zip) => zip.isOfChanges);
  if (changes === undefined && ofChanges.length === 0) return null;
  const rows = changes
    ? await openRows(manifest, changes, changeHeadings, { connector, store })
    : null;
  const comparison = compareWithLast(manifest, publication, store, async (change) => {
    await rows?.add([change.change, change.previousFile, ...change.cells]);
    if (isZipChange(change)) for (const zip of ofChanges) zip.count(toZippedFile(change));
  });
  const headings = columns.map(([heading]) => heading);
  const fileWriter = store.publications.writer(publication, node, headings);
  return {
    /** Rows of the list of changes. Null if only zips need the changes. */
    rows,
    async add(name: string, files: PublishedFile[]): Promise<void> {
      await comparison.add({ name, files });
      await fileWriter.add({ name, files });
    },
    async end(): Promise<void> {
      await comparison.finish();
      await rows?.end();
      await fileWriter.flush();
    },
  };
}

function openRows(
  { columns, delimiter, bom }: DeliveryManifest,
  path: string,
  extraHeadings: readonly string[],
  { connector, store }: { connector: Connector; store: RunStore },
): Promise<StagedRows> {
  const headings = [...extraHeadings, ...columns.map(([heading]) => heading)];
  const runPath = pathOf(path, store.context.run);
  return stageRows(connector, { path: runPath, headings, delimiter, bom });
}

/** Fills in the run, which is the only field that the path of a manifest or zip may contain. */
function pathOf(template: string, run: string): string {
  return renderText(template, () => toSafeName(run));
}
