import { escapeLines, escapeToOneLine } from '../../api/responses/plain-text.ts';
import { formatExcess } from '../../engine/cost/limit-excess.ts';
import { findFailure } from '../../features/failures.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFix } from '../../plan/helpers/format-fix.ts';
import { limitLines } from '../../plan/helpers/limit-lines.ts';
import type { PlanResult, PlanShape } from './plan-pipeline.ts';

const maxFilesShown = 20;
const maxSlotsShown = 10;

/** Formats the problems of a plan. Names are escaped, so that they cannot imitate another line. */
export function formatPlanRemarks({ shape, notInspected }: PlanResult): string[] {
  const { withdraws, refusals, warnings, names, excess } = shape;
  return [
    ...(withdraws?.warnings ?? []).map(formatWarning),
    ...firstOf(formatRefusals(refusals), maxFilesShown, (count) => `${count} more refused`),
    ...firstOf(warnings.map(formatWarning), maxFilesShown, (count) =>
      formatCount(count, 'more warning'),
    ),
    ...(notInspected > 0
      ? [`${formatCount(notInspected, 'file')} not inspected; the run may refuse some of them`]
      : []),
    ...formatSlotFindings(shape),
    ...(names ?? []).map(
      ({ node, code, message, fix }) =>
        `${escapeToOneLine(`${node}: ${code}: ${message}`)}\n  ${escapeLines(fix)}`,
    ),
    ...(excess.length > 0 ? [`The plan exceeds its limits:\n${formatExcess(excess)}`] : []),
  ];
}

/** Formats each refusal, and below the first one of each code its fix. */
function formatRefusals(refusals: PlanShape['refusals']): string[] {
  const explainedCodes = new Set<string>();
  return refusals.map(({ key, code, message }) => {
    const fix = explainedCodes.has(code) ? null : (findFailure(code)?.fix ?? null);
    explainedCodes.add(code);
    const line = escapeToOneLine(`refused ${key}: ${code}: ${message}`);
    return [line, ...formatFix(fix, '  ')].join('\n');
  });
}

/** Formats a warning as one line, even if its key contains a line break. */
export function formatWarning({ key, message }: { key: string; message: string }): string {
  return escapeToOneLine(`warning ${key}: ${message}`);
}

/** Formats the findings about slots that have not already led to a refusal. */
function formatSlotFindings({ slots, refusals }: PlanShape): string[] {
  const refusalKeys = new Set(refusals.map(({ key, code }) => `${key} ${code}`));
  const lines = (slots?.findings ?? []).flatMap(({ node, key, code, message }) =>
    refusalKeys.has(`${key} ${code}`)
      ? []
      : escapeToOneLine(`${key} at ${node}: ${code}: ${message}`),
  );
  return firstOf(lines, maxSlotsShown, (count) => `${count} more`);
}

function firstOf(
  lines: readonly string[],
  max: number,
  formatHidden: (count: number) => string,
): string[] {
  return limitLines(lines, max, (count) => `and ${formatHidden(count)}; --json lists all`);
}
