import { expect, test } from 'vitest';
import { rethrowAs } from '../../../src/app/local/local-services.ts';
import { explainError } from '../../../src/app/renderline-error.ts';
import { CodecKeyMissingError } from '../../../src/temporal/codec/codec-errors.ts';

const missing = new CodecKeyMissingError('2026a', []);

test.each([
  ['a missing key', missing, { code: 'CODEC_KEY_MISSING', exit: 4, message: missing.message }],
  [
    'an unexpected error',
    new Error('words'),
    { code: 'INTERNAL', message: 'The worker failed: words' },
  ],
  ['a thrown string', 'words', { code: 'INTERNAL', message: 'The worker failed: words' }],
])('a worker that ends with %s causes an error with a code', async (_what, thrown, told) => {
  const error: unknown = await Promise.reject(thrown)
    .catch(rethrowAs('The worker failed'))
    .catch((e: unknown) => e);
  expect(explainError(error)).toMatchObject(told);
});
