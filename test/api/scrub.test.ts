import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber, safeMessage, scrub } from '../../src/api/scrub.ts';

const canary = 'c4n4ry';

describe('signed URLs lose their query', () => {
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
  ])('%s', (url) => {
    const clean = scrub(`PUT "${url}" failed`);
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
  ])('also where only the parameter is left: %s', (text) => {
    expect(scrub(text)).not.toContain(canary);
  });
});

describe('keys', () => {
  it('replaces the values it was told', () => {
    expect(createScrubber(['hunter2'])('key hunter2 and hunter2')).toBe(
      'key [redacted] and [redacted]',
    );
  });

  it('knows the shape of a key without being told', () => {
    expect(scrub('key svc_ab12_Zz9xQ is wrong')).toBe('key [redacted] is wrong');
  });

  it.each([
    [
      'before a host',
      'proxy http://ann:hunter-22@10.0.0.1:3128/',
      'proxy http://[redacted]@10.0.0.1:3128/',
    ],
    ['of a user alone', 'sftp://tok3n@host', 'sftp://[redacted]@host'],
    ['as a bearer', 'sent Bearer eyJhbGci.x-y', 'sent Bearer [redacted]'],
    ['of a header', 'Authorization: Basic YW5uOmh1bnRlcg==', 'Authorization: Basic [redacted]'],
  ])('are known %s', (_, text, clean) => {
    expect(scrub(text)).toBe(clean);
  });

  it.each(['', 'a', 'ab', 'user:', 'Bearer '])('are known in base64 behind "%s"', (before) => {
    const secret = 'plain-Secret-of-Ann';
    for (const alphabet of ['base64', 'base64url'] as const) {
      for (const after of ['', 'x', 'xy']) {
        const text = Buffer.from(`${before}${secret}${after}`).toString(alphabet);
        const [, rest = text] = scrub(`key ${text}`, [secret]).split('[redacted]');
        expect(Buffer.from(rest, alphabet).toString()).not.toContain('Secret');
        expect(scrub(`key ${text}`, [secret])).toContain('[redacted]');
      }
    }
  });

  it('are known in an address', () => {
    expect(scrub('GET /x/a%2Fb%3Dcdefgh', ['a/b=cdefgh'])).toBe('GET /x/[redacted]');
  });

  it('does not shred words for an empty or tiny secret', () => {
    expect(scrub('a model is ready', ['', 'a'])).toBe('a model is ready');
  });

  it('leaves nothing of a secret in any text around it', () => {
    const secret = 'svc_prefix_secretPart';
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(scrub(`${before}${secret}${after}`, [secret])).not.toContain(secret);
      }),
    );
  });
});

describe('a text of any length', () => {
  // Looked through from each of its pieces to its end, none of these comes to an end in the time of a test.
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
    'bearer ',
    'authorization: ',
  ])('made of "%s" is looked through once', (piece) => {
    const text = piece.repeat(400_000);
    expect(scrub(`${text} svc_a_b`)).not.toContain('svc_a_b');
  });
});

describe('what stays', () => {
  it.each([
    'https://api.example/api/v1/models?limit=50&offset=100',
    'models[3].fileType must be a bare lowercase extension',
    'the designer signed off; see signature page',
    'https://host/path#token',
    'the bearer certificate of ann@example.com',
    'see https://host/@ann and mailto ann@host',
    'basic operations; auth is off',
  ])('%s', (text) => {
    expect(scrub(text)).toBe(text);
  });
});

describe('safe messages', () => {
  it.each([
    ['that a colour cuts in two', 'key svc_ab\u001b[0m_s3cr3t!', 'key [redacted]!'],
    ['that an unseen character cuts in two', 'key svc_ab\u202e_s3cr3t!', 'key [redacted]!'],
    ['that the cut goes through', `${'x'.repeat(75)}plainSecret`, `${'x'.repeat(19)}…`],
    ['that only the cut shows', `${'\u0007'.repeat(72)}plainSecret`, '…'],
  ])('hold no secret %s', (_, text, message) => {
    expect(safeMessage(text, ['plainSecret'], 20)).toBe(message);
  });

  it('keep the beginning of a secret where nothing was cut', () => {
    expect(safeMessage('see plain', ['plainSecret'])).toBe('see plain');
  });

  it('are short enough for a failure, and scrubbed before they are cut', () => {
    const text = `${'x'.repeat(590)} svc_ab_${'s'.repeat(50)}`;
    const message = safeMessage(text, []);
    expect(message.length).toBeLessThanOrEqual(600);
    expect(message).not.toContain('svc_ab');
  });
});
