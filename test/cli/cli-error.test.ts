import { readFile } from 'node:fs/promises';
import { ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import {
  BudgetWaitError,
  createApiError,
  RequestShapeError,
  ResponseShapeError,
  TransportError,
} from '../../src/api/errors/errors.ts';
import {
  OperationUnresolvedError,
  UnknownOperationError,
} from '../../src/api/errors/route-errors.ts';
import { docsUrlOf } from '../../src/app/docs-page.ts';
import {
  explainError,
  explainUnlessUnauthorized,
  RenderlineError,
} from '../../src/app/renderline-error.ts';
import { ConnectorError, type ConnectorErrorCode } from '../../src/connectors/connector-error.ts';
import { WhereError } from '../../src/engine/discovery/condition.ts';
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import { commandFailures } from '../../src/failures/commands.ts';
import { docsLinkOf } from '../../src/failures/docs-link.ts';
import { exitCode } from '../../src/failures/exit-code.ts';
import { runFailures } from '../../src/failures/runs.ts';
import { explainFailure } from '../../src/features/failures.ts';
import { ExpressionError } from '../../src/language/expressions.ts';
import { GlobWorkError } from '../../src/language/glob-set.ts';
import { ConfigError } from '../../src/settings/config-error.ts';
import {
  NamespaceNotFoundError,
  TemporalDeniedError,
  TemporalUnreachableError,
} from '../../src/temporal/connection/connect-errors.ts';
import { DevServerError } from '../../src/temporal/server/dev-server.ts';
import { LockTimeoutError } from '../../src/temporal/server/file-lock.ts';
import { TemporalServerNotFoundError } from '../../src/temporal/server/server-search.ts';

function api(status: number, code: string) {
  return createApiError({ status, code, operation: 'getMe', detail: 'said the platform' });
}

function named(name: string, fields: object = {}) {
  return Object.assign(new Error('words'), { name, ...fields });
}

/** An error of Node about a file. */
function system(code: string, errno: number) {
  const fields = { code, errno, syscall: 'open', path: '/x' };
  return Object.assign(new Error(`${code}: refused, open '/x'`), fields);
}

const noNamespace = new NamespaceNotFoundError('team', 'default', 'a:1');
const denied = new TemporalDeniedError({ address: 'a:1', namespace: 'team' }, 'no', {
  keyFrom: null,
  cause: undefined,
});
const noTemporal = new TemporalUnreachableError('a:1', 'default', 'refused');

const connector = (code: ConnectorErrorCode) => new ConnectorError(code, '', 'words', 'a way out');

test.each([
  ['the API key', api(401, 'INVALID_API_KEY')],
  ['the Temporal credentials', denied],
])('a refusal of %s is passed on as an error', (_name, error) => {
  expect(() => explainUnlessUnauthorized(error)).toThrow(error);
});

test.each([
  ['the platform', api(500, 'INTERNAL_ERROR')],
  ['Temporal', noTemporal],
])('%s that is unreachable is explained', (_name, error) => {
  expect(explainUnlessUnauthorized(error)).toEqual(explainError(error));
});

test.each([
  ['its entry', 'MODEL_NOT_FOUND', 'docs/errors.md#model_not_found'],
  ['the section about others', 'BRAND_NEW', 'docs/errors.md#codes-of-the-platform'],
])('a code of the platform links to %s', (_name, code, link) => {
  const { docs = docsLinkOf(code) } = explainError(api(400, code));
  expect(docs).toBe(link);
  expect(new RenderlineError(explainError(api(400, code)), 'words').docs ?? docs).toBe(link);
  expect(explainFailure({ code }).docs).toBe(link);
});

test('the page of errors has the section about codes of the platform', async () => {
  const page = await readFile(new URL(docsUrlOf('X')), 'utf8');
  expect(page).toContain('\n## Codes of the platform\n');
});

describe('exit codes', () => {
  const cases: [string, unknown, number, string][] = [
    ['an error of a command', new RenderlineError(commandFailures.RUN_BROKE, 'x'), 1, 'RUN_BROKE'],
    ['an invalid setting', new ConfigError('x', 'y'), 2, 'CONFIG'],
    ['a 401', api(401, 'INVALID_API_KEY'), 4, 'INVALID_API_KEY'],
    ['a 403 because of the country', api(403, 'GEO_RESTRICTED'), 4, 'GEO_RESTRICTED'],
    ['a 403 because of the plan limit', api(403, 'PLAN_LIMIT_REACHED'), 75, 'PLAN_LIMIT_REACHED'],
    [
      'a 403 because of the storage limit',
      api(403, 'STORAGE_LIMIT_REACHED'),
      75,
      'STORAGE_LIMIT_REACHED',
    ],
    ['a 404', api(404, 'MODEL_NOT_FOUND'), 5, 'MODEL_NOT_FOUND'],
    ['a 409', api(409, 'IDEMPOTENCY_CONFLICT'), 75, 'IDEMPOTENCY_CONFLICT'],
    ['a 429', api(429, 'RATE_LIMITED'), 75, 'RATE_LIMITED'],
    ['a 400', api(400, 'VALIDATION_ERROR'), 2, 'VALIDATION_ERROR'],
    ['422', api(422, 'IDEMPOTENCY_KEY_REUSED'), 2, 'IDEMPOTENCY_KEY_REUSED'],
    ['500', api(500, 'INTERNAL_ERROR'), 75, 'INTERNAL_ERROR'],
    [
      'an unreachable platform',
      new TransportError('getMe', 'connect', 'ECONNREFUSED', 'refused'),
      69,
      'API_UNREACHABLE',
    ],
    [
      'an untrusted platform',
      new TransportError('getMe', 'connect', 'SELF_SIGNED_CERT_IN_CHAIN', 'untrusted'),
      69,
      'CERTIFICATE_REFUSED',
    ],
    [
      'a proxy without its password',
      new TransportError('getMe', 'connect', 'PROXY_AUTH', 'asks'),
      69,
      'PROXY_REFUSED',
    ],
    [
      'an untrusted server of any kind',
      named('TypeError', { cause: named('Error', { code: 'CERT_HAS_EXPIRED' }) }),
      69,
      'CERTIFICATE_REFUSED',
    ],
    [
      'a broken connection of any kind',
      named('Error', { code: 'ECONNRESET' }),
      69,
      'API_UNREACHABLE',
    ],
    ['invalid input', new RequestShapeError('getMe', 'body', 'missing'), 2, 'API_INPUT'],
    ['a wait for the budget', new BudgetWaitError(1000, 1000), 75, 'RATE_LIMITED'],
    [
      'an operation without a path',
      new OperationUnresolvedError('x', 'GET /x', 'nothing else does'),
      2,
      'OPERATION_WITHOUT_PATH',
    ],
    ['a missing bucket', connector('BUCKET_NOT_FOUND'), 5, 'BUCKET_NOT_FOUND'],
    ['a refused store key', connector('CREDENTIALS_REFUSED'), 4, 'CREDENTIALS_REFUSED'],
    ['an unreachable store', connector('CONNECTOR_UNREACHABLE'), 69, 'CONNECTOR_UNREACHABLE'],
    ['too many open files', connector('TOO_MANY_OPEN_FILES'), 75, 'TOO_MANY_OPEN_FILES'],
    ['too many modules', named('Error', { code: 'EMFILE' }), 75, 'EMFILE'],
    ['an unreachable Temporal server', noTemporal, 69, 'TEMPORAL_UNREACHABLE'],
    [
      'a missing dev server',
      new TemporalServerNotFoundError('dev server', []),
      69,
      'TEMPORAL_NOT_FOUND',
    ],
    ['a missing run', named('WorkflowNotFoundError'), 5, 'RUN_NOT_FOUND'],
    [
      'a schedule that was removed since it was read',
      new ScheduleNotFoundError('none', 'nightly'),
      5,
      'SCHEDULE_NOT_FOUND',
    ],
    [
      'a schedule that was created by somebody else',
      new ScheduleAlreadyRunning('taken', 'nightly'),
      75,
      'SCHEDULE_MADE_MEANWHILE',
    ],
    [
      'the gRPC status UNAVAILABLE',
      named('ServiceError', { cause: { code: 14, details: 'gone' } }),
      69,
      'TEMPORAL_UNREACHABLE',
    ],
    [
      'the gRPC status DEADLINE_EXCEEDED',
      named('ServiceError', { code: 4 }),
      69,
      'TEMPORAL_UNREACHABLE',
    ],
    [
      'the gRPC status PERMISSION_DENIED',
      named('ServiceError', { cause: { code: 7 } }),
      4,
      'TEMPORAL_DENIED',
    ],
    [
      'the gRPC status RESOURCE_EXHAUSTED',
      named('ServiceError', { cause: { code: 8 } }),
      75,
      'TEMPORAL_BUSY',
    ],
    ['a missing file', named('Error', { code: 'ENOENT', path: '/x' }), 5, 'ENOENT'],
    [
      'a file where a folder is created',
      named('Error', { code: 'EEXIST', syscall: 'mkdir' }),
      2,
      'ENOTDIR',
    ],
    [
      'an address that does not exist',
      named('Error', { code: 'EADDRNOTAVAIL', syscall: 'listen' }),
      2,
      'BAD_HOST',
    ],
    ['a port in use', named('Error', { code: 'EADDRINUSE' }), 2, 'EADDRINUSE'],
    ['a cause of a run', new RunCauseError(runFailures.LIMIT_EXCEEDED, 'x'), 2, 'LIMIT_EXCEEDED'],
    [
      'an unexpected response',
      new ResponseShapeError('getMe', 200, '', 'odd'),
      69,
      'API_UNEXPECTED',
    ],
    ['an unknown operation', new UnknownOperationError('x', null), 2, 'UNKNOWN_OPERATION'],
    ['an expression that fails', new ExpressionError('a', 'no'), 2, 'EXPRESSION_FAILED'],
    ['an invalid condition', new WhereError('a', 'no', 'so'), 2, 'WHERE'],
    ['a glob that takes too much work', new GlobWorkError('too much'), 2, 'GLOB'],
    ['a file in use', new LockTimeoutError('/x', 'process 1', 1), 75, 'IN_USE'],
    ['Temporal without the namespace', noNamespace, 5, 'NAMESPACE_NOT_FOUND'],
    ['Temporal that did not start', new DevServerError('x', ''), 69, 'TEMPORAL_NOT_STARTED'],
    [
      'Temporal that ended',
      new DevServerError('x', '', commandFailures.TEMPORAL_ENDED),
      69,
      'TEMPORAL_ENDED',
    ],
    ...['INVALID_ARGUMENT', 'UNIMPLEMENTED', 'INTERNAL', 'DATA_LOSS'].map(
      (details, index): [string, unknown, number, string] => [
        `gRPC ${details}`,
        named('ServiceError', { code: [3, 12, 13, 15][index], details }),
        75,
        'TEMPORAL_ERROR',
      ],
    ),
    ['a timeout', named('TimeoutError', { code: 23 }), 69, 'API_UNREACHABLE'],
    ['a disk that is read-only', system('EROFS', -30), 2, 'SYSTEM_ERROR'],
    ['a name that is too long', system('ENAMETOOLONG', -36), 2, 'SYSTEM_ERROR'],
    ['a disk that fails', system('EIO', -5), 2, 'SYSTEM_ERROR'],
    ['a file that may not be changed', system('EPERM', -1), 2, 'EACCES'],
    ['a quota that is used up', system('EDQUOT', -122), 75, 'ENOSPC'],
    ['too many open files on the machine', system('ENFILE', -23), 75, 'EMFILE'],
    ['an invalid option of the sandbox', named('SandboxOptionError'), 2, 'USAGE'],
    ['Ctrl-C', named('AbortError'), 130, 'INTERRUPTED'],
    [
      'a failure of Temporal',
      named('TemporalFailure', { failure: { message: 'x' } }),
      1,
      'INTERNAL',
    ],
    ['any other error', new Error('surprise'), 1, 'INTERNAL'],
    ['a thrown string', 'surprise', 1, 'INTERNAL'],
  ];
  test.each(cases)(
    'explainError() returns the exit code and the error code for %s',
    (_name, error, exit, code) => {
      expect(explainError(error)).toMatchObject({ exit, code });
    },
  );

  test('an error that a person must resolve contains a fix', () => {
    const silent = cases.filter(([, error]) => {
      const { exit, fix, message } = explainError(error);
      return (
        exit >= 4 && exit !== exitCode.interrupted && fix === '' && !message.includes('renderline')
      );
    });
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test('the error for an unreachable Temporal server contains the lines to type', () => {
    const { fix } = explainError(noTemporal);
    expect(fix).toContain('renderline dev');
    expect(fix).toContain('export TEMPORAL_ADDRESS=');
  });

  test('the exit codes are the documented ones', () => {
    expect(Object.values(exitCode)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 69, 75, 130]);
  });
});

test.each([
  'Base URL "https://me:hush@platform.example" is not valid',
  'https://store.example/a?X-Amz-Signature=hush: not found',
])('no error contains a secret, whoever creates it: %s', (message) => {
  for (const error of [new Error(message), new RenderlineError(commandFailures.USAGE, message)])
    expect(explainError(error).message).not.toContain('hush');
});

test('the error for a port below 1024 suggests another port, not permissions of files', () => {
  const message = 'listen EACCES: permission denied 127.0.0.1:80';
  const listen = { code: 'EACCES', syscall: 'listen', address: '127.0.0.1', port: 80 };
  expect(explainError(Object.assign(new Error(message), listen))).toMatchObject({
    code: 'EACCES',
    message: 'This user is not permitted to listen on port 80.',
    fix: expect.stringMatching(/^Choose a port above 1023/),
  });
});

test.each([
  ["ENOENT: no such file or directory, stat '/x/a'", '/x/a: no such file or directory'],
  ["EXDEV: not permitted, rename '/x' -> '/y'", "EXDEV: not permitted, rename '/x' -> '/y'"],
])('an error of the operating system is shown: %s', (message, shown) => {
  const error = Object.assign(new Error(message), { code: 'ENOENT', path: '/x/a' });
  expect(explainError(error)).toMatchObject({ message: shown, fix: 'Check the path: /x/a' });
});
