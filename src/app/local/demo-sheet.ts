// Writes the contact sheet of a demo, with all pictures and failures on one page.
import { join } from 'node:path';
import { basename } from 'node:path/posix';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { type CellSource, positionNamesOf } from '../../plan/grid.ts';
import { readRange } from '../../plan/helpers/lazy-list.ts';
import type { Failure, Plan } from '../../plan/types.ts';
import {
  type ContactSheet,
  type ContactSheetItem,
  writeContactSheet,
} from '../../report/contact-sheet.ts';
import type { App } from '../app.ts';
import { gridOrderOf } from '../plan/grid-order.ts';
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
  const content = isGrid
    ? await readGridContent(app, facts)
    : { items: await createCardItems(facts) };
  const title = `${shape.pipeline}: ${shape.run ?? ''}`;
  return writeContactSheet(facts.folder.folder, { title, ...content });
}

async function createCardItems({ folder, report }: DemoSheetInput): Promise<ContactSheet['items']> {
  const { shape } = report;
  const pictureFiles = (await readRange(shape.files)).filter(({ width }) => width > 0);
  const pictures = pictureFiles.map(({ key, path, width, height }) => ({
    key,
    path: join(folder.pictures, path),
    // A file name that only repeats the key is omitted.
    caption: path.replace(/\.\w+$/, '') === key ? '' : path,
    width,
    height,
  }));
  const items = [...pictures, ...shape.failures.map(createFailedItem)];
  return items.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Builds a table of all cells, including cells that the run did not reach. */
async function readGridContent(
  app: App,
  { plan, folder, report }: DemoSheetInput,
): Promise<Omit<ContactSheet, 'title'>> {
  const { classified } = await previewAssets(app, plan);
  const { finished, shape } = report;
  const items = createGridItems({
    pictures: folder.pictures,
    assets: classified,
    finalized: await readRange(finished.assets),
    failures: shape.failures,
  });
  const { models, dimensions } = gridOrderOf(classified);
  return { items, grid: { models, colorways: dimensions[0]?.positions ?? [] } };
}

export interface GridSheetInput {
  pictures: string;
  /** All assets, in the order of the grid. */
  assets: readonly { key: string; source: CellSource }[];
  finalized: readonly Pick<FinalizedAsset, 'key' | 'outcome' | 'files'>[];
  failures: readonly Failure[];
}

/** Returns items for all cells, and for failures outside the grid. */
export function createGridItems(input: GridSheetInput): ContactSheetItem[] {
  const { pictures, assets, finalized, failures } = input;
  const settledByKey = new Map(finalized.map((asset) => [asset.key, asset]));
  const failureOf = new Map(failures.map((failure) => [failure.key, failure]));
  const items = assets.flatMap(({ key, source }): ContactSheetItem[] => {
    if (source.cell === undefined) return [];
    const [colorway = ''] = positionNamesOf(source);
    const cell = { model: source.cell.group, colorway };
    const end = settledByKey.get(key);
    const failure = failureOf.get(key);
    failureOf.delete(key);
    const failedItems = failure ? [{ ...createFailedItem(failure), cell }] : [];
    const files = end?.files.filter(({ width }) => width > 0) ?? [];
    if (files.length === 0 && failedItems.length === 0)
      return [{ key, caption: '', width: 0, height: 0, missing: formatMissing(end), cell }];
    const pictureItems = files.map(({ path, width, height }) => {
      // File names are shown only if a cell has several files, because a single name repeats the model.
      const caption = files.length > 1 ? basename(path) : '';
      return { key, path: join(pictures, path), width, height, caption, cell };
    });
    return [...failedItems, ...pictureItems];
  });
  const others = [...failureOf.values()].map(createFailedItem);
  return [...items, ...others];
}

function createFailedItem({ key, code, message }: Failure): ContactSheetItem {
  return { key, caption: '', width: 0, height: 0, failed: `${code}: ${message}` };
}

function formatMissing(end: Pick<FinalizedAsset, 'outcome'> | undefined): string {
  if (end === undefined) return 'not done';
  return end.outcome === 'complete' ? 'no picture was delivered' : end.outcome;
}
