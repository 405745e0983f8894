// Notices to a receiver: signed according to Standard Webhooks, and the meaning of each response.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Network } from '../../src/api/network/network-guard.ts';
import {
  computeNoticeDelayMs,
  createSignatureHeaders,
  formatNoticeBody,
  NoticeError,
  sendNotice,
} from '../../src/features/notices/send-notice.ts';
import { readOperatorRules } from '../../src/settings/operator-rules.ts';
import { useReceiver } from './_receiver.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 5, 6, 789);
const never = new AbortController().signal;
/** Secrets of the worker, which pipeline files must not use. */
const ownVariables = {
  RENDERLINE_API_KEY: 'canary-4711',
  SHOP_SECRET: 'canary-4711',
  RENDERLINE_ALLOW_SECRETS: 'RENDERLINE_API_KEY',
};
const receiver = useReceiver();
const body = formatNoticeBody('run.ended', '2026-01-02T03:05:05.000Z', { run: 'shoes-1' });

interface Odd {
  secretFrom?: string;
  network?: Network;
  more?: Record<string, string>;
}

const send = (
  secret = 'shared words',
  url = `${receiver.url}?token=abc`,
  { secretFrom = 'RENDERLINE_SECRET_HOOK', network = 'any', more = {} }: Odd = {},
) => {
  const env = { RENDERLINE_SECRET_HOOK: secret, ...ownVariables, ...more };
  const target = { url, secretFrom };
  return sendNotice(
    { id: 'run/notice-1', target, body },
    readOperatorRules(env, network),
    nowMs,
    never,
  );
};

