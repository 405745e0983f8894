// A pipeline file with a start by HTTP that moves to another folder, where its relative paths change.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { readAppliedFiles } from '../../../src/app/apply/applied-files.ts';
import { planHttpStart } from '../../../src/app/apply/http-start-changes.ts';
import { Session } from '../../../src/cli/session.ts';
import { createIo } from '../../cli/_fake-io.ts';
import { folderWith } from '../../cli/_folder.ts';

const nodes = 'nodes: [{ id: take, type: connector_poll, config: { connector: m } }]';
const start = 'start: { http: { secretFrom: RENDERLINE_SECRET_SHOP } }';
const bucket = 'm: { type: s3, bucket: models, region: eu-central-1 }';

/** A pipeline with this connector. */
function fileWith(connector: string, more: readonly string[] = []): string {
  return ['name: shop', `connectors: { ${connector} }`, 'records: m', nodes, start, ...more].join(
    '\n',
  );
}

/** A server that has stored what the file declares. */
function serverWith(stored: object): Client {
  const args = [{ schema: 'renderline/http-start/v1', ...stored }];
  return {
    options: { loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_at: number, call: () => unknown) => call(),
    schedule: {
      getHandle: () => ({ describe: async () => ({ action: { taskQueue: 'q', args } }) }),
    },
  } as unknown as Client;
}

const pathParameter = ['parameters: { folder: { type: path } }'];

test.each<[string, string, 'update' | 'unchanged']>([
  ['a relative path is updated', fileWith('m: { type: local, path: models }'), 'update'],
  ['an absolute path is unchanged', fileWith('m: { type: local, path: /models }'), 'unchanged'],
  ['a bucket is unchanged', fileWith(bucket), 'unchanged'],
  ['a bucket and a path parameter is updated', fileWith(bucket, pathParameter), 'update'],
])('a moved file with %s', async (_what, text, change) => {
  const folder = folderWith({ 'a/shop.yaml': text, 'b/shop.yaml': text });
  const read = async (file: string) => {
    const session = new Session(createIo({ cwd: folder }).io, false);
    const [declared] = (await readAppliedFiles(session, [file])).httpStarted;
    if (declared === undefined) throw new Error('the text is wrong');
    return declared;
  };
  const before = await read('a/shop.yaml');
  const server = serverWith(before.start);
  expect((await planHttpStart(server, before, 'q')).change.change).toBe('unchanged');
  const planned = await planHttpStart(server, await read('b/shop.yaml'), 'q');
  expect(planned.change).toMatchObject(
    change === 'unchanged'
      ? { change, fields: [], takenFrom: null }
      : {
          change,
          fields: [{ field: 'folder', was: `${folder}/a`, is: `${folder}/b` }],
          takenFrom: `${folder}/a/shop.yaml`,
        },
  );
});
