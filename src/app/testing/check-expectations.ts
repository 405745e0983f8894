// Compares the result of a run with the expectations of a test. Pure.

import { computeDays, startTimesOn, toScheduleDays } from '../../compile/schedule/schedule-days.ts';
import type { ScheduleDeclaration } from '../../compile/schedule.ts';
import { type Bounds, type Expect, parseTimeBound } from '../../compile/test-file/test-file.ts';
import type { Path } from '../../compile/yaml/document.ts';
import { listNextStarts } from '../../language/next-starts.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { type RunShape, sumRequests } from '../runs/run-shape.ts';
import { parseMoment } from '../schedules/backfill.ts';

/** The result of a run, or of all runs that events started. */
export interface TestedRun {
  outcome: RunShape['outcome'] | 'invalid';
  cause: string | null;
  /** Number of runs. It is 0 if the pipeline is invalid, and 1 otherwise, unless events start runs. */
  runs: number;
  assets: RunShape['assets'];
  /** Paths relative to the destination. */
  files: string[];
  failures: { key: string; code: string; node: string; message: string }[];
  /** Strings of the form `KEY: message`. */
  warnings: string[];
  requests: Record<string, number>;
  notices: ReceivedNotice[];
  /** Total duration of the runs, in skipped time. */
  ms: number;
}

export interface ReceivedNotice {
  url: string;
  type: string;
  outcome: string;
  keys: string[];
  text: string;
}

export interface Mismatch {
  path: Path;
  expected: string;
  got: string;
}

export function checkExpectations(expect: Expect, facts: TestedRun): Mismatch[] {
  return [
    ...checkEqual(['outcome'], expect.outcome, facts.outcome),
    ...checkEqual(['cause'], expect.cause, facts.cause ?? 'none'),
    ...checkBounds(['runs'], expect.runs, facts.runs),
    ...checkAssets(expect.assets, facts),
    ...checkFiles(expect, facts),
    ...checkFailures(expect.failures, facts),
    ...checkFailureCodes(expect.failureCodes, facts),
    ...checkWarnings(expect.warnings, facts),
    ...checkRequests(expect.requests, facts),
    ...checkNotices(expect.notices, facts),
    ...checkDuration(expect.takes, facts),
  ];
}

function checkEqual(path: Path, expected: string | undefined, got: string): Mismatch[] {
  return expected === undefined || expected === got ? [] : [{ path, expected, got }];
}

function checkBounds(path: Path, bounds: Bounds | undefined, got: number): Mismatch[] {
  if (bounds === undefined || isWithinBounds(bounds, got)) return [];
  return [{ path, expected: String(bounds), got: String(got) }];
}

/** @param bounds a number, `<= 5`, `>= 1`, `< 5`, `> 1` or `2..4` */
export function isWithinBounds(bounds: Bounds, got: number): boolean {
  if (typeof bounds === 'number') return got === bounds;
  const [, low, high] = /^(\d+)\s*\.\.\s*(\d+)$/.exec(bounds) ?? [];
  if (low !== undefined) return Number(low) <= got && got <= Number(high);
  const [, sign = '', bound = ''] = /^(<=|>=|<|>)\s*(\d+)$/.exec(bounds) ?? [];
  return isWithinBound(sign, got, Number(bound));
}

function isWithinBound(sign: string, got: number, bound: number): boolean {
  if (sign === '<=') return got <= bound;
  if (sign === '>=') return got >= bound;
  return sign === '<' ? got < bound : got > bound;
}

function checkAssets(boundsByName: Expect['assets'] = {}, { assets }: TestedRun): Mismatch[] {
  const names = ['total', 'complete', 'failed', 'skipped', 'unchanged'] as const;
  return names.flatMap((name) => checkBounds(['assets', name], boundsByName[name], assets[name]));
}

function checkFiles({ files, fileCount }: Expect, facts: TestedRun): Mismatch[] {
  const countMismatches = checkBounds(['fileCount'], fileCount, facts.files.length);
  if (files === undefined) return countMismatches;
  return [...countMismatches, ...checkSameItems(['files'], files, facts.files)];
}

const isEqualOrAny = (expected: string | undefined, got: string) =>
  expected === undefined || expected === got;
