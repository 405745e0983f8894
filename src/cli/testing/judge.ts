// Compares the result of a run with the expectations of a test. Pure.
import type { Bounds, Expect } from '../../compile/test-file/test-file.ts';
import type { Path } from '../../compile/yaml/document.ts';
import { parseDurationMs } from '../../language/duration.ts';
import type { RunShape } from '../runs/run-shape.ts';

/** The result of a run, or of all runs that events started. */
export interface RunFacts {
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
  notices: SentNotice[];
  /** Duration in skipped time. */
  ms: number;
}

export interface SentNotice {
  url: string;
  type: string;
  outcome: string;
  /** Keys of the assets in the notice. */
  keys: string[];
}

/** An expectation that is not met. */
export interface Mismatch {
  /** Path below `expect`. */
  path: Path;
  expected: string;
  got: string;
}

export function judge(expect: Expect, facts: RunFacts): Mismatch[] {
  return [
    ...same(['outcome'], expect.outcome, facts.outcome),
    ...same(['cause'], expect.cause, facts.cause ?? 'none'),
    ...within(['runs'], expect.runs, facts.runs),
    ...judgeAssets(expect.assets, facts),
    ...judgeFiles(expect, facts),
    ...judgeFailures(expect.failures, facts),
    ...judgeCodes(expect.failureCodes, facts),
    ...judgeWarnings(expect.warnings, facts),
    ...judgeRequests(expect.requests, facts),
    ...judgeNotices(expect.notices, facts),
    ...judgeTime(expect.takes, facts),
  ];
}

function same(path: Path, expected: string | undefined, got: string): Mismatch[] {
  return expected === undefined || expected === got ? [] : [{ path, expected, got }];
}

function within(path: Path, expected: Bounds | undefined, got: number): Mismatch[] {
  if (expected === undefined || isWithin(expected, got)) return [];
  return [{ path, expected: String(expected), got: String(got) }];
}

/** @param expected a number, `<= 5`, `>= 1`, `< 5`, `> 1` or `2..4` */
export function isWithin(expected: Bounds, got: number): boolean {
  if (typeof expected === 'number') return got === expected;
  const [, low, high] = /^(\d+)\s*\.\.\s*(\d+)$/.exec(expected) ?? [];
  if (low !== undefined) return Number(low) <= got && got <= Number(high);
  const [, sign = '', bound = ''] = /^(<=|>=|<|>)\s*(\d+)$/.exec(expected) ?? [];
  return compares(sign, got, Number(bound));
}

function compares(sign: string, got: number, bound: number): boolean {
  if (sign === '<=') return got <= bound;
  if (sign === '>=') return got >= bound;
  return sign === '<' ? got < bound : got > bound;
}

function judgeAssets(expected: Expect['assets'] = {}, { assets }: RunFacts): Mismatch[] {
  const names = ['total', 'complete', 'failed', 'skipped', 'unchanged'] as const;
  return names.flatMap((name) => within(['assets', name], expected[name], assets[name]));
}

function judgeFiles({ files, fileCount }: Expect, facts: RunFacts): Mismatch[] {
  const counted = within(['fileCount'], fileCount, facts.files.length);
  if (files === undefined) return counted;
  return [...counted, ...sets(['files'], files, facts.files)];
}

/** Compares two lists without regard to order. */
function sets(path: Path, expected: readonly string[], got: readonly string[]): Mismatch[] {
  const left = [...got];
  const missing: { index: number; text: string }[] = [];
  for (const [index, text] of expected.entries()) {
    const at = left.indexOf(text);
    if (at === -1) missing.push({ index, text });
    else left.splice(at, 1);
  }
  const lacking = missing.map(({ index, text }, at) => ({
    path: [...path, index],
    expected: text,
    got: at === 0 && left.length > 0 ? `missing; unexpected: ${listed(left)}` : 'missing',
  }));
  if (lacking.length > 0 || left.length === 0) return lacking;
  return [{ path, expected: `only ${expected.length}`, got: `also ${listed(left)}` }];
}

