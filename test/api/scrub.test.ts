import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber, scrubSecrets, toSafeMessage } from '../../src/api/responses/scrub.ts';

const canary = 'c4n4ry';

describe('the query of a signed URL', () => {
  it.each([
    `https://s3.example/b/k?X-Amz-Date=1&X-Amz-Signature=${canary}&x=2`,
    `https://s3.example/b/k?X-Amz-Credential=${canary}%2F2026`,
    `https://gcs.example/b/k?X-Goog-Signature=${canary}`,
    `https://blob.example/c/k?sv=2024&sig=${canary}%3D&se=2026-11-21`,
    `https://cdn.example/k?Policy=${canary}&Key-Pair-Id=K1&Signature=${canary}`,
    `http://127.0.0.1:4010/upload/1?token=${canary}`,
    `https://x.example/k?api_key=${canary}`,
    `https://x.example/k?jwt=${canary}`,
    `https://x.example/k?x=1&auth=${canary}`,
    `https://x.example/k?client_secret=${canary}`,
  ])('the query of %s is removed', (url) => {
    const clean = scrubSecrets(`PUT "${url}" failed`);
    expect(clean).not.toContain(canary);
    expect(clean).toBe(`PUT "${url.slice(0, url.indexOf('?'))}?[redacted]" failed`);
  });

  it.each([
    `X-Amz-Signature=${canary}`,
    `the query sig=${canary}&sv=1`,
    `signature=${canary}`,
    `access_token=${canary};`,
    `password=${canary} is wrong`,
    `refresh_token=${canary}`,
  ])('the query is removed even if only the parameter is left: %s', (text) => {
    expect(scrubSecrets(text)).not.toContain(canary);
  });
});

describe('keys', () => {
  it('keys are replaced if their values are given', () => {
    expect(createScrubber(['hunter2'])('key hunter2 and hunter2')).toBe(
      'key [redacted] and [redacted]',
    );
  });

  it('keys are recognized by their form', () => {
    expect(scrubSecrets('key svc_ab12_Zz9xQ is wrong')).toBe('key [redacted] is wrong');
  });

  it.each([
    [
      'as a user name and password before a host',
      'proxy http://ann:hunter-22@10.0.0.1:3128/',
      'proxy http://[redacted]@10.0.0.1:3128/',
    ],
    ['in place of a user name', 'sftp://tok3n@host', 'sftp://[redacted]@host'],
    ['as a bearer token', 'sent Bearer eyJhbGci.x-y', 'sent Bearer [redacted]'],
    [
      'in an Authorization header',
      'Authorization: Basic YW5uOmh1bnRlcg==',
      'Authorization: Basic [redacted]',
    ],
  ])('keys are recognized %s', (_, text, clean) => {
    expect(scrubSecrets(text)).toBe(clean);
  });

  it.each(['', 'a', 'ab', 'user:', 'Bearer '])(
    'keys are recognized in base64 after "%s"',
    (before) => {
      const secret = 'plain-Secret-of-Ann';
      for (const alphabet of ['base64', 'base64url'] as const) {
        for (const after of ['', 'x', 'xy']) {
          const text = Buffer.from(`${before}${secret}${after}`).toString(alphabet);
          const [, rest = text] = scrubSecrets(`key ${text}`, [secret]).split('[redacted]');
          expect(Buffer.from(rest, alphabet).toString()).not.toContain('Secret');
          expect(scrubSecrets(`key ${text}`, [secret])).toContain('[redacted]');
        }
      }
    },
  );

  it('keys are recognized in a URL', () => {
    expect(scrubSecrets('GET /x/a%2Fb%3Dcdefgh', ['a/b=cdefgh'])).toBe('GET /x/[redacted]');
  });

  it('an empty or very short secret does not cause words to be redacted', () => {
    expect(scrubSecrets('a model is ready', ['', 'a'])).toBe('a model is ready');
  });

  it('keys are removed from any text around them', () => {
    const secret = 'svc_prefix_secretPart';
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(scrubSecrets(`${before}${secret}${after}`, [secret])).not.toContain(secret);
      }),
    );
  });
});

