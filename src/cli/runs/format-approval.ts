// Formats what in a run is waiting for approval, and the result of the approval.

import {
  type ApprovalPreview,
  type ApprovalRequest,
  type ApprovalResult,
  isAwaitingPictures,
  type RemainingWork,
} from '../../app/approvals/approval.ts';
import type { EarlierDecision, PictureVerdict } from '../../app/approvals/decide.ts';
import {
  type ApprovalVerdict,
  type AssetVerdict,
  countVerdicts,
  type VerdictCounts,
} from '../../app/approvals/verdicts.ts';
import { formatOutcomes, formatUtcMinutes } from '../../plan/contract/canary.ts';
import { formatCount, formatCountRange } from '../../plan/helpers/format-count.ts';
import { formatPercent } from '../../plan/helpers/format-percent.ts';
import { formatRenders } from '../../plan/helpers/format-renders.ts';
import { limitLines } from '../../plan/helpers/limit-lines.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { locationOf } from '../../plan/run/location.ts';
import { rerunCommand } from '../../plan/run/rerun-command.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { maxLengthOf } from '../text-width.ts';
import { formatFailuresByCause } from './run-summary.ts';

type Verdicts = Parameters<typeof countVerdicts>[0];

const maxPicturesShown = 20;
const formatRest = (rest: number) => `  and ${rest} more`;

/** Formats what a person needs for the decision. */
export function formatApprovalPreview(preview: ApprovalPreview, paint: Paint): string {
  const { run } = preview;
  switch (preview.kind) {
    case 'approved-before':
      return `${run} is already approved. See: renderline show ${run}`;
    case 'canary':
      return formatApprovalRequest(preview.request, preview.cost, paint);
    case 'assets':
      return formatVerdicts(run, preview.verdicts, paint);
    case 'pictures':
      return formatChangedPictures(preview, paint);
  }
}

/** Formats the question to a person. `waits` is the text that is shown if the person does not answer. */
export function formatApprovalQuestion(
  preview: Exclude<ApprovalPreview, { kind: 'approved-before' }>,
): { question: string; waits: string } {
  switch (preview.kind) {
    case 'canary':
      return {
        question: `Continue with ${formatCount(preview.request.remaining, 'more asset')}?`,
        waits: 'The run is waiting. Approve it',
      };
    case 'pictures':
      if (preview.verdicts.length === 0)
        return { question: 'Resume the run?', waits: 'The run is waiting. Resume it' };
      return {
        question: formatActions(preview.verdicts, 'Deliver', 'changed picture'),
        waits: 'The pictures are waiting. Decide on them',
      };
    case 'assets':
      return {
        question: formatActions(preview.verdicts, 'Approve', 'asset'),
        waits: 'The assets are waiting. Decide on them',
      };
  }
}

function formatActions(verdicts: Verdicts, approve: string, unit: string): string {
  const { approved, rejected } = countVerdicts(verdicts);
  const actions = withoutFalse([
    approved > 0 && `${approve} ${formatCount(approved, unit)}`,
    rejected > 0 && `${approved > 0 ? 'reject' : 'Reject'} ${formatCount(rejected, unit)}`,
  ]);
  return `${actions.join(' and ')}?`;
}

function formatVerdicts(run: string, verdicts: readonly AssetVerdict[], paint: Paint): string {
  const total = verdicts.length;
  const lines = chosenOf(verdicts).map(({ asset: { key, pictures }, verdict }) => {
    const paths = pictures.map(({ path }) => path).join(', ');
    return escapeForTerminal(`  ${verdict.padEnd(7)}  ${key}  ${paths}`);
  });
  const locations = [...new Set(verdicts.map(({ asset }) => locationOf(asset.review) ?? ''))];
  return [
    `${paint('bold', run)}  ${formatCount(total, 'asset')} ${total === 1 ? 'is' : 'are'} waiting for approval: ${formatCounts(verdicts)}`,
    ...limitLines(lines, maxPicturesShown, formatRest),
    `The pictures are in ${escapeForTerminal(locations.filter((location) => location !== '').join(', '))}`,
  ].join('\n');
}

/** Rejections come first, because they are the exception. `wait` verdicts are omitted. */
function chosenOf<One extends { verdict: ApprovalVerdict }>(verdicts: readonly One[]): One[] {
  const order: ApprovalVerdict[] = ['reject', 'approve'];
  return order.flatMap((kind) => verdicts.filter(({ verdict }) => verdict === kind));
}

function formatCounts(verdicts: Verdicts): string {
  const { approved, rejected, waiting } = countVerdicts(verdicts);
  return withoutFalse([
    approved > 0 && `${approved} to approve`,
    rejected > 0 && `${rejected} to reject`,
    waiting > 0 && `${waiting} ${waiting === 1 ? 'keeps' : 'keep'} waiting`,
  ]).join(', ');
}

