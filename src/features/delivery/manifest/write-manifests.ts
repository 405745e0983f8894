// Writes the manifests of a pipeline from its records: all files that its exports have delivered and that are in place.
import type { Connector } from '../../../connectors/connector.ts';
import { renderText, safeName } from '../../../language/naming/naming.ts';
import type { DeliveryManifest } from '../../../plan/delivery-manifests.ts';
import { fingerprintOf, type Row } from '../../../plan/rows.ts';
import type { Rows } from '../../../store/discovery/rows/rows.ts';
import { modelKeyOf } from '../../../store/records/cell-keys.ts';
import {
  type DeliveredAsset,
  deliveredAssets,
} from '../../../store/runs/publications/delivered-assets.ts';
import type { Publication, PublishedFile } from '../../../store/runs/publications/publications.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';
import { FileComparison } from './compare-files.ts';
import { cellsOf, valuesOfFiles } from './file-values.ts';
import { StagedRows } from './staged-rows.ts';

export interface ManifestContext {
  store: RunStore;
  /** The tables as they are now; null if the pipeline has none. */
  rows: Rows | null;
  connectorNamed: (name: string) => Connector;
  signal: AbortSignal;
  assertLease: () => Promise<void>;
}

/** Runs of one pipeline may end at the same time; more often than this, something else is wrong. */
const maxRounds = 20;
const changeHeadings = ['change', 'previousFile'];

/**
 * Idempotent. Each file gets its name when it is complete, and the manifests come after their changes.
 * @throws Error if other runs write all the time
 */
export async function writeManifests(
  manifests: readonly DeliveryManifest[],
  context: ManifestContext,
): Promise<void> {
  const { publications } = context.store;
  for (let round = 1; round <= maxRounds; round += 1) {
    const publication = await publications.begin();
    const open: OpenManifest[] = [];
    try {
      for (const manifest of manifests) {
        open.push(await OpenManifest.open(manifest, publication, context));
      }
      for await (const asset of deliveredAssets(context.store, context.signal)) {
        const row = rowOf(asset, context.rows);
        for (const one of open) await one.add(asset, row);
      }
      for (const one of open) await one.end();
      if (await publications.isOvertaken(publication)) continue;
      await context.assertLease();
      await publications.startWriting(publication);
      for (const one of open) await one.commit();
      await publications.complete(publication);
    } finally {
      for (const one of open) await one.discard();
    }
    if (!(await publications.isOvertaken(publication))) return;
  }
  throw new Error('other runs of the pipeline write its manifests all the time');
}

/** The row that the tables have now; the row of the record if they have none any more. */
function rowOf({ key, source }: DeliveredAsset, rows: Rows | null): Row['values'] {
  const found = rows?.rowOf(modelKeyOf({ key, source }), source);
  const now = found !== undefined && found !== 'skipped' && 'row' in found ? found.row : source.row;
  return now?.values ?? {};
}

/** A manifest and its list of changes, while they are written. */
class OpenManifest {
  readonly #manifest: DeliveryManifest;
  readonly #context: ManifestContext;
  readonly #isOurs: (delivery: string) => boolean;
  readonly #all: StagedRows;
  readonly #changes: OpenChanges | null;

  private constructor(
    manifest: DeliveryManifest,
    context: ManifestContext,
    isOurs: (delivery: string) => boolean,
    { all, changes }: { all: StagedRows; changes: OpenChanges | null },
  ) {
    this.#manifest = manifest;
    this.#context = context;
    this.#isOurs = isOurs;
    this.#all = all;
    this.#changes = changes;
  }

  static async open(
    manifest: DeliveryManifest,
    publication: Publication,
    context: ManifestContext,
  ): Promise<OpenManifest> {
    const { store, connectorNamed } = context;
    const isOurs = await deliveriesOf(manifest, store);
    const connector = connectorNamed(manifest.connector);
    const all = await openRows(manifest, manifest.path, [], { connector, store });
    try {
      const changes = await OpenChanges.open(manifest, publication, { connector, store });
      return new OpenManifest(manifest, context, isOurs, { all, changes });
    } catch (error) {
      await all.discard();
      throw error;
    }
  }

