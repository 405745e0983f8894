// Writes the contact sheet of a demo, with all pictures and failures on one page.
import { join } from 'node:path';
import { basename } from 'node:path/posix';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { type CellSource, positionNamesOf } from '../../plan/grid.ts';
import type { DeliveredFile, Failure, Plan } from '../../plan/types.ts';
import {
  type ContactSheet,
  type ContactSheetItem,
  writeContactSheet,
} from '../../report/contact-sheet.ts';
import type { DiscoveredAssets } from '../../store/discovery/discover.ts';
import type { Records } from '../../store/records/records.ts';
import type { App } from '../app.ts';
import { gridOrderOf } from '../plan/grid-order.ts';
import { openPlanStore } from '../plan/open-plan-store.ts';
import { previewAssets } from '../plan/preview-assets.ts';
import type { RunDetails } from '../runs/run-details.ts';

export interface DemoSheet {
  html: string;
  png: string;
}

interface DemoSheetInput {
  plan: Plan;
  folder: { folder: string; pictures: string };
  report: RunDetails;
}

/** Writes a table if the run has discovered the cells of a grid, and otherwise cards. */
export async function writeDemoSheet(app: App, facts: DemoSheetInput): Promise<DemoSheet> {
  const { shape } = facts.report;
  const isGrid = facts.plan.discovery.grid !== undefined && shape.discovered;
  const content = isGrid ? await readGridContent(app, facts) : { items: createCardItems(facts) };
  const title = `${shape.pipeline}: ${shape.run ?? ''}`;
  const { html, png } = await writeContactSheet(facts.folder.folder, { title, ...content });
  return { html, png };
}

function createCardItems({ folder, report: { shape } }: DemoSheetInput): ContactSheet['items'] {
  const pictureFiles = shape.files.filter(({ width }) => width > 0);
  const pictures = pictureFiles.map(({ key, path, width, height }) => ({
    key,
    path: join(folder.pictures, path),
    // A file name that only repeats the key is omitted.
    caption: path.replace(/\.\w+$/, '') === key ? undefined : path,
    width,
    height,
  }));
  const items = [...pictures, ...shape.failures.map(createFailedItem)];
  return items.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Builds a table of all cells, including cells that the run skipped or did not reach. */
async function readGridContent(
  app: App,
  { plan, folder, report }: DemoSheetInput,
): Promise<Omit<ContactSheet, 'title'>> {
  const { records } = openPlanStore(plan);
  const { classified } = await previewAssets(app, plan);
  const { finalized, shape } = report;
  const items = createGridItems({
    pictures: folder.pictures,
    assets: classified,
    finalized,
    failures: shape.failures,
    earlierFiles: await readEarlierFiles(records, classified, finalized),
  });
  const { models, dimensions } = gridOrderOf(classified);
  const { name = '', positions = [] } = dimensions[0] ?? {};
  return { items, grid: { models, dimension: name, columns: positions } };
}

export interface GridSheetInput {
  pictures: string;
  /** All assets, in the order of the grid. */
  assets: readonly { key: string; source: CellSource }[];
  finalized: readonly Pick<FinalizedAsset, 'key' | 'outcome' | 'files'>[];
  failures: readonly Failure[];
  /** Files, by key, that earlier runs delivered and this run skipped. */
  earlierFiles: ReadonlyMap<string, readonly DeliveredFile[]>;
}

/** Returns items for all cells, and for failures outside the grid. */
export function createGridItems(input: GridSheetInput): ContactSheetItem[] {
  const { pictures, assets, finalized, failures, earlierFiles } = input;
  const settledByKey = new Map(finalized.map((asset) => [asset.key, asset]));
  const failureOf = new Map(failures.map((failure) => [failure.key, failure]));
  const items = assets.flatMap(({ key, source }): ContactSheetItem[] => {
    if (source.cell === undefined) return [];
    const [column = '', ...others] = positionNamesOf(source);
    const part = others.join(' ');
    const none = { key, path: null, width: 0, height: 0, caption: part };
    const end = settledByKey.get(key);
    const failure = failureOf.get(key);
    failureOf.delete(key);
    const cell = { model: source.cell.group, column };
    const failedItems = failure ? [{ ...none, cell, failed: formatFailure(failure) }] : [];
    const deliveredFiles = end?.files ?? (failure ? [] : earlierFiles.get(key)) ?? [];
    const files = deliveredFiles.filter(({ width }) => width > 0);
    if (files.length === 0 && failedItems.length === 0)
      return [{ ...none, cell, missing: formatMissing(end, earlierFiles.has(key)) }];
    const pictureItems = files.map(({ path, width, height }) => {
      // File names are shown only if a cell has several files, because a single name repeats the model.
      const name = files.length > 1 && basename(path);
      const caption = [part, name, !end && 'from an earlier run'].filter(Boolean).join(', ');
      return { key, path: join(pictures, path), width, height, caption, cell };
    });
    return [...failedItems, ...pictureItems];
  });
  const others = [...failureOf.values()].map((failure) => createFailedItem(failure));
  return [...items, ...others];
}

function createFailedItem(failure: Failure): ContactSheetItem {
  return { key: failure.key, path: null, width: 0, height: 0, failed: formatFailure(failure) };
}

function formatFailure({ code, message }: Failure): string {
  return `${code}: ${message}`;
}

function formatMissing(end: Pick<FinalizedAsset, 'outcome'> | undefined, wasDone: boolean): string {
  if (end === undefined) return wasDone ? 'done by an earlier run' : 'not done';
  return end.outcome === 'complete' ? 'no picture was delivered' : end.outcome;
}

/** Reads the files of cells that a run skipped because an earlier run delivered them. */
export async function readEarlierFiles(
  records: Pick<Records, 'read'>,
  classified: DiscoveredAssets['classified'],
  finalized: readonly Pick<FinalizedAsset, 'key'>[],
): Promise<Map<string, readonly DeliveredFile[]>> {
  const finalizedKeys = new Set(finalized.map(({ key }) => key));
  const files = new Map<string, readonly DeliveredFile[]>();
  for (const { key, status } of classified) {
    if (status.reason !== 'unchanged' || finalizedKeys.has(key)) continue;
    files.set(key, (await records.read(status.record.name))?.files ?? []);
  }
  return files;
}
