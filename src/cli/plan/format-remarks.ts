// Formats what a plan finds wrong: refused files, slots, names, withdrawals and limits.

import type { PipelinePlan, PlanShape } from '../../app/plan/plan-pipeline.ts';
import { formatExcess } from '../../engine/cost/check-limits.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { firstLines } from '../first-lines.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const filesShown = 20;
const slotsShown = 10;

export function formatPlanRemarks({ shape, notInspected }: PipelinePlan): string[] {
  const { withdraws, refusals, warnings, names, excess } = escapeForTerminal(shape);
  return [
    ...(withdraws?.warnings ?? []).map(({ key, message }) => `warning ${key}: ${message}`),
    ...firstLines(
      refusals.map(({ key, code, message }) => `refused ${key}: ${code}: ${message}`),
      filesShown,
      (rest) => `and ${rest} more refused; --json has all`,
    ),
    ...firstLines(
      warnings.map(({ key, message }) => `warning ${key}: ${message}`),
      filesShown,
      (rest) => `and ${rest} more warnings; --json has all`,
    ),
    ...(notInspected > 0
      ? [`${formatCount(notInspected, 'file')} not inspected: the run may refuse some of them`]
      : []),
    ...formatSlotFindings(shape),
    ...(names ?? []).map(
      ({ node, code, message, fix }) => `${node}: ${code}: ${message}\n  ${fix}`,
    ),
    ...(excess.length > 0 ? [`The plan exceeds its limits:\n${formatExcess(excess)}`] : []),
  ];
}

/** Findings that have not already led to a refusal. */
function formatSlotFindings({ slots, refusals }: PlanShape): string[] {
  const refused = new Set(refusals.map(({ key, code }) => `${key} ${code}`));
  const findings = (slots?.findings ?? []).filter(
    ({ key, code }) => !refused.has(`${key} ${code}`),
  );
  return firstLines(
    escapeForTerminal(findings).map(
      ({ node, key, code, message }) => `${key} at ${node}: ${code}: ${message}`,
    ),
    slotsShown,
    (rest) => `and ${rest} more; --json has all`,
  );
}
