// Formats test results for the terminal. Pure.

import type { TestResult } from '../../app/testing/run-test.ts';
import { formatProblems } from '../../compile/yaml/problem.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Paint } from '../color.ts';
import { formatFailuresByCause } from '../runs/run-summary.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const outcomeMarks = {
  passed: ['green', '✓'],
  failed: ['red', '✗'],
  skipped: ['yellow', '-'],
} as const;

/** Formats a result as one line. If the test failed, all details follow. */
export function formatResult(result: TestResult, paint: Paint): string {
  const { name, outcome, ms, reason } = escapeForTerminal(result);
  const [color, mark] = outcomeMarks[outcome];
  const time = outcome === 'skipped' ? `skipped: ${reason}` : `${(ms / 1_000).toFixed(1)} s`;
  const head = `${paint(color, mark)} ${name} ${paint('dim', time)}`;
  return outcome === 'failed' ? [head, ...formatFailedTest(result, paint)].join('\n') : head;
}

/** Formats why a test failed, as lines without the test's name. */
export function formatFailedTest(
  { file, line, reason, mismatches, runs }: TestResult,
  paint: Paint,
): string[] {
  const lines = mismatches.flatMap((mismatch) => [
    `    ${file}:${mismatch.line}:${mismatch.col} expect.${mismatch.path.join('.')}`,
    `      expected  ${mismatch.expected}`,
    `      got       ${paint('red', mismatch.got)}`,
  ]);
  if (reason !== '')
    lines.push(...`${file}:${line} ${reason}`.split('\n').map((part) => `    ${part}`));
  const last = runs.at(-1);
  if (last === undefined) return lines;
  const { facts, reports, problems } = last;
  const label = runs.length > 1 ? `run ${runs.length}` : 'the run';
  lines.push(`    ${label}: ${facts.outcome}${facts.cause === null ? '' : `, ${facts.cause}`}`);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) lines.push(...indentLines(formatProblems(errors, null)));
  for (const { shape, remark } of reports) {
    const { cause, failures } = shape;
    if (cause !== null) lines.push(...indentLines(`${cause.code}: ${cause.message}`));
    if (remark !== null) lines.push(...indentLines(remark));
    if (failures.length > 0) {
      lines.push(...formatFailuresByCause(failures, paint).slice(1).flatMap(indentLines));
    }
  }
  return lines;
}

function indentLines(text: string): string[] {
  return text.split('\n').map((line) => `      ${line}`);
}

/** Formats the last line of the output, with counts by outcome and the duration. */
export function formatSummary(results: readonly TestResult[], ms: number, paint: Paint): string {
  const countOf = (outcome: TestResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  const [failed, skipped] = [countOf('failed'), countOf('skipped')];
  const parts = [
    ...(failed > 0 ? [paint('red', `${failed} failed`)] : []),
    paint('green', `${countOf('passed')} passed`),
    ...(skipped > 0 ? [paint('yellow', `${skipped} skipped`)] : []),
  ];
  return `${formatCount(results.length, 'test')}: ${parts.join(', ')} ${paint('dim', `in ${(ms / 1_000).toFixed(1)} s`)}`;
}
