// The pages of a team behind a proxy: a real server, with the settings of renderline.yaml.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import { markOfAsset } from '../../src/app/approvals/review.ts';
import { ConfigError } from '../../src/settings/config-error.ts';
import { serveUi } from '../../src/ui/server.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';

const origin = 'https://renderline.studio.example';
const pipeline = `name: sheets
parameters: { folder: { type: path, required: true } }
connectors: { models: { type: local, path: "\${{ params.folder }}" } }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
`;

async function serve(
  config: string,
  { host, env = {} }: { host?: string; env?: Record<string, string> } = {},
) {
  const cwd = await tempFolder();
  writeFileSync(join(cwd, 'renderline.yaml'), config);
  writeFileSync(join(cwd, 'sheets.yaml'), pipeline);
  const app = new App({ env: { RENDERLINE_CONFIG: join(cwd, 'renderline.yaml'), ...env }, cwd });
  const stop = new AbortController();
  const server = await serveUi(app, { paths: ['.'], port: 0, host, signal: stop.signal });
  onTestFinished(() => server.stop());
  return server;
}

const team = `ui:
  origin: ${origin}
  user: { header: X-User, from: [127.0.0.1] }
  roles: { look: ["*@studio.example"], start: [anna@studio.example] }
`;

/** Marks of the default maximum of assets that wait at the same time. */
const marks = Array.from({ length: 25_000 }, (_, index) =>
  markOfAsset({ node: 'look', key: `chairs/asset-${index}` }),
);

describe('a visitor of the team', () => {
  test.each<[string, string, RequestInit, number, string]>([
    ['sees their own name and roles', '', {}, 200, 'anna@studio.example (may start and decide)'],
    ['loads a file of the pages', 'style.css', {}, 200, '{'],
    ['sees the pipelines', 'pipeline?file=sheets.yaml', {}, 200, 'sheets'],
    [
      'with the role look is refused',
      'pipeline',
      { method: 'POST', headers: { 'x-user': 'bo@studio.example', origin } },
      403,
      'bo@studio.example has only the role "look", but this request requires the role "start"',
    ],
    [
      'with the role start is accepted',
      'pipeline',
      {
        method: 'POST',
        headers: { 'x-user': 'anna@studio.example', origin },
        body: new URLSearchParams({ file: 'sheets.yaml' }),
      },
      200,
      'sheets',
    ],
    [
      'with thousands of marks in a form is accepted',
      'pipeline',
      {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ file: 'sheets.yaml', seen: marks.join('.') }),
      },
      200,
      'sheets',
    ],
    [
      'is refused with a form from another page',
      'pipeline',
      {
        method: 'POST',
        headers: { 'x-user': 'anna@studio.example', origin: 'https://evil.example' },
      },
      403,
      'other pages',
    ],
    [
      'has a name with a script, which is escaped',
      '',
      { headers: { 'x-user': '<script>alert(1)</script>@studio.example' } },
      200,
      '&lt;script&gt;alert(1)',
    ],
    ['without a name is refused', '', { headers: { 'x-user': '' } }, 401, 'To sign in'],
    [
      'with an invalid link is refused',
      'decide/abc.def/runs/r-1',
      {},
      401,
      'This link is not valid. Copy the whole link, or ask for a new one.',
    ],
  ])('a visitor of the team %s', async (_who, path, request, status, text) => {
    const { shape } = await serve(team, { env: { RENDERLINE_LINK_KEY: 'k'.repeat(32) } });
    const { url } = shape;
    expect(shape).toEqual({ schema: 'renderline/ui/v1', url, token: null, paths: ['.'] });
    const headers = { 'x-user': 'anna@studio.example', ...(request.headers as object) };
    const answer = await fetch(`${url}${path}`, { ...request, headers, redirect: 'manual' });
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(text)]);
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

test.each<[string, string, { host?: string; env?: Record<string, string> }, RegExp]>([
  [
    'the pages would be open to others',
    'rateLimit: 600\n',
    { host: '0.0.0.0' },
    /Others could reach the pages at 0\.0\.0\.0/,
  ],
  ['pages would be sent without TLS', team.replace('https:', 'http:'), {}, /is not https/],
  [
    'the key of links is short',
    team,
    { env: { RENDERLINE_LINK_KEY: 'short' } },
    /has 5 characters/,
  ],
  [
    'the proxy has no address',
    team.replace('[127.0.0.1]', '[proxy.example]'),
    {},
    /must be an IP address or a range/,
  ],
])('the team server does not start if %s', async (_why, config, more, message) => {
  await expect(serve(config, more)).rejects.toThrow(message);
  await expect(serve(config, more)).rejects.toBeInstanceOf(ConfigError);
});
