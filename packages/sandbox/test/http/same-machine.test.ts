// The sandbox accepts requests of programs and pages on this machine, but not of rebound DNS names.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findForbiddenSender } from '../../src/http/same-machine.ts';
import { startSandbox } from '../../src/server/server.ts';

const cases: [host: string | null, origin: string | null, isServed: boolean][] = [
  ['127.0.0.1:4010', null, true],
  ['127.0.0.9', null, true],
  ['localhost:4010', null, true],
  ['LOCALHOST', null, true],
  ['dev.localhost:4010', null, true],
  ['[::1]:4010', null, true],
  ['192.168.1.4:4010', null, true],
  ['sandbox:4010', null, true],
  ['sandbox.example:4010', null, true],
  ['evil.example:4010', null, false],
  ['localhost.evil.example', null, false],
  ['127.0.0.1.evil.example', null, false],
  ['sandbox.example.', null, true],
  ['evil.example.', null, false],
  ['', null, false],
  [null, null, false],
  ['127.0.0.1:4010', 'http://127.0.0.1:4010', true],
  ['127.0.0.1:4010', 'http://localhost:3000', true],
  ['sandbox:4010', 'http://sandbox:4010', true],
  ['sandbox.example', 'https://sandbox.example', true],
  ['127.0.0.1:4010', 'https://evil.example', false],
  ['127.0.0.1:4010', 'http://203.0.113.5', false],
  ['127.0.0.1:4010', 'http://intranet', false],
  ['127.0.0.1:4010', 'null', false],
  ['evil.example', 'http://evil.example', false],
];

describe('a request', () => {
  test.each(cases)('a request to %s from a page of %s is served: %s', (host, origin, isServed) => {
    expect(findForbiddenSender({ host, origin }, ['sandbox.example']) === null).toBe(isServed);
  });

  test.each([
    ['/_sandbox/stats', { host: 'evil.example' }],
    ['/_sandbox/faults', { origin: 'https://evil.example' }],
    ['/api/v1/me', { host: 'evil.example' }],
    ['/', { host: 'evil.example' }],
  ])('a request for %s with %o is refused with the reason', async (path, headers) => {
    const sandbox = await startSandbox();
    onTestFinished(sandbox.stop);
    const answered = new Promise<[number | undefined, string]>((resolve, reject) => {
      const sent = request(new URL(path, sandbox.origin), { headers }, (answer) => {
        void text(answer).then((body) => resolve([answer.statusCode, body]));
      });
      sent.once('error', reject).end();
    });
    const [status, body] = await answered;
    expect([status, JSON.parse(body)]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
    expect(body).toContain('evil.example');
  });
});
