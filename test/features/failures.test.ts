// The registry of failures contains every code that the source uses, and no unused code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatErrorsPage } from '../../scripts/docs/errors-page.ts';
import { commonErrors, type ErrorCode, errorCodes } from '../../src/api/contract/error-codes.ts';
import { ApiError } from '../../src/api/errors/errors.ts';
import { classify } from '../../src/api/errors/retry.ts';
import { formatFailures } from '../../src/cli/failures/format.ts';
import type { KnownFailure } from '../../src/failures/define.ts';
import { exitCode } from '../../src/failures/exit-code.ts';
import { inspectionFailures } from '../../src/failures/files.ts';
import { runFailures } from '../../src/failures/runs.ts';
import { explainFailure, findFailure, knownFailures } from '../../src/features/failures.ts';
import type { WorkflowFailureCode } from '../../src/plan/run/workflow-failure-codes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = ['src', 'activities', 'workflows'];
const sources = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/^(sandbox|docs)\//.test(name))
    .map((name) => ({
      place: `${folder}/${name}`,
      text: readFileSync(join(root, folder, name), 'utf8'),
    })),
);
const isTable = (place: string) =>
  /^src\/failures\/|\/failures\.ts$|api-causes/.test(place) &&
  !/classify-error|^activities/.test(place);
const users = sources.filter(({ place }) => !isTable(place));
const byCode = knownFailures.map((failure) => [failure.code, failure] as const);

describe('the code of a failure', () => {
  it('each code is defined in one table', () => {
    const codes = knownFailures.map(({ code }) => code);
    expect(codes.length).toBeGreaterThan(150);
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  });

  const tables = sources.filter(({ place }) => /^src\/features\/[\w-]+\/failures\.ts$/.test(place));
  const inTables = tables.flatMap(({ place, text }) =>
    [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]+): \{$/gm)].map(([, code = '']) => [code, place]),
  );
  it.each(inTables)('the code %s of %s is in the registry', (code) => {
    expect(findFailure(code)?.code).toBe(code);
  });

  it('no code is written directly into a result: failed results come from one helper', () => {
    const handMade = users.filter(({ text }) => /outcome: 'failed',/.test(text));
    expect(handMade.map(({ place }) => place)).toEqual([]);
  });

  // Some codes are found in their table by a code from a connector, a poll or the platform.
  const names = new Set(users.flatMap(({ text }) => text.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []));
  it.each(byCode)('the code %s is still in use', (code) => {
    expect(code in errorCodes || names.has(code)).toBe(true);
  });

  const own: Record<WorkflowFailureCode, true> = {
    CANARY_WAITING: true,
    CANARY_NOT_APPROVED: true,
    APPROVAL_WAITING: true,
    TOO_MANY_FAILURES: true,
    MANIFEST_UNWRITTEN: true,
    TIMED_OUT: true,
    ACTIVITY_FAILED: true,
    SHARD_CANCELLED: true,
    SHARD_FAILED: true,
    NO_PLAN: true,
    PLAN_VERSION: true,
    NAME_OF_ANOTHER_RUN: true,
    FOLDERS_APART: true,
    HOST_AWAY: true,
    CONFIG: true,
    PICTURES_CHANGED: true,
  };
  it.each(Object.keys(own))('the code %s from plan, workflows or settings is known', (code) => {
    expect(findFailure(code)?.code).toBe(code);
  });

  it.each(Object.keys(errorCodes))('the code %s of the platform is known', (code) => {
    expect(findFailure(code)?.code).toBe(code);
  });

  it.each(['OF_ANOTHER_VERSION', 'TypeError', ''])(
    'the code %j is unknown and has neither a title nor a fix',
    (code) => {
      expect(findFailure(code)).toBeNull();
      expect(explainFailure({ code })).toMatchObject({ code, title: null, fix: null });
    },
  );

  it('a code that no table contains does not compile', () => {
    // @ts-expect-error The table has no such code.
    expect(runFailures.LIMIT_EXCEDED).toBeUndefined();
    // @ts-expect-error The table has no such code.
    expect(inspectionFailures.TRUNCTED).toBeUndefined();
  });
});

