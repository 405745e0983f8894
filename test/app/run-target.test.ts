// The queue and the workspace of a run, if the platform does not confirm the API key.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import { chooseRunTarget } from '../../src/app/run-target.ts';
import { folderWith } from '../cli/_folder.ts';

let close = () => {};
afterEach(() => close());

/** Returns the address of a platform with this response to each request. Null: nothing listens at the address. */
async function startPlatform(response: { status: number; body: string } | null): Promise<string> {
  const server = createServer((_request, reply) => {
    reply.writeHead(response?.status ?? 500, { 'content-type': 'application/json' });
    reply.end(response?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (response === null) await new Promise((resolve) => server.close(resolve));
  else close = () => server.close();
  return `http://127.0.0.1:${port}`;
}

async function targetOf(
  response: Parameters<typeof startPlatform>[0],
  queue: Record<string, string> = { RENDERLINE_TASK_QUEUE: 'shop' },
) {
  const RENDERLINE_BASE_URL = await startPlatform(response);
  const env = { ...queue, RENDERLINE_BASE_URL, RENDERLINE_API_KEY: 'key' };
  return chooseRunTarget(new App({ env, cwd: folderWith({}) }));
}

const errorBody = (code: string) => JSON.stringify({ error: { code, message: 'no' } });

test.each([
  ['is down', null],
  ['has a fault', { status: 503, body: errorBody('UNAVAILABLE') }],
  ['refuses more requests', { status: 429, body: errorBody('RATE_LIMITED') }],
])(
  'a run with a configured queue is started although the platform %s, because it retries',
  async (_what, response) => {
    expect(await targetOf(response)).toEqual({ taskQueue: 'shop' });
  },
);

test.each([
  ['the key is refused', { status: 401, body: errorBody('INVALID_API_KEY') }, /INVALID_API_KEY/],
  ['the address is that of a web page', { status: 200, body: '<html></html>' }, /NOT_JSON/],
])('nothing is started if %s', async (_what, response, message) => {
  await expect(targetOf(response)).rejects.toThrow(message);
});

test('without a configured queue, nothing is started while the platform is down', async () => {
  await expect(targetOf(null, {})).rejects.toThrow('ECONNREFUSED');
});
