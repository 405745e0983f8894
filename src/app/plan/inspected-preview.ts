// Removes from a preview the assets that the run would refuse because of their files.

import { escapeForTerminal } from '../../cli/terminal-text.ts';
import { openConnector } from '../../connectors/index.ts';
import { type InspectedFiles, inspectFiles } from '../../features/inspect-files.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Failure, Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import type { Preview } from './preview-assets.ts';

export interface InspectedPreview
  extends Preview,
    Pick<InspectedFiles<unknown>, 'warnings' | 'inspectionByKey' | 'left'> {}

/** Inspects the headers of the files. */
export async function inspectPreview(
  app: App,
  plan: Plan,
  found: Preview,
): Promise<InspectedPreview> {
  const where = { open: openConnector, signal: app.signal };
  const { accepted, refused, ...files } = await inspectFiles(plan, found.assets, where);
  const remaining = new Set(accepted);
  const counts = { ...found.counts };
  for (const asset of found.assets) {
    if (remaining.has(asset)) continue;
    const isNew = asset.reason === 'new' || asset.reason === 'retry';
    counts[isNew ? 'new' : 'changed'] -= 1;
  }
  return { ...found, ...files, counts, assets: accepted, refused: [...found.refused, ...refused] };
}

const shown = 20;

/** Formats the first refused files and the first warnings. */
export function formatFileRemarks({
  refused,
  warnings,
  left,
}: Pick<InspectedPreview, 'warnings' | 'left'> & {
  refused: readonly Pick<Failure, 'key' | 'code' | 'message'>[];
}): string[] {
  return [
    ...firstLines(
      escapeForTerminal(refused).map(
        ({ key, code, message }) => `refused ${key}: ${code}: ${message}`,
      ),
      'refused',
    ),
    ...firstLines(
      escapeForTerminal(warnings).map(({ key, message }) => `warning ${key}: ${message}`),
      'warnings',
    ),
    ...(left > 0
      ? [`${formatCount(left, 'file')} not inspected: the run may refuse some of them`]
      : []),
  ];
}

function firstLines(lines: readonly string[], what: string): string[] {
  const more = lines.length - shown;
  return [
    ...lines.slice(0, shown),
    ...(more > 0 ? [`and ${more} more ${what}; --json has all`] : []),
  ];
}
