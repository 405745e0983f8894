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
import { StagedRows } from './staged-rows.ts';

const changeHeadings = ['change', 'previousFile'];

export interface OpenManifestDeps {
  store: RunStore;
  getConnector: (name: string) => Connector;
  signal: AbortSignal;
}

export class OpenManifest {
  readonly #manifest: DeliveryManifest;
  readonly #publication: Publication;
  readonly #deps: OpenManifestDeps;
  readonly #isOwnDelivery: (delivery: string) => boolean;
  readonly #allRows: StagedRows;
  readonly #changes: OpenChanges | null;
  readonly #zips: readonly OpenZip[];
  /** Zips that the second pass writes. */
  #dueZips: OpenZip[] = [];
  #comparison: FileComparison | null = null;

  private constructor(
    manifest: DeliveryManifest,
    publication: Publication,
    deps: OpenManifestDeps,
    isOurs: (delivery: string) => boolean,
    lists: { allRows: StagedRows; changes: OpenChanges | null; zips: OpenZip[] },
  ) {
    this.#manifest = manifest;
    this.#publication = publication;
    this.#deps = deps;
    this.#isOwnDelivery = isOurs;
    this.#allRows = lists.allRows;
    this.#changes = lists.changes;
    this.#zips = lists.zips;
  }

  static async open(
    manifest: DeliveryManifest,
    publication: Publication,
    deps: OpenManifestDeps,
  ): Promise<OpenManifest> {
    const { store, getConnector, signal } = deps;
    const isOurs = await readDeliveriesOfExport(manifest, store);
    const connector = getConnector(manifest.connector);
    const zips: OpenZip[] = [];
    for (const zip of manifest.zips ?? []) {
      const path = pathOf(zip.path, store.context.run);
      zips.push(await OpenZip.open({ zip, manifest, path, connector, store, signal }));
    }
    const allRows = await openRows(manifest, manifest.path, [], { connector, store });
    try {
      const changes = await OpenChanges.open(manifest, publication, { connector, store, zips });
      return new OpenManifest(manifest, publication, deps, isOurs, { allRows, changes, zips });
    } catch (error) {
      await allRows.discard();
      throw error;
    }
  }

  /** Adds the files of an asset to the lists in the first pass. */
  async add(asset: DeliveredAsset, row: Row['values']): Promise<void> {
    const publishedFiles = this.#publishedFiles(asset, row);
    if (publishedFiles.length === 0) return;
    for (const { cells } of publishedFiles) await this.#allRows.add(cells);
    for (const zip of this.#zips) {
      if (!zip.isOfChanges) for (const file of publishedFiles) zip.count(toZippedFile(file));
    }
    await this.#changes?.add(asset.name, publishedFiles);
  }

  /** Ends the first pass, and decides which zips are due. */
  async end(): Promise<void> {
    await this.#changes?.end();
    await this.#allRows.end();
    for (const zip of this.#zips) if (await zip.isDue()) this.#dueZips.push(zip);
    const ofChanges = this.#dueZips.filter((zip) => zip.isOfChanges);
    if (ofChanges.length === 0) return;
    const emit = async (change: FileChange) => {
      if (isZipChange(change)) for (const zip of ofChanges) await zip.add(toZippedFile(change));
    };
    const { store } = this.#deps;
    this.#comparison = compareWithLast(this.#manifest, this.#publication, store, emit);
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
    const { signal } = this.#deps;
    await this.#changes?.rows?.commit({ signal });
    await this.#allRows.commit({ signal });
    for (const zip of this.#zips) await zip.commit();
  }

  async discard(): Promise<void> {
    await this.#changes?.rows?.discard();
    await this.#allRows.discard();
    for (const zip of this.#dueZips) await zip.discard();
  }

  warnings(): { key: string; message: string }[] {
    const { node } = this.#manifest;
    return this.#dueZips.flatMap((zip) =>
      zip.warnings().map((message) => ({ key: node, message })),
    );
  }

  #publishedFiles(asset: DeliveredAsset, row: Row['values']): PublishedFile[] {
    const files = asset.files.filter(({ delivery }) => this.#isOwnDelivery(delivery ?? ''));
    const cells = cellsOfFiles(asset, files, this.#manifest, row);
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
type FileWriter = ReturnType<RunStore['publications']['writer']>;

class OpenChanges {
  /** Rows of the list of changes. Null if only zips need the changes. */
  readonly rows: StagedRows | null;
  readonly #comparison: FileComparison;
  readonly #fileWriter: FileWriter;

  private constructor(rows: StagedRows | null, comparison: FileComparison, fileWriter: FileWriter) {
    this.rows = rows;
    this.#comparison = comparison;
    this.#fileWriter = fileWriter;
  }

  static async open(
    manifest: DeliveryManifest,
    publication: Publication,
    { connector, store, zips }: { connector: Connector; store: RunStore; zips: OpenZip[] },
  ): Promise<OpenChanges | null> {
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
    return new OpenChanges(rows, comparison, fileWriter);
  }

  async add(name: string, files: PublishedFile[]): Promise<void> {
    await this.#comparison.add({ name, files });
    await this.#fileWriter.add({ name, files });
  }

  async end(): Promise<void> {
    await this.#comparison.finish();
    await this.rows?.end();
    await this.#fileWriter.flush();
  }
}

function openRows(
  { columns, delimiter, bom }: DeliveryManifest,
  path: string,
  extraHeadings: readonly string[],
  { connector, store }: { connector: Connector; store: RunStore },
): Promise<StagedRows> {
  const headings = [...extraHeadings, ...columns.map(([heading]) => heading)];
  const runPath = pathOf(path, store.context.run);
  return StagedRows.open(connector, { path: runPath, headings, delimiter, bom });
}

/** Fills in the run, which is the only field that the path of a manifest or zip may contain. */
function pathOf(template: string, run: string): string {
  return renderText(template, () => toSafeName(run));
}
