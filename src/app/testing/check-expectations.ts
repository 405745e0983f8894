// Compares the result of a run with the expectations of a test. Pure.

import type { Bounds, Expect } from '../../compile/test-file/test-file.ts';
import type { Path } from '../../compile/yaml/document.ts';
import { parseDurationMs } from '../../language/duration.ts';
import type { RunShape } from '../runs/run-shape.ts';

/** The result of a run, or of all runs that events started. */
export interface TestedRun {
  outcome: RunShape['outcome'] | 'invalid';
  cause: string | null;
  /** Number of runs: 1 unless events start runs. */
  runs: number;
  assets: RunShape['assets'];
  /** Paths relative to the destination. */
  files: string[];
  failures: { key: string; code: string; node: string; message: string }[];
  /** Texts of the form `KEY: message`. */
  warnings: string[];
  requests: Record<string, number>;
  notices: ReceivedNotice[];
  /** Duration in skipped time. */
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
  /** Path below `expect`. */
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

/** Compares two lists without regard to order. */
function checkSameItems(
  path: Path,
  expected: readonly string[],
  got: readonly string[],
): Mismatch[] {
  const unmatched = [...got];
  const missing: { index: number; text: string }[] = [];
  for (const [index, text] of expected.entries()) {
    const position = unmatched.indexOf(text);
    if (position === -1) missing.push({ index, text });
    else unmatched.splice(position, 1);
  }
  const mismatches = missing.map(({ index, text }, position) => ({
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
  const unmatched = [...failures];
  const missing: Mismatch[] = [];
  for (const [index, { key, code, node, says }] of expected.entries()) {
    const position = unmatched.findIndex(
      (one) =>
        one.key === key &&
        (code === undefined || one.code === code) &&
        (node === undefined || one.node === node) &&
        (says === undefined || one.message.includes(says)),
    );
    if (position !== -1) {
      unmatched.splice(position, 1);
      continue;
    }
    const wanted = [key, code, node && `at ${node}`, says && `saying "${says}"`];
    const own = failures.find((one) => one.key === key);
    missing.push({
      path: ['failures', index],
      expected: wanted.filter(Boolean).join(' '),
      got: own === undefined ? 'it did not fail' : formatFailure(own),
    });
  }
  const named = new Set(expected.map(({ key }) => key));
  const others = unmatched.filter(({ key }) => !named.has(key));
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
  const unmatched = [...notices];
  const missing: Mismatch[] = [];
  for (const [index, { url, type, outcome, key, says }] of expected.entries()) {
    const position = unmatched.findIndex(
      (one) =>
        (url === undefined || one.url === url) &&
        (type === undefined || one.type === type) &&
        (outcome === undefined || one.outcome === outcome) &&
        (key === undefined || one.keys.includes(key)) &&
        (says === undefined || one.text.includes(says)),
    );
    if (position !== -1) unmatched.splice(position, 1);
    else {
      const words = [type, outcome, key, url && `to ${url}`, says && `saying "${says}"`];
      const wanted = words.filter(Boolean).join(' ');
      const got = notices.length === 0 ? 'no notices' : formatList(notices.map(formatNotice));
      missing.push({ path: ['notices', index], expected: wanted, got });
    }
  }
  if (missing.length > 0 || unmatched.length === 0) return missing;
  const got = `also ${formatList(unmatched.map(formatNotice))}`;
  return [{ path: ['notices'], expected: `only ${expected.length}`, got }];
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

const maxListed = 5;

export function formatList(words: readonly string[]): string {
  const more = words.length - maxListed;
  return `${words.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
