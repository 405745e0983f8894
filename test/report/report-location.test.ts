// Where the report of a run is written, and how its page links to files.
import { expect, test } from 'vitest';
import { linkBetween } from '../../src/features/report-page.ts';
import { reportPath } from '../../src/plan/contract/report-contract.ts';

test.each([
  ['reports', 'reports/run-1.html'],
  ['a/b/', 'a/b/run-1.html'],
])('the report in the folder %s has the path %s', (folder, path) => {
  expect(reportPath(folder, 'run-1')).toBe(path);
});

test.each([
  ['shoes/a b#1?.png', '../shoes/a%20b%231%3F.png'],
  ['reports/x.png', './x.png'],
  ['x:y.png', '../x%3Ay.png'],
])('a link from the report to %s is %s', (path, link) => {
  expect(linkBetween('reports/run-1.html', path)).toBe(link);
});
