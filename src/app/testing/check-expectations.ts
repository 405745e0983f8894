// Compares the result of a run with the expectations of a test. Pure.

import {
  computedDays,
  scheduleDaysOf,
  startTimesOn,
} from '../../compile/schedule/schedule-days.ts';
import type { ScheduleDeclaration } from '../../compile/schedule.ts';
import type { Bounds, Expect } from '../../compile/test-file/test-file.ts';
import type { Path } from '../../compile/yaml/document.ts';
import { parseDurationMs } from '../../language/duration.ts';
import { nextStarts } from '../../language/next-starts.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { RunShape } from '../runs/run-shape.ts';
import { parseMoment } from '../schedules/backfill.ts';

/** The result of a run, or of all runs that events started. */
export interface TestedRun {
  outcome: RunShape['outcome'] | 'invalid';
  cause: string | null;
  /** Number of runs: 0 if the pipeline is invalid, otherwise 1 unless events start runs. */
  runs: number;
  assets: RunShape['assets'];
  /** Paths relative to the destination. */
  files: string[];
  failures: { key: string; code: string; node: string; message: string }[];
  /** Texts of the form `KEY: message`. */
  warnings: string[];
  requests: Record<string, number>;
  notices: ReceivedNotice[];
  /** Sum of the durations of the runs, in skipped time. */
  ms: number;
}

export interface ReceivedNotice {
  url: string;
  type: string;
  outcome: string;
  keys: string[];
  /** The whole body. */
  text: string;
}

/** An expectation that is not met. */
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

function checkBounds(path: Path, expected: Bounds | undefined, got: number): Mismatch[] {
  if (expected === undefined || isWithinBounds(expected, got)) return [];
  return [{ path, expected: String(expected), got: String(got) }];
}

/** @param expected a number, `<= 5`, `>= 1`, `< 5`, `> 1` or `2..4` */
export function isWithinBounds(expected: Bounds, got: number): boolean {
  if (typeof expected === 'number') return got === expected;
  const [, low, high] = /^(\d+)\s*\.\.\s*(\d+)$/.exec(expected) ?? [];
  if (low !== undefined) return Number(low) <= got && got <= Number(high);
  const [, sign = '', bound = ''] = /^(<=|>=|<|>)\s*(\d+)$/.exec(expected) ?? [];
  return satisfiesBound(sign, got, Number(bound));
}

function satisfiesBound(sign: string, got: number, bound: number): boolean {
  if (sign === '<=') return got <= bound;
  if (sign === '>=') return got >= bound;
  return sign === '<' ? got < bound : got > bound;
}

function checkAssets(expected: Expect['assets'] = {}, { assets }: TestedRun): Mismatch[] {
  const names = ['total', 'complete', 'failed', 'skipped', 'unchanged'] as const;
  return names.flatMap((name) => checkBounds(['assets', name], expected[name], assets[name]));
}

function checkFiles({ files, fileCount }: Expect, facts: TestedRun): Mismatch[] {
  const counted = checkBounds(['fileCount'], fileCount, facts.files.length);
  if (files === undefined) return counted;
  return [...counted, ...checkSameItems(['files'], files, facts.files)];
}

/** Pairs each expected item with the first item that fits and is not paired yet. @returns what remains of both lists */
function matchEach<Expected, Got>(
  expected: readonly Expected[],
  got: readonly Got[],
  fits: (expected: Expected, got: Got) => boolean,
): { missing: [index: number, Expected][]; unmatched: Got[] } {
  const unmatched = [...got];
  const missing = [...expected.entries()].filter(([, wanted]) => {
    const position = unmatched.findIndex((one) => fits(wanted, one));
    if (position !== -1) unmatched.splice(position, 1);
    return position === -1;
  });
  return { missing, unmatched };
}

/** Compares two lists without regard to order. */
function checkSameItems(
  path: Path,
  expected: readonly string[],
  got: readonly string[],
): Mismatch[] {
  const { missing, unmatched } = matchEach(expected, got, (text, one) => text === one);
  const mismatches = missing.map(([index, text], position) => ({
    path: [...path, index],
    expected: text,
    got:
      position === 0 && unmatched.length > 0
        ? `missing; unexpected: ${formatList(unmatched)}`
        : 'missing',
  }));
  if (mismatches.length > 0 || unmatched.length === 0) return mismatches;
  return [{ path, expected: `only ${expected.length}`, got: `also ${formatList(unmatched)}` }];
}

function checkFailures(expected: Expect['failures'], { failures }: TestedRun): Mismatch[] {
  if (expected === undefined) return [];
  const matched = matchEach(
    expected,
    failures,
    ({ key, code, node, says }, one) =>
      one.key === key &&
      (code === undefined || one.code === code) &&
      (node === undefined || one.node === node) &&
      (says === undefined || one.message.includes(says)),
  );
  const missing = matched.missing.map(([index, { key, code, node, says }]): Mismatch => {
    const wanted = [key, code, node && `at ${node}`, says && `saying "${says}"`];
    const own = failures.find((one) => one.key === key);
    const got = own === undefined ? 'it did not fail' : formatFailure(own);
    return { path: ['failures', index], expected: wanted.filter(Boolean).join(' '), got };
  });
  const named = new Set(expected.map(({ key }) => key));
  const others = matched.unmatched.filter(({ key }) => !named.has(key));
  if (others.length === 0) return missing;
  const got = formatList(others.map(formatFailure));
  return [...missing, { path: ['failures'], expected: 'no other failures', got }];
}