  async add(asset: DeliveredAsset, row: Row['values']): Promise<void> {
    const { columns, images } = this.#manifest;
    const files = asset.files.filter(({ delivery }) => this.#isOurs(delivery ?? ''));
    if (files.length === 0) return;
    const values = valuesOfFiles(asset, files, images);
    const published = files.map((file, at): PublishedFile => {
      const { path, sha256, output, image = '' } = file;
      const of = values[at];
      const cells = of === undefined ? [] : cellsOf(columns, of, row);
      return { path, sha256, shows: `${output} ${image}`, cells };
    });
    for (const { cells } of published) await this.#all.add(cells);
    await this.#changes?.add(asset.name, published);
  }

  async end(): Promise<void> {
    await this.#changes?.end();
    await this.#all.end();
  }

  async commit(): Promise<void> {
    const { signal } = this.#context;
    await this.#changes?.rows.commit({ signal });
    await this.#all.commit({ signal });
  }

  async discard(): Promise<void> {
    await this.#changes?.rows.discard();
    await this.#all.discard();
  }
}

/** The list of changes of a manifest, and what the next run needs to find its own. */
class OpenChanges {
  readonly rows: StagedRows;
  readonly #comparison: FileComparison;
  readonly #kept: ReturnType<RunStore['publications']['writer']>;

  private constructor(
    rows: StagedRows,
    comparison: FileComparison,
    kept: ReturnType<RunStore['publications']['writer']>,
  ) {
    this.rows = rows;
    this.#comparison = comparison;
    this.#kept = kept;
  }

  static async open(
    manifest: DeliveryManifest,
    publication: Publication,
    { connector, store }: { connector: Connector; store: RunStore },
  ): Promise<OpenChanges | null> {
    const { node, changes, columns } = manifest;
    if (changes === undefined) return null;
    const headings = columns.map(([heading]) => heading);
    const rows = await openRows(manifest, changes, changeHeadings, { connector, store });
    const before = store.publications.read(publication.before, node, headings);
    const comparison = new FileComparison(before, ({ change, previousFile, cells }) =>
      rows.add([change, previousFile, ...cells]),
    );
    return new OpenChanges(
      rows,
      comparison,
      store.publications.writer(publication, node, headings),
    );
  }

  async add(name: string, files: PublishedFile[]): Promise<void> {
    await this.#comparison.add({ name, files });
    await this.#kept.add({ name, files });
  }

  async end(): Promise<void> {
    await this.#comparison.finish();
    await this.rows.end();
    await this.#kept.flush();
  }
}

function openRows(
  { columns, delimiter, bom }: DeliveryManifest,
  path: string,
  more: readonly string[],
  { connector, store }: { connector: Connector; store: RunStore },
): Promise<StagedRows> {
  const headings = [...more, ...columns.map(([heading]) => heading)];
  const named = pathOf(path, store.context.run);
  return StagedRows.open(connector, { path: named, headings, delimiter, bom });
}

/** The path of a manifest; only the run may be part of it. */
function pathOf(template: string, run: string): string {
  return renderText(template, () => safeName(run));
}

/**
 * Which deliveries are those of the export: the present one, and those that it had in earlier versions of the file.
 * Changed assets whose delivery has failed still have their earlier files.
 */
async function deliveriesOf(
  { node, delivery, connector }: DeliveryManifest,
  { recipes, context }: RunStore,
): Promise<(delivery: string) => boolean> {
  const known = await recipes.known();
  const now = Object.values(known.get(context.recipe)?.deliveries ?? {});
  const others = new Set(now.map(({ fingerprint }) => fingerprint));
  const earlier = [...known.values()].flatMap(({ deliveries }) => deliveries[node] ?? []);
  const own = earlier.filter((one) => one.connector === connector && !others.has(one.fingerprint));
  const ours = new Set([delivery, ...own.map(({ fingerprint }) => fingerprint)]);
  return (one) => ours.has(fingerprintOf(one));
}
