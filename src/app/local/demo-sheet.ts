// Writes the contact sheet of a demo: all pictures and failures on one page.
import { join } from 'node:path';
import type { Plan } from '../../plan/types.ts';
import { type ContactSheet, writeContactSheet } from '../../report/contact-sheet.ts';
import type { App } from '../app.ts';
import { gridOrder } from '../plan/grid-order.ts';
import { openPlanStore } from '../plan/open-plan-store.ts';
import { previewAssets } from '../plan/preview-assets.ts';
import type { RunReport } from '../runs/run-report.ts';
import type { DemoFolder } from './demo-folder.ts';
import { earlierFiles, failedItem, gridItems } from './demo-grid.ts';

export interface DemoSheet {
  html: string;
  png: string;
}

interface DemoSheetInput {
  plan: Plan;
  folder: DemoFolder;
  report: RunReport;
}

/** Writes a table if the assets are cells of a grid, otherwise cards. */
export async function writeDemoSheet(app: App, facts: DemoSheetInput): Promise<DemoSheet> {
  const { plan, folder, report } = facts;
  const { shape } = report;
  const isGrid = plan.discovery.grid !== undefined && shape.discovered;
  const content = isGrid ? await gridContent(app, facts) : { items: cardItems(facts) };
  const title = `${shape.pipeline}: ${shape.run ?? ''}`;
  const { html, png } = await writeContactSheet(folder.folder, { title, ...content });
  return { html, png };
}

function cardItems({ folder, report: { shape } }: DemoSheetInput): ContactSheet['items'] {
  const shown = shape.files.filter(({ width }) => width > 0);
  const pictures = shown.map(({ key, path, width, height }) => ({
    key,
    path: join(folder.pictures, path),
    // A file name that only repeats the key is not shown.
    caption: path.replace(/\.\w+$/, '') === key ? undefined : path,
    width,
    height,
  }));
  const items = [...pictures, ...shape.failures.map(failedItem)];
  return items.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Builds a table of all cells, including cells that the run skipped or did not reach. */
async function gridContent(
  app: App,
  { plan, folder, report }: DemoSheetInput,
): Promise<Omit<ContactSheet, 'title'>> {
  const { records } = openPlanStore(plan);
  const { classified } = await previewAssets(app, plan);
  const { settled, shape } = report;
  const items = gridItems({
    pictures: folder.pictures,
    assets: classified,
    settled,
    failures: shape.failures,
    earlier: await earlierFiles(records, classified, settled),
  });
  const { models, dimensions } = gridOrder(classified);
  const { name = '', positions = [] } = dimensions[0] ?? {};
  return { items, grid: { models, dimension: name, columns: positions } };
}