/** Pairs each expected item with the first unpaired item that matches. @returns the unpaired items of both lists */
function matchEach<Expected, Got>(
  expectedItems: readonly Expected[],
  got: readonly Got[],
  isMatch: (expected: Expected, got: Got) => boolean,
): { missing: [index: number, Expected][]; unmatchedItems: Got[] } {
  const unmatched = [...got];
  const missingEntries = [...expectedItems.entries()].filter(([, expectedItem]) => {
    const position = unmatched.findIndex((item) => isMatch(expectedItem, item));
    if (position !== -1) unmatched.splice(position, 1);
    return position === -1;
  });
  return { missing: missingEntries, unmatchedItems: unmatched };
}

/** Compares two lists, ignoring the order. */
function checkSameItems(
  path: Path,
  expectedTexts: readonly string[],
  got: readonly string[],
): Mismatch[] {
  const { missing, unmatchedItems } = matchEach(expectedTexts, got, (text, item) => text === item);
  const unexpected = unmatchedItems.length > 0 ? `; unexpected: ${formatList(unmatchedItems)}` : '';
  const mismatches = missing.map(([index, text], position) => {
    const got = position === 0 ? `missing${unexpected}` : 'missing';
    return { path: [...path, index], expected: text, got };
  });
  return mismatches.length > 0 ? mismatches : rejectOthers(path, expectedTexts, unmatchedItems);
}

function rejectOthers(path: Path, expected: readonly unknown[], others: string[]): Mismatch[] {
  if (others.length === 0) return [];
  return [{ path, expected: `only ${expected.length}`, got: `also ${formatList(others)}` }];
}

function checkFailures(expectedFailures: Expect['failures'], { failures }: TestedRun): Mismatch[] {
  if (expectedFailures === undefined) return [];
  const { missing, unmatchedItems } = matchEach(
    expectedFailures,
    failures,
    ({ key, code, node, says = '' }, failure) =>
      failure.key === key &&
      isEqualOrAny(code, failure.code) &&
      isEqualOrAny(node, failure.node) &&
      failure.message.includes(says),
  );
  const mismatches = missing.map(([index, { key, code, node, says }]): Mismatch => {
    const parts = [key, code, node && `at ${node}`, says && `saying "${says}"`];
    const actualFailure = failures.find((failure) => failure.key === key);
    const got = actualFailure === undefined ? 'it did not fail' : formatFailure(actualFailure);
    return { path: ['failures', index], expected: parts.filter(Boolean).join(' '), got };
  });
  const expectedKeys = new Set(expectedFailures.map(({ key }) => key));
  const others = unmatchedItems.filter(({ key }) => !expectedKeys.has(key));
  if (others.length === 0) return mismatches;
  const got = formatList(others.map(formatFailure));
  return [...mismatches, { path: ['failures'], expected: 'no other failures', got }];
}

function formatFailure({ key, code, node, message }: TestedRun['failures'][number]): string {
  return `${key} ${code}${node === '' ? '' : ` at ${node}`}: ${message}`;
}

function checkFailureCodes(
  boundsByCode: Expect['failureCodes'],
  { failures }: TestedRun,
): Mismatch[] {
  if (boundsByCode === undefined) return [];
  const counts: Record<string, number> = {};
  for (const { code } of failures) counts[code] = (counts[code] ?? 0) + 1;
  const others = Object.keys(counts).filter((code) => !Object.hasOwn(boundsByCode, code));
  const path = ['failureCodes'];
  return [
    ...Object.entries(boundsByCode).flatMap(([code, bounds]) =>
      checkBounds([...path, code], bounds, counts[code] ?? 0),
    ),
    ...others.map((code) => ({ path, expected: `no ${code}`, got: `${counts[code]} of them` })),
  ];
}

function checkWarnings(
  expectedTexts: Expect['warnings'] = [],
  { warnings }: TestedRun,
): Mismatch[] {
  const got = warnings.length === 0 ? 'no warnings' : formatList(warnings);
  return expectedTexts.flatMap((part, index) =>
    warnings.some((warning) => warning.includes(part))
      ? []
      : [{ path: ['warnings', index], expected: part, got }],
  );
}

function checkRequests(boundsByName: Expect['requests'] = {}, { requests }: TestedRun): Mismatch[] {
  const total = sumRequests(requests).total;
  return Object.entries(boundsByName).flatMap(([name, bounds]) =>
    checkBounds(['requests', name], bounds, name === 'total' ? total : (requests[name] ?? 0)),
  );
}