function formatFailure({ key, code, node, message }: TestedRun['failures'][number]): string {
  return `${key} ${code}${node === '' ? '' : ` at ${node}`}: ${message}`;
}

function checkFailureCodes(expected: Expect['failureCodes'], { failures }: TestedRun): Mismatch[] {
  if (expected === undefined) return [];
  const counts: Record<string, number> = {};
  for (const { code } of failures) counts[code] = (counts[code] ?? 0) + 1;
  const others = Object.keys(counts).filter((code) => !Object.hasOwn(expected, code));
  return [
    ...Object.entries(expected).flatMap(([code, bounds]) =>
      checkBounds(['failureCodes', code], bounds, counts[code] ?? 0),
    ),
    ...others.map((code) => ({
      path: ['failureCodes'],
      expected: `no ${code}`,
      got: `${counts[code] ?? 0} of them`,
    })),
  ];
}

function checkWarnings(expected: Expect['warnings'] = [], { warnings }: TestedRun): Mismatch[] {
  const got = warnings.length === 0 ? 'no warnings' : formatList(warnings);
  return expected.flatMap((part, index) =>
    warnings.some((one) => one.includes(part))
      ? []
      : [{ path: ['warnings', index], expected: part, got }],
  );
}

function checkRequests(expected: Expect['requests'] = {}, { requests }: TestedRun): Mismatch[] {
  const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return Object.entries(expected).flatMap(([name, bounds]) =>
    checkBounds(['requests', name], bounds, name === 'total' ? total : (requests[name] ?? 0)),
  );
}

function checkNotices(expected: Expect['notices'], { notices }: TestedRun): Mismatch[] {
  if (expected === undefined) return [];
  const { missing: lacking, unmatched } = matchEach(
    expected,
    notices,
    ({ url, type, outcome, key, says }, one) =>
      (url === undefined || one.url === url) &&
      (type === undefined || one.type === type) &&
      (outcome === undefined || one.outcome === outcome) &&
      (key === undefined || one.keys.includes(key)) &&
      (says === undefined || one.text.includes(says)),
  );
  const got = notices.length === 0 ? 'no notices' : formatList(notices.map(formatNotice));
  const missing = lacking.map(([index, { url, type, outcome, key, says }]): Mismatch => {
    const words = [type, outcome, key, url && `to ${url}`, says && `saying "${says}"`];
    return { path: ['notices', index], expected: words.filter(Boolean).join(' '), got };
  });
  if (missing.length > 0 || unmatched.length === 0) return missing;
  const others = `also ${formatList(unmatched.map(formatNotice))}`;
  return [{ path: ['notices'], expected: `only ${expected.length}`, got: others }];
}

function formatNotice({ url, type, outcome, keys, text }: ReceivedNotice): string {
  const what = type === '' ? text.slice(0, 100) : type;
  return [what, outcome, keys.join(' and '), `to ${url}`].filter((word) => word !== '').join(' ');
}

function checkDuration(expected: string | undefined, { ms }: TestedRun): Mismatch[] {
  if (expected === undefined) return [];
  const [, sign = '', text = ''] = /^(<=|>=|<|>)\s*(\S+)$/.exec(expected) ?? [];
  if (satisfiesBound(sign, ms, parseDurationMs(text) ?? 0)) return [];
  return [{ path: ['takes'], expected, got: `${Math.round(ms / 1_000)}s` }];
}

const formatList = (words: readonly string[]) => formatFirst(words, 5);

const maxStarts = 1_000;

/** Compares the starts of schedules. @throws RenderlineError if a time in the test cannot be parsed */
export function checkStarts(
  expected: NonNullable<Expect['starts']>,
  schedules: readonly ScheduleDeclaration[],
): Mismatch[] {
  const { schedule: name, from, to, at } = expected;
  const declared = schedules.find((one) => name === undefined || one.name === name);
  if (declared === undefined) {
    const known = formatList(schedules.map((one) => one.name ?? 'one without a name'));
    const path = ['starts', 'schedule'];
    return [{ path, expected: name ?? 'a schedule', got: known === '' ? 'none' : known }];
  }
  const { timezone } = declared;
  const moment = (text: string) => parseMoment('expect.starts', text, timezone);
  const [fromMs, toMs] = [moment(from), moment(to)];
  const starts: number[] = [];
  // Tests read no calendars (.ics), so the days of calendars count as ordinary days.
  const times = startTimesOn(declared, scheduleDaysOf(declared, [], computedDays(fromMs)));
  for (const startMs of nextStarts(times, fromMs - 1)) {
    if (startMs >= toMs || starts.length === maxStarts) break;
    starts.push(startMs);
  }
  const expectedMs = at.map(moment);
  const missing = at.flatMap((text, index) =>
    starts.includes(expectedMs[index] ?? 0)
      ? []
      : [{ path: ['starts', 'at', index], expected: text, got: 'no start then' }],
  );
  const others = starts.filter((startMs) => !expectedMs.includes(startMs));
  if (others.length === 0) return missing;
  const got = `also ${formatList(others.map((ms) => new Date(ms).toISOString()))}`;
  return [...missing, { path: ['starts', 'at'], expected: `only ${at.length}`, got }];
}

/** The outcome of a test, and the expectations that were not met, with their positions in the test file. */
export interface PipelineTestResult {
  name: string;
  file: string;
  line: number;
  outcome: 'passed' | 'failed' | 'skipped';
  /** Duration in real time. */
  ms: number;
  /** Why the test was skipped or could not be run; otherwise empty. */
  reason: string;
  mismatches: PlacedMismatch[];
}

export interface PlacedMismatch extends Mismatch {
  line: number;
  col: number;
}
