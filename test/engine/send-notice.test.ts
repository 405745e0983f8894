// Telling a receiver how a run ended: signed as Standard Webhooks has it, and what each answer means.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendNotice, signatureHeaders } from '../../src/engine/send-notice.ts';
import type { Notice } from '../../src/plan/contract.ts';

const notice: Notice = {
  schema: 'renderline/run-notice/v1',
  run: 'shoes-20260102-030405-abcd',
  pipeline: 'shoes',
  outcome: 'partial_failure',
  assets: { total: 2, complete: 1, failed: 1, skipped: 0 },
  cause: null,
  failures: [{ key: 'a', node: 'shots', code: 'RENDER_FAILED', message: 'no light', attempts: 3 }],
  startedAt: '2026-01-02T03:04:05.000Z',
  endedAt: '2026-01-02T03:05:05.000Z',
};
const nowMs = Date.UTC(2026, 0, 2, 3, 5, 6, 789);
const never = new AbortController().signal;

let server: Server;
let got: { headers: IncomingHttpHeaders; body: string }[];
let status: number;
beforeEach(async () => {
  got = [];
  status = 204;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const send = (secret = 'shared words') => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?token=abc`;
  const target = { url, secretFrom: 'X', on: ['failed'] };
  return sendNotice({ id: 'run/notice-1', target, notice }, secret, nowMs, never);
};

describe('what is sent', () => {
  it('is the outcome of the run, and nothing that a receiver must not see', async () => {
    await send();
    const { endedAt, ...data } = notice;
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({ type: 'run.ended', timestamp: endedAt, data });
  });

  it('is signed over id, time and the bytes of the body', async () => {
    await send();
    const { headers, body } = got[0] ?? { headers: {}, body: '' };
    const signed = `run/notice-1.${Math.floor(nowMs / 1_000)}.${body}`;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'run/notice-1',
      'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
      'webhook-signature': `v1,${createHmac('sha256', 'shared words').update(signed).digest('base64')}`,
    });
  });

  it('agrees with the example of the standard', () => {
    const headers = signatureHeaders(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      1_614_265_330_000,
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('an answer', () => {
  it.each([200, 204, 299])('%i is taken', async (answer) => {
    status = answer;
    expect(await send()).toBe(answer);
  });

  it.each([400, 401, 404, 408, 429, 500, 503])('%i is tried again', async (answer) => {
    status = answer;
    await expect(send()).rejects.toMatchObject({ name: 'NoticeError', final: false });
  });

  it.each([301, 302, 307, 410])(
    '%i is the last word; a redirect is not followed',
    async (answer) => {
      status = answer;
      await expect(send()).rejects.toMatchObject({ name: 'NoticeError', final: true });
      expect(got).toHaveLength(1);
    },
  );

  it('that is an error names the receiver without its query', async () => {
    status = 500;
    await expect(send()).rejects.toThrow(/^http:\/\/127\.0\.0\.1:\d+\/in answered 500$/);
  });
});