function checkNotices(expectedNotices: Expect['notices'], { notices }: TestedRun): Mismatch[] {
  if (expectedNotices === undefined) return [];
  const { missing, unmatchedItems } = matchEach(
    expectedNotices,
    notices,
    ({ url, type, outcome, key, says = '' }, notice) =>
      isEqualOrAny(url, notice.url) &&
      isEqualOrAny(type, notice.type) &&
      isEqualOrAny(outcome, notice.outcome) &&
      (key === undefined || notice.keys.includes(key)) &&
      notice.text.includes(says),
  );
  const got = notices.length === 0 ? 'no notices' : formatList(notices.map(formatNotice));
  const mismatches = missing.map(([index, { url, type, outcome, key, says }]): Mismatch => {
    const parts = [type, outcome, key, url && `to ${url}`, says && `saying "${says}"`];
    return { path: ['notices', index], expected: parts.filter(Boolean).join(' '), got };
  });
  if (mismatches.length > 0) return mismatches;
  return rejectOthers(['notices'], expectedNotices, unmatchedItems.map(formatNotice));
}

function formatNotice({ url, type, outcome, keys, text }: ReceivedNotice): string {
  const label = type === '' ? text.slice(0, 100) : type;
  return [label, outcome, keys.join(' and '), `to ${url}`].filter((word) => word !== '').join(' ');
}

function checkDuration(expected: string | undefined, { ms }: TestedRun): Mismatch[] {
  const bound = expected === undefined ? null : parseTimeBound(expected);
  if (expected === undefined || bound === null || isWithinBound(bound.sign, ms, bound.ms))
    return [];
  return [{ path: ['takes'], expected, got: `${Math.round(ms / 1_000)}s` }];
}

const formatList = (texts: readonly string[]) => formatFirst(texts, 5);

const maxStarts = 1_000;

/** Compares the starts of schedules. @throws RenderlineError if a time in the test cannot be parsed */
export function checkStarts(
  expectedStarts: NonNullable<Expect['starts']>,
  schedules: readonly ScheduleDeclaration[],
): Mismatch[] {
  const { schedule: name, from, to, at } = expectedStarts;
  const declaration = schedules.find((schedule) => name === undefined || schedule.name === name);
  if (declaration === undefined) {
    const names = schedules.map((schedule) => schedule.name ?? 'a schedule without a name');
    const got = names.length === 0 ? 'none' : formatList(names);
    return [{ path: ['starts', 'schedule'], expected: name ?? 'a schedule', got }];
  }
  const { timezone } = declaration;
  const moment = (text: string) => parseMoment('expect.starts', text, timezone);
  const [fromMs, toMs] = [moment(from), moment(to)];
  const starts: number[] = [];
  // Tests do not read calendars (.ics), so days in calendars count as ordinary days.
  const times = startTimesOn(declaration, toScheduleDays(declaration, [], computeDays(fromMs)));
  for (const startAtMs of listNextStarts(times, fromMs - 1)) {
    if (startAtMs >= toMs || starts.length === maxStarts) break;
    starts.push(startAtMs);
  }
  const expectedAtMs = at.map(moment);
  const mismatches = at.flatMap((expected, index): Mismatch[] => {
    if (starts.includes(expectedAtMs[index] ?? 0)) return [];
    return [{ path: ['starts', 'at', index], expected, got: 'no start at this time' }];
  });
  const others = starts.filter((startAtMs) => !expectedAtMs.includes(startAtMs));
  const otherTimes = others.map((ms) => new Date(ms).toISOString());
  return [...mismatches, ...rejectOthers(['starts', 'at'], at, otherTimes)];
}

/** The outcome of a test, and the expectations that were not met, with their positions in the test file. */
export interface PipelineTestResult {
  name: string;
  file: string;
  line: number;
  outcome: 'passed' | 'failed' | 'skipped';
  /** Duration in real time. */
  ms: number;
  /** Why the test was skipped or could not be run. Empty if it ran. */
  reason: string;
  mismatches: PlacedMismatch[];
}

export interface PlacedMismatch extends Mismatch {
  line: number;
  col: number;
}
