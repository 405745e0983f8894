// Formats a run for people: its outcome, its counts, its failures by cause and the destination of its files.

import { pauseCommandsOf } from '../../app/runs/run-details.ts';
import { formatDestinations, type RunView } from '../../app/runs/run-shape.ts';
import { formatWait, isDecisionAwaited } from '../../app/runs/run-waits.ts';
import { groupFailures } from '../../features/failure-groups.ts';
import { canaryWaitCode, formatUtcMinutes } from '../../plan/contract/canary.ts';
import type { VerifiedCounts } from '../../plan/contract/verified-counts.ts';
import type { DeadlineProgress } from '../../plan/deadline.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { formatFix } from '../../plan/helpers/format-fix.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { limitLines } from '../../plan/helpers/limit-lines.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { formatExport } from '../../plan/run/export-tally.ts';
import { formatPaid } from '../../plan/run/paid-work.ts';
import { formatRerunSelection } from '../../plan/run/rerun.ts';
import { rerunCommand } from '../../plan/run/rerun-command.ts';
import { formatStartPoints } from '../../plan/run/start-points.ts';
import { failureNounOf } from '../../plan/run/workflow-failure-codes.ts';
import { formatTotals } from '../../plan/shard/format-totals.ts';
import { formatInFlight } from '../../plan/shard/window.ts';
import type { Failure } from '../../plan/types.ts';
import { formatWithdrawn } from '../../plan/withdrawal.ts';
import { colorOfState, type Paint } from '../color.ts';
import { labelLines } from '../lists.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxGroupsShown = 12;
const maxKeysShown = 3;
const maxWarningsShown = 5;

export function summarizeRun(run: RunView, nowMs: number, paint: Paint): string {
  const shape = escapeForTerminal(run);
  const { assets, files, requests, historyEvents, seconds } = shape;
  const head = `${paint('bold', shape.run ?? shape.pipeline)}  ${paint(colorOfState(shape.outcome), shape.outcome.replaceAll('_', ' '))}`;
  const spent = `${formatCount(requests.total, 'API request')}, ${formatCount(historyEvents, 'history event')}`;
  const cost = `${shape.unknown === null ? spent : 'requests unknown'}, ${formatSeconds(seconds)}`;
  const lines = [
    head,
    ...(shape.rerun ? [`  rerun of  ${formatRerunSelection(shape.rerun)}`] : []),
    `  assets    ${formatAssetCounts(shape)}`,
    ...(shape.inFlight ? [`  now       ${formatInFlight(shape.inFlight)}`] : []),
    ...labelLines(
      '  waits     ',
      shape.waits.map((wait) => formatWait(wait, nowMs)),
    ),
    ...(shape.deadline ? [`  deadline  ${formatDeadline(shape.deadline, paint)}`] : []),
    ...(shape.waits.some(isDecisionAwaited)
      ? [`  decide    renderline approve ${shape.run ?? ''}`]
      : []),
    ...formatStartPoints(shape.startPoints).map((line) => `  repeated  ${line}`),
    ...(shape.verified ? [`  verified  ${formatVerified(shape.verified)}`] : []),
    ...(shape.discovered ? [`  paid      ${formatPaid(shape.paid)}`] : []),
    `  cost      ${cost}`,
    ...shape.exports.map((counts) => `  ${counts.node.padEnd(8)}  ${formatExport(counts)}`),
  ];
  if (shape.exports.length === 0 && files.length > 0)
    lines.push(`  files     ${formatNumber(files.length)} in ${formatDestinations(shape) ?? '?'}`);
  if (shape.withdrawn) lines.push(`  withdrawn ${formatWithdrawn(shape.withdrawn)}`);
  if (shape.deleted.length > 0) lines.push(`  deleted   ${formatDeletedResources(shape)}`);
  const isIdle = assets.unchanged === assets.total && shape.withdrawn === null;
  if (shape.outcome === 'complete' && isIdle) {
    const reason = assets.total === 0 ? 'there are no assets' : 'no asset is new or changed';
    lines.push(`  nothing to do: ${reason}`);
  }
  return [
    ...lines,
    ...formatWarnings(shape, paint),
    ...formatCause(shape, paint),
    ...formatFailures(shape, paint),
  ].join('\n');
}

