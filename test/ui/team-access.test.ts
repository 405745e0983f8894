// Access to the pages of a team: through a proxy that names the visitor, or with a signed link to one decision.
import { describe, expect, test } from 'vitest';
import type { TeamUi } from '../../src/settings/config.ts';
import { type DecisionLink, signLink } from '../../src/settings/secrets/decision-link.ts';
import { TeamAccess } from '../../src/ui/team-access.ts';

const origin = 'https://renderline.studio.example';
const key = 'k'.repeat(32);
const nowMs = Date.parse('2027-03-01T10:00:00Z');
const settings: TeamUi = {
  origin,
  user: { header: 'X-Forwarded-Email', from: ['10.0.0.5', '10.1.0.0/16', 'fd00::/8'] },
  roles: {
    start: ['anna@studio.example'],
    decide: ['*@agency.example'],
    look: ['*.example', 'åse øst'],
  },
};
const proxy = '10.0.0.5';
const link: DecisionLink = { id: 'l-1', run: 'shop-1', person: 'Berta', untilMs: nowMs + 60_000 };
const token = signLink(link, key);

/** Text of a header that was sent as UTF-8, as Node.js decodes it. */
const latin1Of = (text: string) => Buffer.from(text).toString('latin1');

interface Asked {
  method?: string;
  path?: string;
  user?: string | null;
  sender?: string;
  headers?: Record<string, string>;
}

/** The name and role of the visitor, or the status of the refusal. */
function ask(
  { method = 'GET', path = '/', user = 'anna@studio.example', sender = proxy, headers }: Asked,
  { given = settings, linkKey = key }: { given?: TeamUi; linkKey?: string | null } = {},
): string | number {
  const access = new TeamAccess(given, linkKey, () => nowMs);
  const sent = {
    ...(method === 'GET' ? {} : { origin }),
    ...(user === null ? {} : { 'x-forwarded-email': user }),
    ...headers,
  };
  const found = access.admit(
    new Request(`http://10.0.0.9${path}`, { method, headers: sent }),
    sender,
  );
  return found instanceof Response ? found.status : `${found.name}: ${found.role}`;
}

describe('a visitor of the proxy', () => {
  test.each<[string, Asked, string | number]>([
    ['with the role start', { method: 'POST', path: '/start' }, 'anna@studio.example: start'],
    [
      'whose name is in another case',
      { user: 'Anna@Studio.Example' },
      'Anna@Studio.Example: start',
    ],
    [
      'with the role decide',
      { method: 'POST', path: '/runs/r-1/review', user: 'bo@agency.example' },
      'bo@agency.example: decide',
    ],
    [
      'with the role decide who cancels',
      { method: 'POST', path: '/runs/r-1/cancel', user: 'bo@agency.example' },
      403,
    ],
    [
      'with the role decide who starts',
      { method: 'POST', path: '/start', user: 'bo@agency.example' },
      403,
    ],
    ['with the role look', { user: 'cy@other.example' }, 'cy@other.example: look'],
    [
      'with the role look who approves',
      { method: 'POST', path: '/runs/r-1/approve', user: 'cy@other.example' },
      403,
    ],
    [
      'with the role look who plans, which costs requests',
      { method: 'POST', path: '/plan', user: 'cy@other.example' },
      403,
    ],
    [
      'with an umlaut, as the UTF-8 that proxies send',
      { user: latin1Of('JÖRG@agency.example') },
      'JÖRG@agency.example: decide',
    ],
    ['with an umlaut, as Latin-1', { user: 'jörg@agency.example' }, 'jörg@agency.example: decide'],
    [
      'whose role is given by a name with an umlaut',
      { user: latin1Of('Åse Øst') },
      'Åse Øst: look',
    ],
    ['with a control character as UTF-8', { user: latin1Of('a\u0085@agency.example') }, 401],
    ['without a role', { user: 'eve@elsewhere.org' }, 403],
    ['without a name', { user: null }, 401],
    ['with an empty name', { user: ' ' }, 401],
    ['with two names', { user: 'anna@studio.example, eve@elsewhere.org' }, 401],
    ['with a very long name', { user: `${'a'.repeat(200)}@agency.example` }, 401],
    ['from a proxy in a range', { sender: '10.1.2.3' }, 'anna@studio.example: start'],
    [
      'from a proxy with an IPv4 address in IPv6 notation',
      { sender: '::ffff:10.0.0.5' },
      'anna@studio.example: start',
    ],
    ['from a proxy with an IPv6 address', { sender: 'fd00::7' }, 'anna@studio.example: start'],
    ['who does not use the proxy', { sender: '10.0.0.6' }, 401],
    ['who does not use the proxy and is on this machine', { sender: '127.0.0.1' }, 401],
    ['with a closed connection', { sender: '' }, 401],
  ])('access is decided for a visitor of the proxy %s', (_who, asked, found) => {
    expect(ask(asked)).toBe(found);
  });

  test.each<[string, Record<string, string>]>([
    ['from another page', { origin: 'https://evil.example' }],
    ['from the same host without TLS', { origin: 'http://renderline.studio.example' }],
    ['from a website whose name starts like the origin', { origin: `${origin}.evil.example` }],
    ['from a frame without an origin', { origin: 'null' }],
    ['without an origin', { origin: '' }],
  ])('a form %s is refused', (_what, headers) => {
    expect(ask({ method: 'POST', path: '/start', headers })).toBe(403);
  });

  test('a visitor of the proxy has only the role look if the file has no roles', () => {
    const { roles: _roles, ...given } = settings;
    expect(ask({}, { given })).toBe('anna@studio.example: look');
    expect(ask({ method: 'POST', path: '/start' }, { given })).toBe(403);
  });

  test('a visitor of the proxy is refused if the file has no proxy', () => {
    expect(ask({}, { given: { origin } })).toBe(401);
  });
});

