// A plugin's connector for an object store behaves like ours.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import type { ConnectorType } from '../../src/connectors/connector-type.ts';
import { testConnector } from './connector.testsuite.ts';
import { testLargeFiles } from './large-files.testsuite.ts';

// The connector is written in JavaScript, as those of plugins may be.
const file = '../fixtures/shelf/shelf.js';
const { plugin } = (await import(file)) as { plugin: { connectors: ConnectorType[] } };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-shelf-'));
});
afterAll(() => rm(folder, { recursive: true }));

const env = { RENDERLINE_SECRET_SHELF: 'x' };

async function connect(objects = 'objects'): Promise<Connector> {
  const path = await mkdtemp(join(folder, 'one-'));
  await mkdir(join(path, objects));
  const [shelf] = plugin.connectors;
  if (shelf === undefined) throw new Error('the plugin brings no connector');
  return shelf.open({ type: 'shelf', path, keyFrom: 'RENDERLINE_SECRET_SHELF' }, env);
}

testConnector('the shelf of a plugin', {
  connect: () => connect(),
  connectNowhere: () => connect('nothing'),
  isBucket: true,
});

testLargeFiles({ connect: () => connect(), steps: 10, stoppedBytes: 20_000_000 });