function judgeFailures(expected: Expect['failures'], { failures }: RunFacts): Mismatch[] {
  if (expected === undefined) return [];
  const left = [...failures];
  const missing: Mismatch[] = [];
  for (const [index, { key, code, node, says }] of expected.entries()) {
    const at = left.findIndex(
      (one) =>
        one.key === key &&
        (code === undefined || one.code === code) &&
        (node === undefined || one.node === node) &&
        (says === undefined || one.message.includes(says)),
    );
    if (at !== -1) {
      left.splice(at, 1);
      continue;
    }
    const wanted = [key, code, node && `at ${node}`, says && `saying "${says}"`];
    const own = failures.find((one) => one.key === key);
    missing.push({
      path: ['failures', index],
      expected: wanted.filter(Boolean).join(' '),
      got: own === undefined ? 'it did not fail' : failureWords(own),
    });
  }
  const named = new Set(expected.map(({ key }) => key));
  const others = left.filter(({ key }) => !named.has(key));
  if (others.length === 0) return missing;
  const got = listed(others.map(failureWords));
  return [...missing, { path: ['failures'], expected: 'no other failures', got }];
}

function failureWords({ key, code, node, message }: RunFacts['failures'][number]): string {
  return `${key} ${code}${node === '' ? '' : ` at ${node}`}: ${message}`;
}

function judgeCodes(expected: Expect['failureCodes'], { failures }: RunFacts): Mismatch[] {
  if (expected === undefined) return [];
  const counts: Record<string, number> = {};
  for (const { code } of failures) counts[code] = (counts[code] ?? 0) + 1;
  const others = Object.keys(counts).filter((code) => !Object.hasOwn(expected, code));
  return [
    ...Object.entries(expected).flatMap(([code, bounds]) =>
      within(['failureCodes', code], bounds, counts[code] ?? 0),
    ),
    ...others.map((code) => ({
      path: ['failureCodes'],
      expected: `no ${code}`,
      got: `${counts[code] ?? 0} of them`,
    })),
  ];
}

function judgeWarnings(expected: Expect['warnings'] = [], { warnings }: RunFacts): Mismatch[] {
  const got = warnings.length === 0 ? 'no warnings' : listed(warnings);
  return expected.flatMap((part, index) =>
    warnings.some((one) => one.includes(part))
      ? []
      : [{ path: ['warnings', index], expected: part, got }],
  );
}

function judgeRequests(expected: Expect['requests'] = {}, { requests }: RunFacts): Mismatch[] {
  const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return Object.entries(expected).flatMap(([name, bounds]) =>
    within(['requests', name], bounds, name === 'total' ? total : (requests[name] ?? 0)),
  );
}

function judgeNotices(expected: Expect['notices'], { notices }: RunFacts): Mismatch[] {
  if (expected === undefined) return [];
  const left = [...notices];
  const missing: Mismatch[] = [];
  for (const [index, { url, type, outcome, key }] of expected.entries()) {
    const at = left.findIndex(
      (one) =>
        (url === undefined || one.url === url) &&
        (type === undefined || one.type === type) &&
        (outcome === undefined || one.outcome === outcome) &&
        (key === undefined || one.keys.includes(key)),
    );
    if (at !== -1) left.splice(at, 1);
    else {
      const wanted = [type, outcome, key, url && `to ${url}`].filter(Boolean).join(' ');
      const got = notices.length === 0 ? 'no notices' : listed(notices.map(noticeWords));
      missing.push({ path: ['notices', index], expected: wanted, got });
    }
  }
  if (missing.length > 0 || left.length === 0) return missing;
  const got = `also ${listed(left.map(noticeWords))}`;
  return [{ path: ['notices'], expected: `only ${expected.length}`, got }];
}

function noticeWords({ url, type, outcome, keys }: SentNotice): string {
  return [type, outcome, keys.join(' and '), `to ${url}`].filter((word) => word !== '').join(' ');
}

function judgeTime(expected: string | undefined, { ms }: RunFacts): Mismatch[] {
  if (expected === undefined) return [];
  const [, sign = '', text = ''] = /^(<=|>=|<|>)\s*(\S+)$/.exec(expected) ?? [];
  if (compares(sign, ms, parseDurationMs(text) ?? 0)) return [];
  return [{ path: ['takes'], expected, got: `${Math.round(ms / 1_000)}s` }];
}

const shown = 5;

export function listed(words: readonly string[]): string {
  const more = words.length - shown;
  return `${words.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
