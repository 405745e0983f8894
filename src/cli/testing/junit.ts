// Formats test results as JUnit XML for CI servers. Pure.

import type { TestResult } from '../../app/testing/run-test.ts';
import { createPaint } from '../color.ts';
import { formatFailedTest } from './format.ts';

/** Formats one suite per test file, in the order of the results. */
export function formatJunitXml(results: readonly TestResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((file) =>
    formatSuite(
      file,
      results.filter((result) => result.file === file),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${countAttributes(results)}>\n${suites.join('')}</testsuites>\n`;
}

function formatSuite(file: string, results: readonly TestResult[]): string {
  const cases = results.map((result) => testCase(file, result)).join('');
  return `  <testsuite name="${escapeXml(file)}" ${countAttributes(results)}>\n${cases}  </testsuite>\n`;
}

function testCase(file: string, result: TestResult): string {
  const { name, ms, line, outcome, reason } = result;
  const head = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(file)}" file="${escapeXml(file)}" line="${line}" time="${formatSeconds(ms)}"`;
  if (outcome === 'passed') return `${head}/>\n`;
  if (outcome === 'skipped')
    return `${head}><skipped message="${escapeXml(reason)}"/></testcase>\n`;
  const lines = formatFailedTest(result, noColor);
  const message = escapeXml(
    lines
      .slice(0, 3)
      .map((part) => part.trim())
      .join(' '),
  );
  const text = escapeXml(lines.join('\n'));
  return `${head}>\n      <failure message="${message}">${text}</failure>\n    </testcase>\n`;
}

const noColor: ReturnType<typeof createPaint> = (_style, text) => text;

function countAttributes(results: readonly TestResult[]): string {
  const countOf = (outcome: TestResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  const ms = results.reduce((sum, result) => sum + result.ms, 0);
  return `tests="${results.length}" failures="${countOf('failed')}" errors="0" skipped="${countOf('skipped')}" time="${formatSeconds(ms)}"`;
}

function formatSeconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes text. Replaces characters that XML cannot contain with U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replace(/[&<>"]/g, (char) => entities[char] ?? char)
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '�');
}
