// The GitHub Action as GitHub runs it: in a folder with the program installed, with a fake GitHub in this process.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../cli/_folder.ts';
import { program } from '../system/_stack.ts';

const pipeline = readFileSync('pipelines/catalog.yaml', 'utf8');

async function play(inputs: Record<string, string>, more: Record<string, string> = {}) {
  const folder = folderWith({
    'good.yaml': pipeline,
    'bad.yaml': pipeline.replace('type: render\n', 'type: rendr\n'),
    'models/shoe.glb': '',
    'node_modules/renderline/package.json': '{"name":"renderline","version":"0.0.0"}',
    'package.json': '{}',
    summary: '',
    event: JSON.stringify({ pull_request: { number: 7 } }),
  });
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(program, join(folder, 'node_modules/.bin/renderline'));
  const { PATH = '', HOME = '' } = process.env;
  const given = Object.entries(inputs).map(([name, value]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ]);
  const env = {
    PATH,
    HOME,
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    GITHUB_EVENT_PATH: join(folder, 'event'),
    GITHUB_REPOSITORY: 'acme/shop',
    ...more,
    ...Object.fromEntries(given),
  };
  const main = join(process.cwd(), 'action/main.mjs');
  const [code, stdout] = await new Promise<[number, string]>((done) => {
    execFile(process.execPath, [main], { cwd: folder, env }, (error, out) =>
      done([typeof error?.code === 'number' ? error.code : 0, out]),
    );
  });
  return { code, stdout, summary: readFileSync(join(folder, 'summary'), 'utf8') };
}

/** A fake GitHub with these comments on a pull request. */
async function github(comments: { id: number; body: string }[], status = 200) {
  const asked: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url}`);
    const body = await text(request);
    if (body !== '') comments.splice(0, 1, { id: 5, ...(JSON.parse(body) as { body: string }) });
    const page = Number(/page=(\d+)$/.exec(request.url ?? '')?.[1] ?? 1);
    response.writeHead(status).end(JSON.stringify(comments.slice(100 * (page - 1), 100 * page)));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, env: { GITHUB_API_URL: `http://127.0.0.1:${port}`, INPUT_TOKEN: 't' } };
}

const planned = { files: 'good.yaml', parameters: 'folder=models\nout=out', plan: 'true' };
const old = { id: 5, body: '<!-- renderline -->\nof before', user: { type: 'Bot' } };
const ofStranger = { id: 3, body: old.body, user: { type: 'User' }, author_association: 'NONE' };
const ofMember = { id: 5, body: old.body, user: { type: 'User' }, author_association: 'MEMBER' };

test.each([
  ['a new comment if there is none', [], 'POST /repos/acme/shop/issues/7/comments'],
  ['its previous comment', [old], 'PATCH /repos/acme/shop/issues/comments/5'],
  ["a member's comment", [ofMember], 'PATCH /repos/acme/shop/issues/comments/5'],
  [
    "a new comment next to a stranger's comment",
    [ofStranger],
    'POST /repos/acme/shop/issues/7/comments',
  ],
])(
  'the plan for a valid file appears in the summary and in %s',
  async (_what, comments, written) => {
    const { asked, env } = await github(comments);
    const { code, summary, stdout } = await play({ ...planned, comment: 'true' }, env);
    expect(code, stdout).toBe(0);
    expect(summary).toContain('### ✅ plan `good.yaml`');
    expect(summary).toContain('delivers  to ');
    expect(comments[0]?.body).toMatch(/^<!-- renderline -->\n## Renderline/);
    expect(asked).toEqual(['GET /repos/acme/shop/issues/7/comments?per_page=100&page=1', written]);
  },
);

test('the previous comment is found among more than a hundred others', async () => {
  const others = Array.from({ length: 100 }, (_, at) => ({ id: at + 10, body: 'a person' }));
  const { asked, env } = await github([...others, old]);
  await play({ files: 'good.yaml', comment: 'true' }, env);
  expect(asked.at(-1)).toBe('PATCH /repos/acme/shop/issues/comments/5');
});

test('an invalid file is reported at its line without a plan, and the exit code is 1', async () => {
  const { code, stdout, summary } = await play({ ...planned, files: 'good.yaml\nbad.yaml' });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^::error file=bad\.yaml,line=\d+,col=\d+,title=RL301::.*Did you mean/m);
  expect(summary).toContain('### ❌ validate');
  expect(summary).not.toContain('plan ');
});

test('a token without write permission is reported without a failure; an empty `files` input is a failure', async () => {
  const { env } = await github([], 403);
  const { code, stdout } = await play({ files: 'good.yaml', comment: 'true' }, env);
  expect([code, stdout]).toEqual([0, expect.stringContaining('GitHub answered 403')]);
  expect((await play({ files: '\n' })).code).toBe(1);
});