describe('a secret in another encoding', () => {
  const secret = `p+ss/W=rd "q"&Ann\\x-Zz9`;
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  const each = (spell: (code: number) => string) =>
    Array.from(secret, (one) => spell(one.charCodeAt(0))).join('');
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  it.each<[string, string]>([
    ['a JSON string', json(secret)],
    ['a JSON string inside another', json(json(secret))],
    ['JSON with escaped slashes', json(secret).replaceAll('/', String.raw`\/`)],
    ['JSON with Unicode escapes', each((code) => `\\u${hex(code, 4)}`)],
    [
      'a URL with lower-case escapes',
      encodeURIComponent(secret).replace(/%../g, (one) => one.toLowerCase()),
    ],
    ['a URL with every character escaped', each((code) => `%${hex(code, 2)}`)],
    ['a URL inside another', encodeURIComponent(encodeURIComponent(secret))],
    ['form data', new URLSearchParams({ a: secret }).toString().slice(2)],
    ['hexadecimal', Buffer.from(secret).toString('hex')],
    ['upper-case hexadecimal', Buffer.from(secret).toString('hex').toUpperCase()],
    ['HTML', secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['HTML with decimal references', each((code) => `&#${code};`)],
    ['HTML with hexadecimal references', each((code) => `&#x${hex(code, 2)};`)],
    ['base64 in a URL', encodeURIComponent(base64(`a${secret}`))],
    ['base64 in JSON', base64(`ab${secret}`).replaceAll('/', String.raw`\/`)],
    ['base64 split into lines', base64(secret).replaceAll(/.{8}/g, '$&\r\n')],
    ['two lines', `${secret.slice(0, 9)}\n${secret.slice(9)}`],
    ['two lines of JSON', `${secret.slice(0, 9)}\\n${secret.slice(9)}`],
    ['JSON split by a color code', `${secret.slice(0, 9)}\\u001b[0m${secret.slice(9)}`],
    ['characters separated by invisible ones', Array.from(secret).join('\u200b')],
  ])('a secret is removed from %s', (_what, text) => {
    const clean = scrubSecrets(`key ${text} end`, [secret]);
    expect(clean).toMatch(/^key \S{0,6}\[redacted\]\S{0,4}\s{0,2} end$/);
  });

  it('a secret is removed from a JSON log and from truncated text', () => {
    const wrapped = { text: `sent ${json(secret)}`, header: { authorization: 'Basic c4n4ry' } };
    const clean = createScrubber([secret])(JSON.stringify(wrapped));
    expect(JSON.parse(clean)).toEqual({
      text: 'sent [redacted]',
      header: { authorization: '[redacted]' },
    });
    for (const form of [base64(`u:${secret}`), Buffer.from(secret).toString('hex')]) {
      expect(toSafeMessage(`${'x'.repeat(65)}${form}`, [secret], 20)).toMatch(/^x+…$/);
    }
  });

  it('a secret with several lines, such as a PEM key, is removed line by line', () => {
    const [first, second] = ['MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB'];
    const pem = `-----BEGIN PRIVATE KEY-----\n${first}\n${second}\n-----END PRIVATE KEY-----\n`;
    expect(scrubSecrets(`line 2: ${second}`, [pem])).toBe('line 2: [redacted]');
    expect(scrubSecrets(json(pem), [pem])).not.toMatch(/MIIE|AQEF/);
  });
});

describe('credentials of any form', () => {
  it.each([
    String.raw`https://s3.example/k?a=1\u0026sig=${canary}`,
    `https://s3.example/k?a=1&amp;sig=${canary}`,
    `https%3A%2F%2Fx.example%3Ftoken%3D${canary}`,
    `GET /upload/1?token=${canary} 403`,
    `session_token=${canary}`,
    `{"token":"${canary}"}`,
    String.raw`{\"password\": \"${canary}\"}`,
    `{'api_key': '${canary}'}`,
    `"authorization":"Basic ${canary}"`,
    `x-api-key: ${canary}`,
    `set-cookie: sid=${canary}`,
    `http://ann:p@ss-${canary}@host/`,
    `http://ann:p/ss-${canary}@host/`,
    String.raw`https:\/\/ann:${canary}@host`,
    `the token eyJhbGciOiJI.eyJzdWIiOiIx.${canary} of ann`,
  ])('credentials are removed from %s', (text) => {
    const clean = scrubSecrets(text);
    expect(clean).toContain('[redacted]');
    expect(clean).not.toContain(canary);
  });
});

describe('text of any length', () => {
  // A quadratic search would not finish these texts within the time of a test.
  it.each([
    'http://',
    'http://a?',
    'svc_',
    'svc_a',
    'token',
    'token=',
    '?sig=',
    'https://x?sig',
    'a.',
    'a://',
    'a://a:b',
    'eyJ',
    '-eyJaaaaaaaa.',
    '"token":"',
    'x_token',
    '\\u0026',
    'p+ss/W=rd ',
    'bearer ',
    'authorization: ',
  ])('text that repeats "%s" is scrubbed in linear time', (piece) => {
    const text = piece.repeat(400_000);
    expect(scrubSecrets(`${text} svc_a_b`, ['p+ss/W=rd-of-Ann'])).not.toContain('svc_a_b');
  });
});

describe('harmless text', () => {
  it.each([
    'https://api.example/api/v1/models?limit=50&offset=100',
    'models[3].fileType must be a bare lowercase extension',
    'the designer signed off; see signature page',
    'https://host/path#token',
    'the bearer certificate of ann@example.com',
    'see https://host/@ann and mailto ann@host',
    'basic operations; auth is off',
    'https://host:8080/@ann',
    'image renderline:1.2@sha256:abc',
    'max_tokens=5 nextPage=2',
    'the field "signature" of the page',
  ])('harmless text is unchanged: %s', (text) => {
    expect(scrubSecrets(text)).toBe(text);
  });
});

describe('safe messages', () => {
  it.each([
    ['split by a color code', 'key svc_ab\u001b[0m_s3cr3t!', 'key [redacted]!'],
    ['split by an invisible character', 'key svc_ab\u202e_s3cr3t!', 'key [redacted]!'],
    ['split by the truncation', `${'x'.repeat(75)}plainSecret`, `${'x'.repeat(19)}…`],
    ['at the start of the truncated part', `${'\u0007'.repeat(72)}plainSecret`, '…'],
  ])('a safe message contains no secret %s', (_, text, message) => {
    expect(toSafeMessage(text, ['plainSecret'], 20)).toBe(message);
  });

  it('a safe message keeps the start of a secret if the text was not truncated', () => {
    expect(toSafeMessage('see plain', ['plainSecret'])).toBe('see plain');
  });

  it('a safe message is short enough for a failure, and scrubbed before truncation', () => {
    const text = `${'x'.repeat(590)} svc_ab_${'s'.repeat(50)}`;
    const message = toSafeMessage(text, []);
    expect(message.length).toBeLessThanOrEqual(600);
    expect(message).not.toContain('svc_ab');
  });
});
