// What the server of tools reports when it has started, without a command line.
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { App } from '../../src/app/app.ts';
import { type McpShape, serveMcp } from '../../src/mcp/serve.ts';
import { folderWith } from '../cli/_folder.ts';

/** Serves until the server has started, and returns what it reports. */
async function start(http: boolean, token?: string): Promise<McpShape | null> {
  const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0 });
  onTestFinished(() => sandbox.stop());
  const platform = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
  const env = { ...platform, RENDERLINE_MCP_TOKEN: token };
  const stop = new AbortController();
  const shapes: (McpShape | null)[] = [];
  await serveMcp(
    new App({ env, cwd: folderWith() }),
    {
      http,
      host: '127.0.0.1',
      port: 0,
      folders: ['.'],
      allows: { writes: true, runs: false },
    },
    {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stop: stop.signal,
      onStarted(shape) {
        shapes.push(shape);
        stop.abort();
      },
    },
  );
  expect(shapes).toHaveLength(1);
  return shapes[0] ?? null;
}

test('a server over HTTP reports its address, its rights and the token that it created', async () => {
  expect(await start(true)).toEqual({
    schema: 'renderline/mcp/v1',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/) as string,
    allowWrites: true,
    allowRuns: false,
    token: expect.any(String) as string,
  });
});

test('a server over HTTP does not report a configured token', async () => {
  expect(await start(true, 'token-of-ours')).not.toHaveProperty('token');
});

test('a server over stdio reports no shape, because only the protocol may be written', async () => {
  expect(await start(false)).toBeNull();
});
