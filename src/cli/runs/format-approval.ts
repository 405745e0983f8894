// Formats what waits for approval in a run, and the result of the approval.
import {
  type ApprovalPreview,
  type ApprovalRequest,
  type ApprovalResult,
  awaitsPictureApproval,
  type RemainingWork,
} from '../../app/runs/approval.ts';
import { formatOutcomes, formatUtcMinutes } from '../../plan/contract/canary.ts';
import { formatCount, formatUpperBound } from '../../plan/helpers/format-count.ts';
import { formatPercent } from '../../plan/helpers/format-percent.ts';
import type { HeldPicture } from '../../store/runs/pictures/held-pictures.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { formatFailuresByCause } from './run-summary.ts';

const maxPicturesShown = 20;

/** Formats what a person needs to decide. */
export function formatApprovalPreview(preview: ApprovalPreview, paint: Paint): string {
  const { run } = preview;
  switch (preview.kind) {
    case 'approved-before':
      return `${run} is already approved. See: renderline show ${run}`;
    case 'canary':
      return formatApprovalRequest(preview.request, preview.cost, paint);
    case 'pictures':
      return formatChangedPictures(run, preview.waiting, preview.destination, paint);
  }
}

export function formatApprovalRequest(
  made: ApprovalRequest,
  cost: RemainingWork | null,
  paint: Paint,
): string {
  const { run, until, canary, remaining, destination, files, failures } = escapeForTerminal(made);
  // Files of assets whose side steps are still running are not recorded yet.
  const number = files === 0 ? '' : `${files} `;
  return [
    `${paint('bold', run)}  waits for approval until ${formatUtcMinutes(until)}`,
    `  done      ${formatCount(canary.total, 'asset')}: ${formatOutcomes(canary)}`,
    ...(destination === null ? [] : [`  files     ${number}in ${destination}`]),
    `  remaining ${[formatCount(remaining, 'asset'), ...formatCost(cost)].join(', ')}`,
    ...(failures.length === 0 ? [] : [...formatFailuresByCause(failures, paint), '']),
  ].join('\n');
}

function formatCost(cost: RemainingWork | null): string[] {
  if (cost === null) return [];
  const { requests, renders, max } = cost;
  return [
    `about ${formatCount(requests.total, 'request')}`,
    formatUpperBound(renders, 'render job', max),
  ];
}

export function formatChangedPictures(
  run: string,
  waiting: readonly Pick<HeldPicture, 'path' | 'share'>[],
  destination: string | null,
  paint: Paint,
): string {
  const first = escapeForTerminal(waiting.slice(0, maxPicturesShown));
  const width = Math.max(0, ...first.map(({ share }) => formatPercent(share).length));
  const rest = waiting.length - first.length;
  const place = destination === null ? '' : ` in ${escapeForTerminal(destination)}`;
  return [
    `${paint('bold', run)}  waits for approval of ${formatCount(waiting.length, 'changed picture')}`,
    ...first.map(({ path, share }) => `  ${formatPercent(share).padStart(width)} changed  ${path}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `The old pictures are still${place || ' in place'}. Before and after, side by side: renderline report ${run}`,
  ].join('\n');
}

export function formatApprovalResult({ shape, progress }: ApprovalResult): string {
  const { run, canary, pictures } = shape;
  if (canary === null) {
    const approved = `${formatCount(pictures.length, 'picture')} approved`;
    return awaitsPictureApproval(progress)
      ? `${approved}. More are waiting: renderline approve ${run}`
      : `${approved}; ${run} continues. Follow it: renderline show ${run} --wait`;
  }
  if (progress === null) {
    return `The approval of ${run} was sent; no worker has answered yet. See: renderline show ${run}`;
  }
  if (progress.state === 'paused') {
    return `${run} is approved, but still paused.\nResume it: renderline resume ${run}`;
  }
  return `${run} is approved and continues. Follow it: renderline show ${run} --wait`;
}
