// The output of the audit, and when it fails.
import { expect, it } from 'vitest';
import { verdictOf } from '../../../scripts/audit/verdict.ts';

const report = (...severities: string[]) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      severities.map((severity, at) => [`package-${at}`, { severity, range: '<=1.2.3', via: [] }]),
    ),
  });
const refusal = (message: string, statusCode?: number) =>
  JSON.stringify({ message, statusCode, error: { summary: '', detail: '' } });

it.each<[string, string, 0 | 1, RegExp]>([
  ['no vulnerabilities', report(), 0, /^No known vulnerabilities/],
  [
    'vulnerabilities that are not severe',
    report('low', 'moderate'),
    0,
    /^low: package-0 <=1\.2\.3\nmoderate: /,
  ],
  ['a severe vulnerability', report('low', 'high'), 1, /^low: .*\nhigh: package-1/],
  ['a critical vulnerability', report('critical'), 1, /^critical: /],
  ['a registry without the endpoint', refusal('405 Method Not Allowed', 405), 0, /^Skipped: .*405/],
  ['another registry without the endpoint', refusal('404 Not Found', 404), 0, /^Skipped: .*404/],
  ['a broken registry', refusal('502 Bad Gateway', 502), 1, /^The audit failed: 502 Bad/],
  ['no registry', refusal('connect ECONNREFUSED'), 1, /^The audit failed: connect ECONNREFUSED/],
  ['other output', 'npm: not found', 1, /^The audit failed: npm: not found/],
  ['no output', '', 1, /^The audit failed: npm audit printed nothing/],
])('the audit returns an exit code and output: %s', (_, text, exit, words) => {
  const verdict = verdictOf(text);
  expect(verdict.exit).toBe(exit);
  expect(verdict.lines.join('\n')).toMatch(words);
});