export function formatApprovalRequest(
  request: ApprovalRequest,
  cost: RemainingWork | null,
  paint: Paint,
): string {
  const { run, until, canary, remaining, destinations, files, failures } =
    escapeForTerminal(request);
  // The number may be unknown, because files of assets whose side steps are still running are not yet recorded.
  const number = files === 0 ? '' : `${files} `;
  return [
    `${paint('bold', run)}  is waiting for approval until ${formatUtcMinutes(until)}`,
    `  done      ${formatCount(canary.total, 'asset')}: ${formatOutcomes(canary)}`,
    ...(destinations === null ? [] : [`  files     ${number}in ${destinations}`]),
    `  remaining ${[formatCount(remaining, 'asset'), ...formatCost(cost)].join(', ')}`,
    ...(failures.length === 0 ? [] : [...formatFailuresByCause(failures, paint), '']),
  ].join('\n');
}

function formatCost(cost: RemainingWork | null): string[] {
  if (cost === null) return [];
  const { requests } = cost;
  return [
    `about ${formatCountRange(requests.total, requests.max, 'request')}`,
    formatRenders(cost, 'render job'),
  ];
}

interface ChangedPictures {
  run: string;
  verdicts: readonly (Pick<PictureVerdict, 'verdict'> & {
    asset: Pick<PictureVerdict['asset'], 'path' | 'share'>;
  })[];
  destinations: string | null;
}

export function formatChangedPictures(
  { run, verdicts, destinations }: ChangedPictures,
  paint: Paint,
): string {
  if (verdicts.length === 0)
    return `${paint('bold', run)}  all changed pictures are decided; the run is waiting to be resumed`;
  const width = maxLengthOf(verdicts.map(({ asset }) => formatPercent(asset.share)));
  const lines = chosenOf(verdicts).map(
    ({ asset: { path, share }, verdict }) =>
      `  ${verdict.padEnd(7)}  ${formatPercent(share).padStart(width)} changed  ${path}`,
  );
  const location = destinations === null ? '' : ` in ${escapeForTerminal(destinations)}`;
  return [
    `${paint('bold', run)}  is waiting for approval of ${formatCount(verdicts.length, 'changed picture')}: ${formatCounts(verdicts)}`,
    ...limitLines(escapeForTerminal(lines), maxPicturesShown, formatRest),
    `The old pictures are still${location || ' in place'}. Before and after, side by side: renderline report ${run}`,
  ].join('\n');
}

export function formatApprovalResult({ shape, progress }: ApprovalResult): string {
  const { run, decided, earlier } = shape;
  if (decided !== null) {
    const unit = shape.pictures.length > 0 ? 'picture' : 'asset';
    const mayWait = decided.waiting > 0 || isAwaitingPictures(progress);
    return [...formatEarlier(earlier), formatDecided(run, decided, unit, mayWait)].join('\n');
  }
  if (progress === null) {
    return `The approval of ${run} was sent; no worker has responded yet. See: renderline show ${run}`;
  }
  if (progress.state === 'paused') {
    return `${run} is approved, but still paused.\nResume it: renderline resume ${run}`;
  }
  return `${run} is approved and continues. Follow it: renderline show ${run} --wait`;
}

function formatDecided(
  run: string,
  { approved, rejected }: VerdictCounts,
  unit: string,
  mayWait: boolean,
): string {
  const counts = withoutFalse([
    approved > 0 && `${formatCount(approved, unit)} approved`,
    rejected > 0 && `${formatCount(rejected, unit)} rejected`,
  ]);
  const actions = counts.join(', ') || 'Nothing was decided';
  return withoutFalse([
    mayWait
      ? `${actions}. More are waiting: renderline approve ${run}`
      : `${actions}. Follow the run: renderline show ${run} --wait`,
    rejected > 0 &&
      `Once corrected, render the rejected assets again: ${rerunCommand(run, { failed: true })}`,
  ]).join('\n');
}

function formatEarlier(decisions: readonly EarlierDecision[]): string[] {
  if (decisions.length === 0) return [];
  const lines = decisions.map(({ key, outcome, by, at, reason }) => {
    const note = reason === undefined ? '' : `: ${reason}`;
    return escapeForTerminal(`  ${key}  ${outcome} by ${by} on ${formatUtcMinutes(at)}${note}`);
  });
  return [
    'Somebody else has already decided about these assets. Their decisions stand:',
    ...limitLines(lines, maxPicturesShown, formatRest),
  ];
}