function formatAssetCounts({ discovered, outcome, assets, unknown }: RunView): string {
  if (!discovered && unknown !== null) return 'unknown';
  if (!discovered) {
    return outcome === 'running' || outcome === 'paused'
      ? 'being discovered'
      : 'unknown: the run ended before it had discovered them';
  }
  return withoutFalse([formatTotals(assets), unknown !== null && 'according to its records']).join(
    ', ',
  );
}

export function formatVerified(counts: VerifiedCounts): string {
  const { files, bytes, sources, outputs, unknown } = counts;
  const findings = withoutFalse([
    sources > 0 && `${formatCount(sources, 'source')} with changed content`,
    outputs > 0 && `${formatCount(outputs, 'asset')} to be delivered again`,
    unknown > 0 && `${formatCount(unknown, 'source')} hashed for the first time`,
  ]);
  const amount = `${formatCount(files, 'file')} read, ${formatCount(bytes, 'byte')}`;
  return `${amount}: ${findings.join(', ') || 'all unchanged'}`;
}

/** Counts deleted resources by kind, for example `2 projects, 2 models of earlier versions`. */
function formatDeletedResources({ deleted }: RunView): string {
  const groups = [...groupBy(deleted, ({ kind }) => kind)];
  const counts = groups.map(([kind, resources]) => formatCount(resources.length, kind));
  return `${counts.join(', ')} of earlier versions`;
}

function formatCause({ run, outcome, cause, canary }: RunView, paint: Paint): string[] {
  const lines =
    cause === null
      ? []
      : ['', `${paint('yellow', cause.code)}: ${cause.message}`, ...formatFix(cause.fix, '')];
  if (run !== null && outcome === 'paused' && cause !== null)
    lines.push(...pauseCommandsOf(run, cause));
  const later = canary?.state === 'waiting' && cause?.code !== canaryWaitCode;
  if (later)
    lines.push('', `The run also waits for approval until ${formatUtcMinutes(canary.until)}.`);
  return lines;
}

function formatDeadline({ dueAt, lateness }: DeadlineProgress, paint: Paint): string {
  const deadline = formatUtcMinutes(dueAt);
  if (lateness === null) return deadline;
  return `${deadline}; ${paint('yellow', lateness === 'late' ? 'late' : 'will be late at the current pace')}`;
}

function formatWarnings({ warnings }: RunView, paint: Paint): string[] {
  const lines = warnings.map(
    ({ key, message }) => `  ${paint('yellow', 'warning')}   ${key}: ${message}`,
  );
  const formatRest = (rest: number) => `  and ${formatCount(rest, 'more warning')}`;
  return limitLines(lines, maxWarningsShown, formatRest);
}

function formatFailures(shape: RunView, paint: Paint): string[] {
  if (shape.failures.length === 0) return [];
  return [
    ...formatFailuresByCause(shape.failures, paint),
    '',
    `All failures by cause: renderline failures ${shape.run}`,
    ...(shape.outcome === 'running' || shape.outcome === 'paused'
      ? []
      : [`Rerun them: ${rerunCommand(shape.run ?? '', { failed: true })}`]),
  ];
}

/** Formats failures grouped by cause, after an empty line. */
export function formatFailuresByCause(failures: readonly Failure[], paint: Paint): string[] {
  const groups = groupFailures(escapeForTerminal(failures));
  const texts = groups.map((group) => {
    const node = group.node === '' ? '' : ` at ${group.node}`;
    const noun = failureNounOf(group.code);
    return [
      `  ${paint('red', group.code)}${node}: ${formatCount(group.count, noun)} (${formatFirst(group.keys, maxKeysShown)})`,
      `    ${group.message}`,
      ...formatFix(group.fix, '    '),
    ].join('\n');
  });
  const formatRest = (rest: number) => `  and ${formatCount(rest, 'more cause')}`;
  return ['', 'Failed, by cause:', ...limitLines(texts, maxGroupsShown, formatRest)];
}
