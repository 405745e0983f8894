import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { folderWith } from './_folder.ts';
import { run, startCli } from './_run-cli.ts';

async function world() {
  const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0 });
  onTestFinished(() => sandbox.stop());
  const env = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
  return { env, cwd: folderWith() };
}

const call = (method: string, params: object, id = 1) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

const hello = call('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

describe('mcp', () => {
  test('mcp over stdio writes only the protocol to stdout, and ends with 0 at the end of input', async () => {
    const stdin = new PassThrough();
    const started = startCli(['mcp'], { ...(await world()), stdin });
    stdin.write(hello);
    await started.stdout.shows(/\n/);
    stdin.end();
    const ran = await started.done;
    expect(ran.code).toBe(0);
    const messages = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(messages).toMatchObject([
      { jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'renderline' } } },
    ]);
    expect(ran.stderr).toContain('--allow-writes');
  });

  test('mcp over stdio answers requests even if the client closes stdin immediately', async () => {
    const stdin = new PassThrough();
    const started = startCli(['mcp'], { ...(await world()), stdin });
    stdin.end(`${hello}${call('tools/list', {}, 2)}`);
    const { code, stdout } = await started.done;
    const messages = stdout.trimEnd().split('\n');
    expect([code, messages.map((line) => JSON.parse(line).id)]).toEqual([0, [1, 2]]);
  });

  test('mcp over stdio is not kept open by a cancelled request', async () => {
    const stdin = new PassThrough();
    const started = startCli(['mcp'], { ...(await world()), stdin });
    const cancelled = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2 },
    };
    stdin.end(`${hello}${call('tools/list', {}, 2)}${JSON.stringify(cancelled)}\n`);
    expect((await started.done).code).toBe(0);
  });

  test('mcp over HTTP prints its address, and stops at Ctrl-C with exit 0', async () => {
    const started = startCli(['mcp', '--http', '--port', '0', '--json'], await world());
    await started.stdout.shows(/\}/);
    const { url, token } = JSON.parse(started.stdout.text) as Record<string, string>;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const answer = await fetch(url ?? '', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: hello,
    });
    expect(await answer.text()).toContain('"renderline"');
    started.interrupts.interrupt();
    expect((await started.done).code).toBe(0);
  });

  test('mcp over HTTP does not print a configured token', async () => {
    const { env, cwd } = await world();
    const set = { ...env, RENDERLINE_MCP_TOKEN: 'token-of-ours' };
    const started = startCli(['mcp', '--http', '--port', '0'], { env: set, cwd });
    await started.stdout.shows(/Bearer/);
    expect(started.stdout.text).toContain('Authorization: Bearer $RENDERLINE_MCP_TOKEN');
    expect(started.stdout.text + started.stderr.text).not.toContain('token-of-ours');
    started.interrupts.interrupt();
    await started.done;
  });

  test('mcp with a wrong key exits with 4 before it serves requests', async () => {
    const { env, cwd } = await world();
    const wrong = { ...env, RENDERLINE_API_KEY: 'svc_wrong_0123456789' };
    const ran = await run(['mcp'], { env: wrong, cwd, stdin: hello });
    expect([ran.code, ran.stdout]).toEqual([4, '']);
    expect(ran.stderr).not.toContain('0123456789');
  });

  test('mcp without a reachable platform prints a warning, and waits for the platform', async () => {
    const env = { RENDERLINE_BASE_URL: 'http://127.0.0.1:1/api/v1', RENDERLINE_API_KEY: 'k_k_k' };
    const ran = await run(['mcp'], { env, cwd: folderWith(), stdin: hello });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('RENDERLINE_BASE_URL');
  });

  test.each(['0.0.0.0', '192.168.1.4', 'example.com'])('mcp --host %s is refused', async (host) => {
    const ran = await run(['mcp', '--http', '--host', host], await world());
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('is reachable from other machines');
  });
});
