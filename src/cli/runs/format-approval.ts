// Formats what waits for approval in a run, and the result of the approval.

import {
  type ApprovalPreview,
  type ApprovalRequest,
  type ApprovalResult,
  awaitsPictureApproval,
  type RemainingWork,
} from '../../app/approvals/approval.ts';
import type { EarlierDecision, PictureVerdict } from '../../app/approvals/decide.ts';
import type { ApprovalVerdict, AssetVerdict, VerdictCounts } from '../../app/approvals/verdicts.ts';
import { formatOutcomes, formatUtcMinutes } from '../../plan/contract/canary.ts';
import {
  formatCount,
  formatCountRange,
  formatUpperBound,
} from '../../plan/helpers/format-count.ts';
import { formatPercent } from '../../plan/helpers/format-percent.ts';
import { locationOf } from '../../plan/run/location.ts';
import { rerunCommand } from '../../plan/run/rerun-command.ts';
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
      return formatChangedPictures(preview, paint);
  }
}

/** The question to a person, and in `waits` the text that is shown if the person does not answer. */
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
      if (preview.verdicts.length === 0)
        return { question: 'Resume the run?', waits: 'The run still waits. Resume it' };
      return {
        question: formatActions(preview.counts, 'Deliver', 'changed picture'),
        waits: 'The pictures still wait. Decide about them',
      };
    case 'assets':
      return {
        question: formatActions(preview.counts, 'Approve', 'asset'),
        waits: 'The assets still wait. Decide about them',
      };
  }
}

function formatActions(
  { approved, rejected }: VerdictCounts,
  approve: string,
  what: string,
): string {
  const actions = [
    ...(approved > 0 ? [`${approve} ${formatCount(approved, what)}`] : []),
    ...(rejected > 0
      ? [`${approved > 0 ? 'reject' : 'Reject'} ${formatCount(rejected, what)}`]
      : []),
  ];
  return `${actions.join(' and ')}?`;
}

function formatVerdicts(
  run: string,
  verdicts: readonly AssetVerdict[],
  counts: VerdictCounts,
  paint: Paint,
): string {
  const all = verdicts.length;
  const chosen = chosenOf(verdicts);
  const shown = chosen.slice(0, maxPicturesShown).map(({ asset: { key, pictures }, verdict }) => {
    const paths = pictures.map(({ path }) => path).join(', ');
    return escapeForTerminal(`  ${verdict.padEnd(7)}  ${key}  ${paths}`);
  });
  const places = [...new Set(verdicts.map(({ asset }) => locationOf(asset.review) ?? ''))];
  const rest = chosen.length - shown.length;
  return [
    `${paint('bold', run)}  ${formatCount(all, 'asset')} ${all === 1 ? 'waits' : 'wait'} for approval: ${formatCounts(counts)}`,
    ...shown,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `Their pictures are in ${escapeForTerminal(places.filter((place) => place !== '').join(', '))}`,
  ].join('\n');
}

/** Verdicts to reject come first, because they are the exception. Verdicts to wait are omitted. */
function chosenOf<One extends { verdict: ApprovalVerdict }>(verdicts: readonly One[]): One[] {
  const order: ApprovalVerdict[] = ['reject', 'approve'];
  return order.flatMap((wanted) => verdicts.filter(({ verdict }) => verdict === wanted));
}

