// Which folders the tools of pipelines may use, and for whom they act.
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { App } from '../../src/app/app.ts';
import { createToolContext } from '../../src/mcp/tool-context.ts';
import { folderWith } from '../cli/_folder.ts';

const allows = { writes: false, runs: false };

function contextIn(cwd: string, folders: readonly string[], env: Record<string, string> = {}) {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'k' });
  onTestFinished(() => client.close());
  return createToolContext(new App({ env, cwd }), client, { allows, folders });
}

test('tools act for the owner of the server, in its folders and with its settings', async () => {
  const cwd = folderWith({ 'renderline.yaml': 'taskQueue: ours\n', 'shop/a.yaml': '' });
  const { app } = await contextIn(cwd, ['shop', '.']);
  const shop = await realpath(join(cwd, 'shop'));
  expect([app.via, app.cwd, app.folders]).toEqual(['mcp', shop, [shop, await realpath(cwd)]]);
  expect((await app.config()).taskQueue.value).toBe('ours');
});

test('a path that is not a folder is refused', async () => {
  const cwd = folderWith({ 'a.yaml': '' });
  await expect(contextIn(cwd, ['a.yaml'])).rejects.toMatchObject({ code: 'ENOTDIR' });
});