describe('a notice', () => {
  it('a notice contains the event and its time', async () => {
    await send();
    expect(JSON.parse(receiver.got[0]?.body ?? '')).toEqual({
      type: 'run.ended',
      timestamp: '2026-01-02T03:05:05.000Z',
      data: { run: 'shoes-1' },
    });
  });

  it('a notice is signed over its id, its time and the bytes of its body', async () => {
    await send();
    const { headers, body: bytes } = receiver.got[0] ?? { headers: {}, body: '' };
    const signed = `run/notice-1.${Math.floor(nowMs / 1_000)}.${bytes}`;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'run/notice-1',
      'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
      'webhook-signature': `v1,${createHmac('sha256', 'shared words').update(signed).digest('base64')}`,
    });
  });

  it("a notice has the signature from the standard's example", () => {
    const headers = createSignatureHeaders(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      1_614_265_330_000,
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('the response to a notice', () => {
  it.each([200, 204, 299])('a response with status %i is accepted', async (answer) => {
    receiver.responses = [answer];
    expect(await send()).toBe(answer);
  });

  it.each([408, 429, 500, 503])('a response with status %i is retried', async (status) => {
    receiver.responses = [status];
    await expect(send()).rejects.toMatchObject({ name: 'NoticeError', isPermanent: false, status });
  });

  it.each([301, 302, 307, 400, 401, 404, 410])(
    'a response with status %i is final, and no redirect is followed',
    async (status) => {
      receiver.responses = [status];
      await expect(send()).rejects.toMatchObject({
        name: 'NoticeError',
        isPermanent: true,
        status,
      });
      expect(receiver.got).toHaveLength(1);
    },
  );

  it('a message about an error response identifies the receiver without its query', async () => {
    receiver.responses = [500];
    await expect(send()).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+\/in responded with status 500$/,
    );
  });

  it('a response that never arrives is retried', async () => {
    receiver.responses = [(response) => response.destroy()];
    await expect(send()).rejects.toMatchObject({ isPermanent: false, status: null });
    await expect(send('x', 'http://127.0.0.1:9/in')).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:9\/in: connection refused/,
    );
  });

  it('no request is sent if the secret is missing, because another worker may have it', async () => {
    await expect(send('')).rejects.toMatchObject({
      message: expect.stringContaining('RENDERLINE_SECRET_HOOK is not set'),
      isPermanent: false,
    });
    expect(receiver.got).toEqual([]);
  });
});

describe('an invalid receiver in a pipeline file', () => {
  it.each([
    ['RENDERLINE_API_KEY', /^RENDERLINE_API_KEY belongs to the worker itself/, true],
    ['SHOP_SECRET', /^SHOP_SECRET does not begin with RENDERLINE_SECRET_/, false],
  ])('a notice must not be signed with %s', async (secretFrom, message, isPermanent) => {
    const sending = send('x', receiver.url, { secretFrom });
    await expect(sending).rejects.toMatchObject({
      message: expect.stringMatching(message),
      isPermanent,
    });
    await expect(sending).rejects.not.toThrow(/canary/);
    expect(receiver.got).toEqual([]);
  });

  it.each([
    ['http://hooks.example/in', 'any', /unencrypted/, false],
    [
      'http://169.254.169.254/latest',
      'any',
      /cloud metadata service, which returns credentials/,
      true,
    ],
    [
      'https://metadata.google.internal/in',
      'any',
      /cloud metadata service, which returns credentials/,
      true,
    ],
    [
      'https://[::ffff:a9fe:a9fe]/in',
      'public',
      /cloud metadata service, which returns credentials/,
      true,
    ],
    ['https://10.0.0.7/in', 'public', /is private or local/, false],
    ['http://127.0.0.1:9/in', 'public', /is private or local/, false],
    ['https://intranet/in', 'public', /is private or local/, false],
  ] as const)(
    'a notice must not be sent to %s if the allowed network is %s',
    async (url, network, message, isPermanent) => {
      await expect(send('x', url, { network })).rejects.toMatchObject({
        message: expect.stringMatching(message),
        isPermanent,
      });
    },
  );

  it('a notice may be sent if the operator allows the host, unless it is a cloud metadata service', async () => {
    const more = { RENDERLINE_ALLOW_HOSTS: 'other.example, 127.0.0.1,169.254.169.254' };
    expect(await send('x', receiver.url, { network: 'public', more })).toBe(200);
    const metadata = send('x', 'http://169.254.169.254/', { network: 'public', more });
    await expect(metadata).rejects.toMatchObject({ isPermanent: true });
  });
});

describe('the next attempt to send a notice', () => {
  it.each([
    [1, 5_000],
    [2, 10_000],
    [5, 80_000],
    [8, 640_000],
    [9, 900_000],
    [2_000, 900_000],
  ])('attempt %i is followed by the next one after %i ms', (attempt, delayMs) => {
    expect(computeNoticeDelayMs(new NoticeError('away'), attempt)).toBe(delayMs);
  });

  it.each([
    ['60', 60_000],
    ['1', 5_000],
    ['86400', 900_000],
    ['soon', 5_000],
  ])('the next attempt respects `Retry-After: %s` within the limits', async (header, delayMs) => {
    receiver.responses = [(response) => response.writeHead(429, { 'retry-after': header }).end()];
    const error = await send().catch((thrown: unknown) => thrown);
    if (!(error instanceof NoticeError)) throw new Error('taken');
    expect(computeNoticeDelayMs(error, 1)).toBe(delayMs);
  });
});

describe('a notice to a channel', () => {
  const secret = '/services/T0/B0/canary-4711';
  const tell = (env: Record<string, string>) =>
    sendNotice(
      {
        id: 'n',
        target: { format: 'slack', urlFrom: 'RENDERLINE_SECRET_SLACK' },
        body: '{"text":"x"}',
      },
      readOperatorRules(env, 'any'),
      nowMs,
      never,
    );

  it('a notice is posted unsigned to the address in the variable', async () => {
    const url = new URL(secret, receiver.url).href;
    expect(await tell({ RENDERLINE_SECRET_SLACK: `${url}\n` })).toBe(200);
    const [{ headers, body: sent } = { headers: {}, body: '' }] = receiver.got;
    expect(sent).toBe('{"text":"x"}');
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  it.each([
    ['a refusal', 404, /^Slack \(RENDERLINE_SECRET_SLACK\) responded with status 404$/],
    ['a refused connection', null, /^Slack \(RENDERLINE_SECRET_SLACK\): /],
  ])(
    'the message about %s contains the variable, never the address',
    async (_what, status, message) => {
      if (status !== null) receiver.responses.push(status);
      const url = new URL(secret, status === null ? 'http://127.0.0.1:1' : receiver.url).href;
      const error = await tell({ RENDERLINE_SECRET_SLACK: url }).catch((thrown: unknown) => thrown);
      if (!(error instanceof NoticeError)) throw error;
      expect(error.message).toMatch(message);
      expect(`${error.message} ${error.stack}`).not.toContain('canary');
    },
  );

  it('a notice to a secret address is signed if a secret is given too, and no message contains either', async () => {
    const url = new URL(secret, receiver.url).href;
    const rules = readOperatorRules(
      { RENDERLINE_SECRET_URL: url, RENDERLINE_SECRET_HOOK: 'shared words' },
      'any',
    );
    const target = { urlFrom: 'RENDERLINE_SECRET_URL', secretFrom: 'RENDERLINE_SECRET_HOOK' };
    expect(await sendNotice({ id: 'n', target, body }, rules, nowMs, never)).toBe(200);
    expect(receiver.got[0]?.headers).toMatchObject(
      createSignatureHeaders('n', body, 'shared words', nowMs),
    );
    receiver.responses = [404];
    await expect(sendNotice({ id: 'n', target, body }, rules, nowMs, never)).rejects.toThrow(
      /^the receiver \(RENDERLINE_SECRET_URL\) responded with status 404$/,
    );
  });

  it('a notice fails if the variable is missing or contains no address', async () => {
    await expect(tell({ RENDERLINE_SECRET_SLACK: 'canary' })).rejects.toThrow(
      /^Slack \(RENDERLINE_SECRET_SLACK\) does not contain a webhook URL$/,
    );
    await expect(tell({})).rejects.toThrow(/RENDERLINE_SECRET_SLACK is not set/);
  });
});
