// The details page of a run in the Temporal UI: Markdown that is also readable as plain text.
import { canaryWaitCode } from '../src/plan/contract/canary.ts';
import type { RunProgress } from '../src/plan/contract/contract.ts';
import { formatListing } from '../src/plan/contract/format-listing.ts';
import { reportLocation } from '../src/plan/contract/report-contract.ts';
import { rerunCommand } from '../src/plan/run/rerun-command.ts';
import type {
  Outcome,
  ShardProgress,
  StepCount,
  StepWait,
  Totals,
} from '../src/plan/shard/totals.ts';
import { formatInFlight } from '../src/plan/shard/window.ts';
import type { Failure, Plan } from '../src/plan/types.ts';

const maxFailuresShown = 10;

export function describeShard(plan: Plan, progress: ShardProgress, paused: boolean): string {
  return [
    `**${escapeMarkdown(plan.pipeline)}**, shard ${progress.shard + 1}: ${formatTotals(progress.totals)}${paused ? ' (paused)' : ''}`,
    '',
    ...Object.entries(progress.waits ?? {}).flatMap(holdLines),
    ...stepTable(plan, progress.steps),
    ...formatFailures(progress.failures),
  ].join('\n');
}

function holdLines([step, { assets, hold }]: [string, StepWait]): string[] {
  return hold ? [`${step}: ${assets} waiting for ${hold.for}, until ${hold.until}.`, ''] : [];
}

/** Formats the details of a run. @param outcome null while the run is open */
export function runDetails(
  plan: Plan,
  progress: RunProgress,
  outcome: Outcome | null = null,
): string {
  const discovery = progress.discovery;
  return [
    `**${escapeMarkdown(plan.pipeline)}**: ${formatHeadline(progress, outcome)}`,
    '',
    ...(discovery
      ? [
          `Assets: ${discovery.total} found, ${discovery.new} new, ${discovery.changed} changed, ${discovery.unchanged} unchanged. ` +
            `Shards: ${progress.shardsDone} of ${discovery.pages} done.`,
          '',
        ]
      : []),
    `${formatInFlight(progress.inFlight)}.`,
    '',
    ...(progress.host === undefined
      ? []
      : [
          `Runs on the host ${escapeMarkdown(progress.host)}, and waits if that host has no worker.`,
          '',
        ]),
    ...formatDeadline(progress),
    ...stepTable(plan, progress.steps),
    ...formatFailures(progress.failures),
    ...formatCause(progress),
    ...rerunLines(progress, outcome),
    ...reportLines(plan, progress),
  ].join('\n');
}

function formatDeadline({ deadline }: RunProgress): string[] {
  if (deadline === undefined) return [];
  const sentences = {
    late: ' The run is late.',
    expected: ' At its current pace the run will be late.',
  };
  const { dueAt, lateness } = deadline;
  return [`Deadline: ${dueAt}.${lateness === null ? '' : sentences[lateness]}`, ''];
}

/** Returns the next command for a run that has not delivered everything. */
function rerunLines({ run, discovery }: RunProgress, outcome: Outcome | null): string[] {
  if (outcome === null || outcome === 'complete' || discovery === null) return [];
  return ['', `Rerun what was not delivered: \`${rerunCommand(run, {})}\``];
}

function reportLines(plan: Plan, { run, state }: RunProgress): string[] {
  const location = reportLocation(plan, run);
  if (location === null) return [];
  return ['', state === 'finished' ? `Report: ${location}` : `Its report will be ${location}.`];
}

function formatCause({ state, cause, canary }: RunProgress): string[] {
  const lines = cause
    ? [
        `${state === 'paused' ? 'Paused' : 'Stopped'}: ${cause.code}: ${escapeMarkdown(cause.message)}. ${cause.fix}`,
      ]
    : [];
  const asks = canary?.state === 'waiting' && cause?.code !== canaryWaitCode;
  if (asks) lines.push(`Then the run waits for approval, until ${canary.until}.`);
  return lines.flatMap((line) => ['', line]);
}

function formatHeadline(progress: RunProgress, outcome: Outcome | null): string {
  if (progress.discovery === null && outcome !== null)
    return `${outcome} before it found its assets`;
  if (progress.state === 'discovering') return 'discovering assets';
  const summary = `${outcome?.replace('_', ' ') ?? progress.state}, ${formatTotals(progress.totals)}`;
  const listing = progress.discovery && formatListing(progress.discovery);
  return listing ? `${summary}; ${listing}` : summary;
}

export function formatTotals(totals: Totals): string {
  const parts = [`${totals.complete} of ${totals.total} complete`];
  if (totals.failed > 0) parts.push(`${totals.failed} failed`);
  if (totals.skipped > 0) parts.push(`${totals.skipped} skipped`);
  return parts.join(', ');
}

function stepTable(plan: Plan, steps: Record<string, StepCount>): string[] {
  const rows = plan.steps.flatMap((step) => {
    const count = steps[step.id];
    return count
      ? [`| ${step.id} | ${count.waiting} | ${count.running} | ${count.done} | ${count.failed} |`]
      : [];
  });
  if (rows.length === 0) return [];
  return ['| step | waiting | now | done | failed |', '|---|---|---|---|---|', ...rows];
}

function formatFailures(failures: readonly Failure[]): string[] {
  if (failures.length === 0) return [];
  const shownFailures = failures.slice(0, maxFailuresShown);
  const hiddenCount = failures.length - shownFailures.length;
  return [
    '',
    'Failed:',
    '',
    ...shownFailures.map(
      ({ key, code, node, message }) =>
        `- ${escapeMarkdown(key)}: ${code} at ${node}: ${escapeMarkdown(message)}`,
    ),
    ...(hiddenCount > 0 ? [`- and ${hiddenCount} more`] : []),
  ];
}

/** Characters that Markdown reads as links, HTML, code, table cells or addresses. */
const markupCharacters = /[\\`[\]<>|]|:(?=\/\/)|(?<=\bwww)\./gi;
/** Control characters, line separators and characters that change the reading direction. */
const lineBreaks = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Returns the text on one line, with `markupCharacters` escaped. */
function escapeMarkdown(text: string): string {
  return text.replace(lineBreaks, ' ').replace(markupCharacters, String.raw`\$&`);
}
