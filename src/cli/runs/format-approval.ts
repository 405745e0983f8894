// Formats what waits for approval in a run, and the result of the approval.

import type { AssetVerdict, Verdict, VerdictCounts } from '../../app/approvals/waiting-assets.ts';
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
import { locationOf } from '../../plan/run/location.ts';
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
    case 'assets':
      return formatVerdicts(run, preview.verdicts, preview.counts, paint);
    case 'pictures':
      return formatChangedPictures(run, preview.waiting, preview.destination, paint);
  }
}

/** What a person is asked, and what still waits if the person does not answer. */
export function formatApprovalQuestion(
  preview: Exclude<ApprovalPreview, { kind: 'approved-before' }>,
): { question: string; waits: string } {
  switch (preview.kind) {
    case 'canary':
      return {
        question: `Continue with ${formatCount(preview.request.remaining, 'more asset')}?`,
        waits: 'The run still waits. Approve it',
      };
    case 'pictures':
      return {
        question: `Deliver ${formatCount(preview.waiting.length, 'changed picture')}?`,
        waits: 'The pictures still wait. Approve them',
      };
    case 'assets': {
      const { approved, rejected } = preview.counts;
      const acts = [
        ...(approved > 0 ? [`Approve ${formatCount(approved, 'asset')}`] : []),
        ...(rejected > 0
          ? [`${approved > 0 ? 'reject' : 'Reject'} ${formatCount(rejected, 'asset')}`]
          : []),
      ];
      return {
        question: `${acts.join(' and ')}?`,
        waits: 'The assets still wait. Decide about them',
      };
    }
  }
}

function formatVerdicts(
  run: string,
  verdicts: readonly AssetVerdict[],
  { approved, rejected, waiting }: VerdictCounts,
  paint: Paint,
): string {
  const all = verdicts.length;
  const acts = [
    ...(approved > 0 ? [`${approved} to approve`] : []),
    ...(rejected > 0 ? [`${rejected} to reject`] : []),
    ...(waiting > 0 ? [`${waiting} keep waiting`] : []),
  ];
  // What is rejected is shown first, because it is the exception.
  const order: Verdict[] = ['reject', 'approve'];
  const chosen = order.flatMap((wanted) => verdicts.filter(({ verdict }) => verdict === wanted));
  const shown = chosen.slice(0, maxPicturesShown).map(({ asset: { key, pictures }, verdict }) => {
    const paths = pictures.map(({ path }) => path).join(', ');
    return escapeForTerminal(`  ${verdict.padEnd(7)}  ${key}  ${paths}`);
  });
  const places = [...new Set(verdicts.map(({ asset }) => locationOf(asset.review) ?? ''))];
  const rest = chosen.length - shown.length;
  return [
    `${paint('bold', run)}  ${formatCount(all, 'asset')} ${all === 1 ? 'waits' : 'wait'} for approval: ${acts.join(', ')}`,
    ...shown,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `Their pictures are in ${escapeForTerminal(places.filter((place) => place !== '').join(', '))}`,
  ].join('\n');
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
  const { run, canary, pictures, decided } = shape;
  if (decided !== null) return formatDecided(run, decided);
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

function formatDecided(run: string, { approved, rejected, waiting }: VerdictCounts): string {
  const done = [
    ...(approved > 0 ? [`${formatCount(approved, 'asset')} approved`] : []),
    ...(rejected > 0 ? [`${formatCount(rejected, 'asset')} rejected`] : []),
  ].join(', ');
  if (waiting > 0)
    return `${done}; ${waiting} still ${waiting === 1 ? 'waits' : 'wait'}: renderline approve ${run}`;
  return `${done}. Follow the run: renderline show ${run} --wait`;
}
