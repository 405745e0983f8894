// Fuzzes responses of a misbehaving platform for every operation. Each response is parsed or refused with a specific
// error, and no text in the result exceeds its limit.
import fc from 'fast-check';
import { z } from 'zod';
import type { OperationRow } from '../../src/api/contract/operation.ts';
import { decodeResponse, readOutput } from '../../src/api/decode.ts';
import { ApiError, ResponseShapeError, TransportError } from '../../src/api/errors/errors.ts';
import { operations } from '../../src/api/operations/index.ts';
import { maxDataLength } from '../../src/api/responses/response-values.ts';
import { assertAtMost, textOf } from './arbitraries.ts';

const secret = 'svc_abcd_0123456789abcdef';
/** Maximum length of an error that quotes the platform. */
const maxMessageLength = 4_000;

const rows: readonly OperationRow[] = Object.values(operations);
const fields = [...new Set(rows.flatMap(({ response }) => fieldsOf(response)))];

function fieldsOf(response: OperationRow['response']): string[] {
  return response instanceof z.ZodObject ? Object.keys(response.shape) : [];
}

const text = textOf(
  [
    '{',
    '}',
    '[',
    ']',
    ',',
    '{}',
    '[{}]',
    '{},',
    'null',
    '0',
    '-1',
    '1e999',
    '"',
    '"a"',
    `"${secret}"`,
    '"https://h.example/f?X-Amz-Signature=0123456789abcdef"',
    '"\\u001b]0;x\\u0007"',
    '"\\u202e"',
    '"error":{"code":"A","message":"b"}',
    ...fields.map((field) => `"${field}":`),
  ],
  300_000,
);

/** Whole objects are generated, because random text is rarely JSON. */
const object = fc
  .dictionary(fc.constantFrom(...fields, 'error'), fc.anything({ maxDepth: 3 }), { maxKeys: 8 })
  .map((value) => JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? 1 : part)));

const answer = fc.record({
  row: fc.constantFrom(...rows),
  status: fc.constantFrom(200, 201, 204, 302, 400, 404, 429, 500, 502),
  text: fc.oneof(text, object),
});

function holds({ row, status, text: body }: { row: OperationRow; status: number; text: string }) {
  const context = {
    url: new URL('https://platform.example/api/v1/x'),
    rateHeaders: {},
    secrets: [secret],
  };
  try {
    const raw = decodeResponse(row, { status, headers: {}, text: body }, context);
    const { output } = readOutput(row, status, raw);
    const serialized = JSON.stringify(output) ?? '';
    if (serialized.includes(secret)) throw new Error('the result contains the API key');
    assertAtMost(maxTextLength(output), maxDataLength, 'characters of a text');
  } catch (error) {
    const isNamed = [ApiError, ResponseShapeError, TransportError].some(
      (kind) => error instanceof kind,
    );
    if (!(isNamed && error instanceof Error)) throw error;
    if (error.message.includes(secret))
      throw new Error('the result contains the API key', { cause: error });
    assertAtMost(error.message.length, maxMessageLength, 'characters of a message');
  }
}

function maxTextLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    // The HTML of `previewProductionFile` is a whole page, so the limit for text does not apply.
    (max, [name, part]) => (name === 'html' ? max : Math.max(max, maxTextLength(part))),
    0,
  );
}

export const answers = fc.property(answer, holds);
