import { expect, test } from 'vitest';
import { rethrowAs } from '../../../src/app/local/local-services.ts';
import { explainError } from '../../../src/app/renderline-error.ts';
import { CodecKeyMissingError } from '../../../src/temporal/codec/codec-errors.ts';

const missing = new CodecKeyMissingError('2026a', []);

test.each([
  [
    'a key that is missing',
    missing,
    { code: 'CODEC_KEY_MISSING', exit: 4, message: missing.message },
  ],
  [
    'what nobody foresaw',
    new Error('words'),
    { code: 'INTERNAL', message: 'The worker failed: words' },
  ],
  ['what is no error', 'words', { code: 'INTERNAL', message: 'The worker failed: words' }],
])('a worker that ends by %s', async (_what, thrown, told) => {
  const error: unknown = await Promise.reject(thrown)
    .catch(rethrowAs('The worker failed'))
    .catch((e: unknown) => e);
  expect(explainError(error)).toMatchObject(told);
});