describe('the title and fix of a failure', () => {
  const page = formatErrorsPage();
  const plain = (_format: unknown, text: string) => text;
  const cell = (text: string) =>
    text.replaceAll('\n', '; ').replaceAll(/ {2,}/g, ' ').replaceAll('|', '\\|');

  it.each(byCode)(
    'the title and fix of %s are the same on the page, in the output and in JSON',
    (code, failure) => {
      const { title, fix } = failure;
      expect(title).toMatch(/^[A-Z].*\.$/s);
      expect(fix).toMatch(/^[A-Z`]/);
      expect(title).not.toBe(fix);
      expect(page).toContain(cell(title));
      expect(page).toContain(cell(fix));
      expect(explainFailure({ code })).toEqual({
        code,
        title,
        fix,
        docs: `docs/errors.md#${code.toLowerCase()}`,
      });
      const group = { ...explainFailure({ code }), node: 'n', count: 1, message: 'm', attempts: 1 };
      const groups = [{ ...group, keys: ['a'], rerunCommand: 'rerun R' }];
      expect(formatFailures({ ...noFailures, total: 1, groups }, plain)).toContain(
        ['  m', `  ${fix}`].join('\n').slice(0, -1),
      );
    },
  );

  const noFailures: Parameters<typeof formatFailures>[0] = {
    schema: 'renderline/failures/v1',
    run: 'r',
    pipeline: 'p',
    state: 'completed',
    cause: null,
    total: 0,
    rerunCommand: null,
    groups: [],
  };
});

describe('exit codes', () => {
  it('all exit codes are documented', () => {
    const withDocsLinks = readFileSync(join(root, 'docs/commands.md'), 'utf8');
    for (const end of Object.values(exitCode)) expect(withDocsLinks).toContain(`\n| ${end} |`);
  });

  const ends: readonly [exit: number, codes: readonly string[]][] = [
    [exitCode.runFailed, ['RUN_BROKE', 'INTERNAL']],
    [exitCode.auth, ['INVALID_API_KEY', 'ACCESS_DENIED', 'HOST_KEY_REFUSED', 'TEMPORAL_DENIED']],
    [exitCode.notFound, ['FOLDER_NOT_FOUND', 'BUCKET_NOT_FOUND', 'FILE_GONE', 'RUN_NOT_FOUND']],
    [exitCode.unreachable, ['TEMPORAL_UNREACHABLE', 'API_UNREACHABLE', 'CONNECTOR_UNREACHABLE']],
    [exitCode.later, ['PLAN_LIMIT_REACHED', 'DISK_FULL', 'NO_WORKER', 'RATE_LIMITED']],
    [exitCode.interrupted, ['INTERRUPTED']],
    [exitCode.usage, ['USAGE', 'CONFIG', 'WHERE', 'LIMIT_EXCEEDED', 'MATERIAL_NOT_FOUND']],
    [exitCode.partial, ['RENDER_FAILED', 'TRUNCATED', 'KEY_CLASH']],
  ];
  it.each(ends)('the exit code %i covers %j', (exit, codes) => {
    expect(codes.map((code) => findFailure(code)?.exit)).toEqual(codes.map(() => exit));
  });
});

describe('causes that stop a run', () => {
  it('the causes are those that the client classifies as run causes, with the same fix', () => {
    const stopping = Object.entries(errorCodes).flatMap(([code, { status }]) => {
      const error = new ApiError({ operation: 'getMe', status, code, detail: code });
      const answer = classify(error);
      return answer.kind === 'run-cause' ? [answer.cause] : [];
    });
    expect(stopping.length).toBeGreaterThan(commonErrors.length - 3);
    for (const { code, fix, kind } of stopping) {
      expect(findFailure(code)).toMatchObject({ fix, stops: kind, scope: 'run' });
    }
  });

  const kinds = new Set<KnownFailure['stops']>(['auth', 'later', 'never', 'not-found']);
  it('there are four kinds of causes', () => {
    const seen = new Set(knownFailures.map(({ stops }) => stops));
    expect(seen).toEqual(new Set([...kinds, null]));
  });

  it("causes use the title of the feature, if there is one, instead of the platform's title", () => {
    const better: ErrorCode[] = ['MODEL_NOT_FOUND', 'PROJECT_NOT_FOUND', 'TEMPLATE_NOT_FOUND'];
    for (const code of better) expect(findFailure(code)?.title).not.toMatch(/^The platform:/);
  });
});