function formatCounts({ approved, rejected, waiting }: VerdictCounts): string {
  const actions = [
    ...(approved > 0 ? [`${approved} to approve`] : []),
    ...(rejected > 0 ? [`${rejected} to reject`] : []),
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'keeps' : 'keep'} waiting`] : []),
  ];
  return actions.join(', ');
}

export function formatApprovalRequest(
  request: ApprovalRequest,
  cost: RemainingWork | null,
  paint: Paint,
): string {
  const { run, until, canary, remaining, destinations, files, failures } =
    escapeForTerminal(request);
  // Files of assets whose side steps are still running are not recorded yet.
  const number = files === 0 ? '' : `${files} `;
  return [
    `${paint('bold', run)}  waits for approval until ${formatUtcMinutes(until)}`,
    `  done      ${formatCount(canary.total, 'asset')}: ${formatOutcomes(canary)}`,
    ...(destinations === null ? [] : [`  files     ${number}in ${destinations}`]),
    `  remaining ${[formatCount(remaining, 'asset'), ...formatCost(cost)].join(', ')}`,
    ...(failures.length === 0 ? [] : [...formatFailuresByCause(failures, paint), '']),
  ].join('\n');
}

function formatCost(cost: RemainingWork | null): string[] {
  if (cost === null) return [];
  const { requests, renders, max } = cost;
  return [
    `about ${formatCountRange(requests.total, requests.max, 'request')}`,
    formatUpperBound(renders, 'render job', max),
  ];
}

interface ChangedPictures {
  run: string;
  verdicts: readonly (Pick<PictureVerdict, 'verdict'> & {
    asset: Pick<PictureVerdict['asset'], 'path' | 'share'>;
  })[];
  counts: VerdictCounts;
  destinations: string | null;
}

export function formatChangedPictures(
  { run, verdicts, counts, destinations }: ChangedPictures,
  paint: Paint,
): string {
  if (verdicts.length === 0)
    return `${paint('bold', run)}  all changed pictures are decided; the run waits to be resumed`;
  const chosen = chosenOf(verdicts);
  const first = escapeForTerminal(chosen.slice(0, maxPicturesShown));
  const width = Math.max(0, ...first.map(({ asset }) => formatPercent(asset.share).length));
  const rest = chosen.length - first.length;
  const place = destinations === null ? '' : ` in ${escapeForTerminal(destinations)}`;
  return [
    `${paint('bold', run)}  waits for approval of ${formatCount(verdicts.length, 'changed picture')}: ${formatCounts(counts)}`,
    ...first.map(
      ({ asset: { path, share }, verdict }) =>
        `  ${verdict.padEnd(7)}  ${formatPercent(share).padStart(width)} changed  ${path}`,
    ),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `The old pictures are still${place || ' in place'}. Before and after, side by side: renderline report ${run}`,
  ].join('\n');
}

export function formatApprovalResult({ shape, progress }: ApprovalResult): string {
  const { run, decided, earlier } = shape;
  if (decided !== null) {
    const what = shape.pictures.length > 0 ? 'picture' : 'asset';
    const mayWait = decided.waiting > 0 || awaitsPictureApproval(progress);
    return [...formatEarlier(earlier), formatDecided(run, decided, what, mayWait)].join('\n');
  }
  if (progress === null) {
    return `The approval of ${run} was sent; no worker has answered yet. See: renderline show ${run}`;
  }
  if (progress.state === 'paused') {
    return `${run} is approved, but still paused.\nResume it: renderline resume ${run}`;
  }
  return `${run} is approved and continues. Follow it: renderline show ${run} --wait`;
}

function formatDecided(
  run: string,
  { approved, rejected }: VerdictCounts,
  what: string,
  mayWait: boolean,
): string {
  const done = [
    ...(approved > 0 ? [`${formatCount(approved, what)} approved`] : []),
    ...(rejected > 0 ? [`${formatCount(rejected, what)} rejected`] : []),
  ];
  const actions = done.length === 0 ? 'Nothing was decided' : done.join(', ');
  const again = `Once corrected, render the rejected again: ${rerunCommand(run, { failed: true })}`;
  return [
    mayWait
      ? `${actions}. More wait: renderline approve ${run}`
      : `${actions}. Follow the run: renderline show ${run} --wait`,
    ...(rejected > 0 ? [again] : []),
  ].join('\n');
}

/** Formats earlier decisions of other people, which remain valid. */
function formatEarlier(earlier: readonly EarlierDecision[]): string[] {
  if (earlier.length === 0) return [];
  const shown = earlier.slice(0, maxPicturesShown).map(({ key, outcome, by, at, reason }) => {
    const why = reason === undefined ? '' : `: ${reason}`;
    return escapeForTerminal(`  ${key}  ${outcome} by ${by} on ${formatUtcMinutes(at)}${why}`);
  });
  const rest = earlier.length - shown.length;
  return [
    'Somebody else decided these first. Their decisions stand:',
    ...shown,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}
