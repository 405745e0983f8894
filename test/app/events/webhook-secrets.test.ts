// A receiver without a secret polls the platform until it gets one.
import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { awaitSecret, explainMissingSecret } from '../../../src/app/events/webhook-secrets.ts';
import { Secrets } from '../../../src/receiver/secrets.ts';

class NotFoundError extends Error {
  override name = 'NotFoundError';
}

test('a webhook that is registered later is used, and the start and the end of the wait are reported', async () => {
  let asked = 0;
  const secrets = new Secrets([], {
    read: async () => {
      asked += 1;
      if (asked < 3) throw new NotFoundError('no webhook');
      return 'the-secret';
    },
  });
  const told: string[] = [];
  const known = new EventEmitter();
  const note = (text: string) => {
    told.push(text.split('\n')[0] ?? '');
    if (told.length === 2) known.emit('told');
  };
  const ended = once(known, 'told');
  await awaitSecret(secrets, { note, stop: new AbortController().signal, pollIntervalMs: 1 });
  expect([told.length, secrets.valid]).toEqual([1, []]);
  await ended;
  expect(secrets.valid).toEqual(['the-secret']);
  expect(told[1]).toContain('registered now');
});

test('a stop ends the wait', async () => {
  let asked = 0;
  const read = () => {
    asked += 1;
    return Promise.reject(new NotFoundError('no webhook'));
  };
  const stop = new AbortController();
  const told: string[] = [];
  const note = (text: string) => void told.push(text);
  await awaitSecret(new Secrets([], { read }), { note, stop: stop.signal, pollIntervalMs: 60_000 });
  stop.abort();
  expect([asked, told.length]).toEqual([1, 1]);
});

test.each([
  ['no problem is reported if the platform has none', new NotFoundError('no webhook'), 3, null],
  ['no problem is reported if no notification has failed', new Error('no path'), 0, null],
  ['no problem is reported if the platform was not queried', null, 3, null],
  [
    'a failed read of the secret is explained',
    new Error('no path'),
    3,
    /unknown \(no path\): set RENDERLINE_WEBHOOK_SECRET/,
  ],
])('without a secret, %s', (_, refusal, failed, fault) => {
  const found = explainMissingSecret({ valid: [], refusal }, { failed });
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
});

test('with a secret, no problem is reported, whatever was refused before', () => {
  expect(
    explainMissingSecret({ valid: ['one'], refusal: new Error('no path') }, { failed: 3 }),
  ).toBeNull();
});