describe('a visitor with a link', () => {
  const page = `/decide/${token}/runs/shop-1`;
  const scheduled = `/decide/${signLink({ ...link, run: 'n-01:30' }, key)}`;
  const other = (text: string) => signLink({ ...link, ...(JSON.parse(text) as object) }, key);
  const [content = '', signature = ''] = token.split('.');
  const forged = Buffer.from(JSON.stringify(['l-1', 'shop-2', 'Berta', link.untilMs])).toString(
    'base64url',
  );
  test.each<[string, Asked, string | number]>([
    ['opens the link, and is redirected to the run', { path: `/decide/${token}` }, 303],
    ['opens the page of the run', { path: page }, 'Berta: decide'],
    ['checks that the link exists', { method: 'HEAD', path: `/decide/${token}` }, 303],
    ['checks that the page exists', { method: 'HEAD', path: page }, 'Berta: decide'],
    ['checks another run', { method: 'HEAD', path: `/decide/${token}/runs/shop-2` }, 403],
    ['sees pictures', { path: `${page}/review/file/abc/a%20b.png` }, 'Berta: decide'],
    ['decides', { method: 'POST', path: `${page}/review` }, 'Berta: decide'],
    ['approves', { method: 'POST', path: `${page}/approve` }, 'Berta: decide'],
    [
      'decides from another page',
      { method: 'POST', path: `${page}/review`, headers: { origin: 'https://evil.example' } },
      403,
    ],
    [
      'opens a scheduled run with an encoded id',
      { path: `${scheduled}/runs/n-01%3A30/review` },
      'Berta: decide',
    ],
    [
      'opens a scheduled run with a decoded id',
      { path: `${scheduled}/runs/n-01:30/review` },
      'Berta: decide',
    ],
    ['appends an encoded slash to the run', { path: `${page}%2Freview` }, 403],
    ['appends half a character to the run', { path: `${page}%E0` }, 403],
    ['cancels', { method: 'POST', path: `${page}/cancel` }, 403],
    ['lists runs', { path: `/decide/${token}/runs` }, 403],
    ['opens another run', { path: `/decide/${token}/runs/shop-2` }, 403],
    [
      'opens a run whose name starts with the same text',
      { path: `/decide/${token}/runs/shop-10` },
      403,
    ],
    ['leaves the path of the run with dots', { path: `${page}/review/file/../../../shop-2` }, 403],
    ['leaves the link with dots', { path: `${page}/../../../../runs` }, 401],
    [
      'leaves the run with encoded dots',
      { path: `${page}/review/file/%2e%2e/%2e%2e/%2e%2e/shop-2` },
      403,
    ],
    ['uses a link without a signature', { path: `/decide/${content}/runs/shop-1` }, 401],
    [
      'uses a link with another signature',
      { path: `/decide/${content}.${signature.slice(1)}A/runs/shop-1` },
      401,
    ],
    [
      'uses a signed link changed to another run',
      { path: `/decide/${forged}.${signature}/runs/shop-2` },
      401,
    ],
    ['uses a link with two signatures', { path: `/decide/${token}.${signature}/runs/shop-1` }, 401],
    [
      'uses a link signed with another key',
      { path: `/decide/${signLink(link, 'x'.repeat(32))}/runs/shop-1` },
      401,
    ],
    [
      'uses a link that has expired',
      { path: `/decide/${other(`{"untilMs":${nowMs}}`)}/runs/shop-1` },
      401,
    ],
  ])('access is decided for a visitor with a link who %s', (_what, asked, found) => {
    expect(ask({ user: null, sender: '203.0.113.9', ...asked })).toBe(found);
  });

  test('a visitor with a link is refused without a link key', () => {
    expect(ask({ path: page, user: null }, { linkKey: null })).toBe(401);
  });
});
