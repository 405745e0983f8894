// Texts of a hostile platform repeat keys and signed links, contain terminal control sequences, and do not end.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { OperationRow } from '../../src/api/contract/operation.ts';
import { givenName, markProse } from '../../src/api/contract/response-marks.ts';
import { decodeResponse, readOutput } from '../../src/api/decode.ts';
import { ApiError } from '../../src/api/errors/errors.ts';
import { type OperationId, operations } from '../../src/api/operations/index.ts';

const key = 'svc_canary_5ecretPart';
/** A key that does not have the usual form. */
const plainKey = 'aPlainOldSecret';
const link = 'https://store.example/f?X-Amz-Credential=c4n4ry&X-Amz-Signature=c4n4ry';
const secret = /5ecretPart|PlainOld|c4n4ry|owned/;

const hostile = [
  ['a key', `bad key ${key}`],
  ['a key of another shape', `bad key ${plainKey}`],
  ['a signed link', `no file at ${link}`],
  ['a link in quotes', `PUT "${link}" failed`],
  ['a key split by a color code', `bad svc_canary\u001b[0m_5ecretPart`],
  ['a window title', 'x\u001b]0;owned\u0007'],
  ['8-bit control sequences', 'x\u009d0;owned\u009c\u009b2J'],
  ['bidirectional control characters', 'x\u202ey\u2066'],
  ['a megabyte', 'http://'.repeat(150_000)],
  ['a megabyte of control characters', '\u0007'.repeat(1_000_000)],
] as const;

function expectClean(text: string): void {
  expect(text).not.toMatch(secret);
  expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  expect(text.length).toBeLessThanOrEqual(400);
}

const answerOf = (id: OperationId, status: number, body: unknown) =>
  decodeResponse(operations[id], { status, headers: {}, text: JSON.stringify(body) }, {
    url: new URL('http://127.0.0.1/api/v1'),
    rateHeaders: {},
    secrets: [key, plainKey],
  } as Parameters<typeof decodeResponse>[2]);

function read(id: OperationId, body: unknown): unknown {
  return readOutput(operations[id], 200, answerOf(id, 200, body)).output;
}

function refusal(status: number, error: unknown): ApiError {
  try {
    answerOf('getMe', status, { error });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('no error came');
}

describe.each(hostile)('text with %s', (_, text) => {
  it('hostile text is cleaned in the message of a refusal', () => {
    const { detail, code } = refusal(400, { code: 'VALIDATION_ERROR', message: text });
    expect(code).toBe('VALIDATION_ERROR');
    expectClean(detail);
  });

  it('hostile text is not used as the code of a refusal', () => {
    const { code, detail } = refusal(400, { code: text, message: 'why' });
    expect(code).toBe('HTTP_400');
    expectClean(detail);
  });

  it.each<[OperationId, (text: string) => unknown]>([
    ['checkModelStatus', (error) => ({ models: [{ modelId: 'm', status: 'FAILED', error }] })],
    ['createModels', (error) => ({ models: [], errors: [error] })],
    ['createJob', (error) => ({ jobId: 'j', models: [], errors: [error] })],
    ['getJob', (error) => ({ jobId: 'j', error, errors: [error] })],
    ['createProjects', (error) => ({ projects: [], errors: [error] })],
    ['getRenderJob', (errorMessage) => ({ status: 'FAILED', errorMessage })],
    [
      'getRenderBatch',
      (errorMessage) => ({ jobs: [{ jobId: 'j', status: 'FAILED', errorMessage }] }),
    ],
    [
      'getColorwayBatch',
      (errorMessage) => ({ jobs: [{ id: 'j', baseModelId: 'm', status: 'failed', errorMessage }] }),
    ],
    ['createColorwayBatch', (message) => ({ batchId: 'b', warnings: [{ modelId: 'm', message }] })],
    ['createDecals', (error) => ({ decals: [], errors: [error] })],
    [
      'checkMaterialStatus',
      (error) => ({ materials: [{ materialId: 'm', status: 'failed', error }] }),
    ],
    ['exportProductionFile', (reason) => ({ id: null, status: 'FAILED', reason })],
    ['listPipelineJobs', (lastError) => ({ jobs: [{ id: 'j', lastError }] })],
  ])('hostile text is cleaned in the response of %s', (id, body) => {
    const texts = textsIn(read(id, body('before')), 'before');
    expect(texts).not.toHaveLength(0);
    for (const clean of textsIn(read(id, body(text)))) expectClean(clean);
  });
});

/** All texts in the read value, or those equal to a given one. */
function textsIn(value: unknown, same?: string): string[] {
  if (typeof value === 'string') return same === undefined || value === same ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part) => textsIn(part, same));
}

describe('names', () => {
  const nameIn = (name: string) =>
    (read('getModel', { modelId: 'm', name }) as { name: string }).name;

  it.each([
    ['tabs and line breaks', 'Red\tshoe\n2'],
    ['an escape sequence', 'Red \u001b[31mshoe'],
    ['text that looks like a key', 'svc_red_large'],
    ['an address', 'https://example.com/shoe?size=42'],
    ['words that look like a parameter', 'red; token=42'],
    ['two thousand characters', 'x'.repeat(2_000)],
  ])('names keep %s, since callers match by name', (_, name) => {
    expect(nameIn(name)).toBe(name);
  });

  it('names are truncated to 2,000 characters', () => {
    expect(nameIn('x'.repeat(1_000_000))).toHaveLength(2_000);
  });

  it.each([
    ['the key', `shoe ${key}`],
    ['a key of another shape', `shoe ${plainKey}`],
    ['a signed link', link],
  ])('names do not keep %s', (_, name) => {
    expect(nameIn(name)).not.toMatch(secret);
  });
});

it('the key is removed from a response, parsed or raw', () => {
  const body = { workspace: { id: key, [key]: [{ deep: plainKey }] } };
  expect(JSON.stringify(answerOf('getMe', 200, body))).not.toMatch(secret);
});

it('text of more than 8,192 characters is omitted and reported', () => {
  const row: OperationRow = {
    ...operations.getMe,
    response: z.object({ url: z.string(), name: givenName, why: markProse(z.string()) }),
  };
  const { output, anomalies } = readOutput(row, 200, {
    url: 'x'.repeat(8_193),
    name: 'n',
    why: 'w',
  });
  expect(output).toEqual({ name: 'n', why: 'w' });
  expect(anomalies).toMatchObject([{ path: 'url' }]);
});
