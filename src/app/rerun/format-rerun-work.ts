// Formats the work of a rerun for the command line and for pages.
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { RerunPreview } from './rerun.ts';
import type { RerunWork, UnfinishedGroup } from './rerun-work.ts';

/** Formats the assets of a rerun, for example `3 assets, 2 of them from the first step (source changed)`. */
export function formatRerunAssets(rerunWork: RerunWork): string {
  const { assets, changed, delivered, later, refused } = rerunWork;
  return [
    formatCount(assets, 'asset'),
    ...(changed > 0 ? [`${changed} of them from the first step (source changed)`] : []),
    ...(delivered > 0 ? [`${delivered} delivered since`] : []),
    ...(later > 0 ? [`${later} with files that are still being written`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ].join(', ');
}

/** Explains why assets are unfinished. @param formatCode adds emphasis to a failure code */
export function formatUnfinished(
  { outcome, code, node }: UnfinishedGroup,
  formatCode: (code: string) => string = (plain) => plain,
): string {
  if (code === '') return outcomeTexts[outcome];
  return `${formatCode(code)}${node === '' ? '' : ` at ${node}`}`;
}

const outcomeTexts: Readonly<Record<UnfinishedGroup['outcome'], string>> = {
  failed: 'failed',
  refused: 'refused',
  cancelled: 'cancelled',
  unfinished: 'not started',
};

/** Lists what is reused from the earlier run. Returns an empty string if nothing is reused. */
export function formatReuse({ models, projects, renders, items }: RerunWork['reuse']): string {
  return [
    ...(models > 0 ? [formatCount(models, 'model')] : []),
    ...(items > 0 ? [formatCount(items, 'library item')] : []),
    ...(projects > 0 ? [formatCount(projects, 'project')] : []),
    ...(renders > 0 ? [`${formatCount(renders, 'render')} (checked first)`] : []),
  ].join(', ');
}

export function formatNothingToRerun({ rerun, preview }: RerunPreview['shape']): string {
  const { of, failed, open } = rerun;
  const reason = preview
    ? `the remaining assets of ${of} have since been delivered, or their sources are still being written`
    : `${of} has ${failed ? `no failures${open ? ' so far' : ''}` : 'delivered all its assets'}`;
  return `Nothing to rerun: ${reason}.`;
}
