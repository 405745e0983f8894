// A base URL that is not the API: each command that uses it reports the problem and the expected form of the URL.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { listen } from '../../src/settings/http-server.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

const page = '<!DOCTYPE html><html><title>Sign in</title></html>';
const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'nothing (404)': (response) => response.writeHead(404).end(),
  'another JSON (404)': (response) => response.writeHead(404).end('{"message":"Not Found"}'),
  'a page (404)': (response) => response.writeHead(404, { 'content-type': 'text/html' }).end(page),
  'a page (200)': (response) => response.writeHead(200).end(page),
  'a page (403)': (response) => response.writeHead(403, { 'content-type': 'text/html' }).end(page),
  'a sign-in (302)': (response) =>
    response.writeHead(302, { location: '/login?token=c4n4ry' }).end(),
};

let server: Server;
let origin: string;
let answer: (response: ServerResponse) => unknown;
beforeAll(async () => {
  server = createServer((_, response) => answer(response));
  origin = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const top = 'name: trial\nconnectors: { in: { type: local, path: in } }\nrecords: in\nnodes:\n';
const pipelines = {
  'files.yaml': `${top}  - { id: take, type: connector_poll, config: { connector: in } }\n  - { id: ready, type: model_ready, parentIds: [take] }\n`,
  'models.yaml': `${top}  - { id: ready, type: model_ready, config: { select: { models: {} } } }\n`,
};

function at(path: string, words: string[]) {
  const cwd = folderWith(pipelines);
  mkdirSync(join(cwd, 'in'));
  writeFileSync(join(cwd, 'in', 'chair.glb'), triangleGlb(['seat']));
  const env = {
    RENDERLINE_BASE_URL: `${origin}${path}`,
    RENDERLINE_API_KEY: 'svc_a_b',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    RENDERLINE_CACHE_DIR: cwd,
  };
  return run(words, { cwd, env });
}

describe.each(Object.keys(answers))('a server that responds with %s', (name) => {
  beforeAll(() => {
    answer = answers[name] ?? expect.fail(name);
  });

  test.each([
    ['doctor', ['doctor']],
    ['plan of files', ['plan', 'files.yaml']],
    ['plan of models', ['plan', 'models.yaml']],
    ['run', ['run', 'files.yaml']],
    ['api', ['api', 'getMe']],
  ])('%s reports that the base URL lacks /api/v1', async (_, words) => {
    const { stdout, stderr } = await at('', words);
    expect(`${stdout}${stderr}`).toContain(`the base URL lacks /api/v1, as in ${origin}/api/v1`);
    expect(`${stdout}${stderr}`).not.toContain('c4n4ry');
  });

  test('a base URL with the right path is not reported', async () => {
    const { stdout, stderr, code } = await at('/api/v1', ['api', 'getMe']);
    expect(`${stdout}${stderr}`).not.toContain('the base URL lacks');
    expect(code).not.toBe(0);
    if (name.startsWith('a page')) expect(stderr).toContain('a web page (HTML)');
  });
});

test.each([404, 405])(
  'a %d without a platform error code means a wrong base URL, not a wrong id',
  async (status) => {
    answer = (response) => response.writeHead(status).end();
    const ran = await at('/v1', ['api', 'getMe', '--json']);
    expect(ran.code).toBe(2);
    expect(ran.json()).toMatchObject({
      code: 'NOT_THE_API',
      fix: expect.stringContaining('/api/v1'),
    });
  },
);

test('doctor warns about an address without /api/v1, even if the server responds like the API', async () => {
  answer = (response) => response.writeHead(200).end('{"workspace":{"id":"w"}}');
  const { stdout } = await at('', ['doctor']);
  expect(stdout).toMatch(/warn +config +The base URL \(RENDERLINE_BASE_URL\) does not end with/);
});
