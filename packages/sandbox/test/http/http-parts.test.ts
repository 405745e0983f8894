// Parts of the HTTP layer: byte ranges, queries and bodies, signed links, seeded ids.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ErrorCode, errorCodes } from '../../../../src/api/contract/error-codes.ts';
import type { OperationRow } from '../../../../src/api/contract/operation.ts';
import { decodeBody, describeIssues, queryDecoder } from '../../src/http/decode.ts';
import { ApiFailure, formatErrorBody } from '../../src/http/failure.ts';
import { Links } from '../../src/http/links.ts';
import { parseRange } from '../../src/http/parse-range.ts';
import { createGuid, randomFraction } from '../../src/state/seeded-random.ts';

describe('ranges of a file of 100 bytes (RFC 9110, section 14)', () => {
  const whole = undefined;
  test.each([
    [undefined, whole],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=0-99', { first: 0, last: 99 }],
    ['bytes=10-', { first: 10, last: 99 }],
    ['bytes=99-', { first: 99, last: 99 }],
    ['bytes=90-500', { first: 90, last: 99 }],
    ['bytes=-1', { first: 99, last: 99 }],
    ['bytes=-100', { first: 0, last: 99 }],
    ['bytes=-500', { first: 0, last: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    // An invalid range, or several ranges, return the whole file.
    ['bytes=5-4', whole],
    ['bytes=-', whole],
    ['bytes=0-1,5-6', whole],
    ['bytes=a-b', whole],
    ['bytes= 0-1', whole],
    ['items=0-1', whole],
    ['0-1', whole],
  ] as const)('the Range header %s selects %j', (header, range) => {
    expect(parseRange(header, 100)).toEqual(range);
  });

  test.each(['bytes=0-', 'bytes=0-0', 'bytes=-1'])(
    'the Range header %s is unsatisfiable for an empty file',
    (header) => {
      expect(parseRange(header, 0)).toBe('unsatisfiable');
    },
  );

  test('a satisfiable range is inside the file', () => {
    const bound = fc.option(fc.nat({ max: 300 }), { nil: '' });
    fc.assert(
      fc.property(bound, bound, fc.integer({ min: 1, max: 200 }), (from, to, bytes) => {
        const range = parseRange(`bytes=${from}-${to}`, bytes);
        if (range === undefined || range === 'unsatisfiable') return;
        const { first, last } = range;
        expect([first >= 0, first <= last, last < bytes]).toEqual([true, true, true]);
      }),
    );
  });
});

/** A row with these schemas, which are the only parts that the decoder uses. */
const row = (parts: object) => parts as unknown as OperationRow;

const refusalOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiFailure) return `${error.status} ${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
};

describe('queries', () => {
  const query = z.object({
    limit: z.number().int().min(1).max(100).default(50),
    ratio: z.number().optional(),
    isVideo: z.boolean().optional(),
    name: z.string().optional(),
  });
  const decode = queryDecoder(row({ query }));

  test.each([
    ['', { limit: 50 }],
    ['limit=7', { limit: 7 }],
    ['ratio=1.5', { limit: 50, ratio: 1.5 }],
    ['ratio=-2e3', { limit: 50, ratio: -2000 }],
    ['isVideo=true', { limit: 50, isVideo: true }],
    ['isVideo=False', { limit: 50, isVideo: false }],
    // A number or boolean stays text if the field is text.
    ['name=12', { limit: 50, name: '12' }],
    ['name=true', { limit: 50, name: 'true' }],
    ['name=', { limit: 50, name: '' }],
    ['name=a%20b%26c', { limit: 50, name: 'a b&c' }],
    ['unknown=1', { limit: 50 }],
    ['limit=7&limit=8', { limit: 7 }],
  ])('the query "%s" is decoded', (text, values) => {
    expect(decode(new URLSearchParams(text))).toEqual(values);
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=',
    'limit=ten',
    'limit=0x10',
    'limit= 7',
    'ratio=',
    'ratio=Infinity',
    'isVideo=1',
    'isVideo=yes',
  ])('the query "%s" is refused, with the name of the parameter', (text) => {
    const [name] = text.split('=');
    expect(refusalOf(() => decode(new URLSearchParams(text)))).toMatch(
      new RegExp(`^400 VALIDATION_ERROR ${name}: `),
    );
  });

  test('an operation without query parameters ignores the query', () => {
    expect(queryDecoder(row({}))(new URLSearchParams('limit=ten'))).toBeUndefined();
  });
});

describe('bodies', () => {
  const decoded = (text: string, type?: string, body: unknown = z.object({ a: z.number() })) =>
    refusalOf(() => expect(decodeBody(row({ body }), type, Buffer.from(text))).toEqual({ a: 1 }));

  test.each([
    [undefined, 'accepted'],
    ['application/json', 'accepted'],
    ['APPLICATION/JSON', 'accepted'],
    ['application/merge-patch+json', 'accepted'],
    ['text/plain', '400 VALIDATION_ERROR Content-Type must be application/json, not text/plain.'],
    [
      'application/xml',
      '400 VALIDATION_ERROR Content-Type must be application/json, not application/xml.',
    ],
    [
      'text/application/json',
      '400 VALIDATION_ERROR Content-Type must be application/json, not text/application/json.',
    ],
  ])('decoding a body of the type %s has the result: %s', (type, outcome) => {
    expect(decoded('{"a":1}', type)).toBe(outcome);
  });

  test.each([
    ['', 'body: a JSON body is required'],
    ['{', 'body: not valid JSON'],
    ['{"a":1}x', 'body: not valid JSON'],
  ])('the body %j is refused: %s', (text, message) => {
    expect(decoded(text)).toBe(`400 VALIDATION_ERROR ${message}`);
  });

  test('an operation without a body ignores the body that is sent', () => {
    expect(decodeBody(row({}), 'text/plain', Buffer.from('{'))).toBeUndefined();
  });
});

describe('the message of a refusal', () => {
  const schema = z.object({
    models: z.array(z.object({ fileType: z.string('wants text') })),
    name: z.string('wants text'),
  });
  const issuesOf = (value: unknown, of: z.ZodType = schema) => {
    const { error } = of.safeParse(value);
    return error === undefined ? '' : describeIssues('body', error);
  };

  test.each([
    [{ models: [] }, 'name: wants text'],
    [{ models: [{ fileType: 'glb' }, {}], name: '' }, 'models[1].fileType: wants text'],
    [{ models: [{}], name: 1 }, 'models[0].fileType: wants text; name: wants text'],
  ])('the message for %j is: %s', (value, message) => {
    expect(issuesOf(value)).toBe(message);
  });

  test('the message for a body that is not an object starts with "body"', () => {
    expect(issuesOf(1, z.string('wants text'))).toBe('body: wants text');
  });

  test.each([
    [5, ''],
    [6, '; and 1 more'],
    [50, '; and 45 more'],
  ])('for %d problems, the message lists the first five', (count, more) => {
    const models = Array.from({ length: count }, () => ({}));
    const five = [0, 1, 2, 3, 4].map((index) => `models[${index}].fileType: wants text`);
    expect(issuesOf({ models, name: '' })).toBe(five.join('; ') + more);
  });
});

describe('refusals (platform.md, section 7)', () => {
  // Copied from the specification's table.
  test.each<[ErrorCode, number]>([
    ['MISSING_API_KEY', 401],
    ['INVALID_API_KEY', 401],
    ['WORKSPACE_NOT_FOUND', 401],
    ['VALIDATION_ERROR', 400],
    ['INVALID_STATUS', 400],
    ['FILE_NOT_UPLOADED', 400],
    ['GEO_RESTRICTED', 403],
    ['PLAN_LIMIT_REACHED', 403],
    ['STORAGE_LIMIT_REACHED', 403],
    ['MODEL_NOT_FOUND', 404],
    ['PROJECT_NOT_FOUND', 404],
    ['TEMPLATE_NOT_FOUND', 404],
    ['JOB_NOT_FOUND', 404],
    ['RENDER_JOB_NOT_FOUND', 404],
    ['NOT_FOUND', 404],
    ['NO_FILE', 404],
    ['IDEMPOTENCY_CONFLICT', 409],
    ['MODEL_FILE_TOO_LARGE', 413],
    ['IDEMPOTENCY_KEY_REUSED', 422],
    ['RATE_LIMITED', 429],
    ['INTERNAL_ERROR', 500],
  ])('the code %s has the status %d', (code, status) => {
    expect(new ApiFailure(code, 'why').status).toBe(status);
    expect(errorCodes[code].status).toBe(status);
    expect(JSON.parse(formatErrorBody(code, 'why'))).toEqual({ error: { code, message: 'why' } });
  });
});

describe('signed links', () => {
  const links = new Links('secret', 3600);
  const parts = (link: string) => {
    const url = new URL(link);
    return [url.pathname, url.searchParams] as const;
  };
  const [path, query] = parts(links.sign('PUT', 'https://here', 'a', 1000.5));
  const changed = (name: string, value: string) => {
    const other = new URLSearchParams(query);
    other.set(name, value);
    return other;
  };

  test.each([
    ['immediately', 'PUT', path, query, 1001, undefined],
    ['in its last millisecond', 'PUT', path, query, 3_601_000, undefined],
    ['after an hour', 'PUT', path, query, 3_601_001, 'expired'],
    ['for reading instead of writing', 'GET', path, query, 1001, 'signature'],
    ['for another file', 'PUT', '/storage/upload/b', query, 1001, 'signature'],
    ['with a later expiry', 'PUT', path, changed('expires', '9999999999999'), 1001, 'signature'],
    ['without an expiry', 'PUT', path, changed('expires', ''), 1001, 'signature'],
    ['without a signature', 'PUT', path, changed('signature', ''), 1001, 'signature'],
    ['with a shorter signature', 'PUT', path, changed('signature', 'ab'), 1001, 'signature'],
    ['forged and expired, which is reported as forged', 'GET', path, query, 9e9, 'signature'],
  ] as const)(
    'a link %s is accepted, or refused with a reason',
    (_title, method, on, given, now, problem) => {
      expect(links.check(method, on, given, now)).toBe(problem);
    },
  );

  test('links with another secret are refused', () => {
    expect(new Links('other', 3600).check('PUT', path, query, 1001)).toBe('signature');
  });
});

describe('seeded values', () => {
  test('seeded values depend only on the seed and the parts, and are in [0, 1)', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), (seed, part) => {
        const value = randomFraction(seed, part, 1);
        expect([value >= 0, value < 1, randomFraction(seed, part, 1)]).toEqual([true, true, value]);
      }),
    );
    expect(
      new Set([randomFraction(1, 'a'), randomFraction(2, 'a'), randomFraction(1, 'b')]).size,
    ).toBe(3);
  });

  test('seeded ids are version 4 GUIDs of variant 1 (RFC 9562)', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), (seed, part) => {
        expect(createGuid(seed, part)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
    expect(createGuid(1, 'model', 1)).not.toBe(createGuid(1, 'model', 2));
  });
});
