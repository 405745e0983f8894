// What runs of any pipeline have created on the platform, according to their calls.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { ConnectorError, type ConnectorErrorCode } from '../../src/connectors/connector-error.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import { type OwnObjects, readOwnObjects } from '../../src/store/calls/own-objects.ts';

let folder: string;
let connector: Connector;
const never = new AbortController().signal;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-own-'));
  connector = openConnector({ type: 'local', path: folder });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const intentsOf = (pipeline: string) =>
  openRunStore(connector, { run: 'r1', lineage: 'r1', pipeline, recipe: 'x' }).intents(0, 'take');

async function make(pipeline: string, key: string, models: Record<string, string>) {
  const intents = intentsOf(pipeline);
  const createdAt = new Date(0).toISOString();
  const assets = Object.keys(models);
  await intents.open({ operation: 'createJob', key, bodyText: '{}', assets, createdAt });
  return async () => {
    const answer = Object.entries(models).map(([asset, modelId]) => [asset, { modelId }]);
    await intents.finish(key, Object.fromEntries(answer) as Record<string, { modelId: string }>);
  };
}

const idsOf = ({ idsByKind: made }: OwnObjects, kind: string) => new Set(made.get(kind)?.keys());
const ownModels = async (nowMs = Date.now()) =>
  idsOf(await readOwnObjects(connector, never, nowMs), 'model');

describe('models that runs have created', () => {
  it('there are no own models if no call was ever sent', async () => {
    expect(await ownModels()).toEqual(new Set());
    const place = openConnector({ type: 'local', path: join(folder, 'not', 'there', 'yet') });
    expect((await readOwnObjects(place, never, Date.now())).idsByKind).toEqual(new Map());
  });

  it('own models are those of every pipeline with records in this store', async () => {
    await (await make('shoes', 'k1', { a: 'm1', b: 'm2' }))();
    await (await make('hats', 'k2', { c: 'm3' }))();
    expect(await ownModels()).toEqual(new Set(['m1', 'm2', 'm3']));
  });

  it('own models of an open call are known once the call has returned', async () => {
    const answered = await make('shoes', 'k1', { a: 'm1' });
    expect(await ownModels()).toEqual(new Set());
    await answered();
    expect(await ownModels()).toEqual(new Set(['m1']));
    expect(await ownModels()).toEqual(new Set(['m1']));
  });

  it('own models are forgotten after eight days, because their events have arrived', async () => {
    await (await make('shoes', 'k1', { a: 'm1' }))();
    const inEightDays = Date.now() + 8 * 24 * 3_600_000;
    expect(await ownModels(inEightDays)).toEqual(new Set());
  });
});

describe('a call that cannot be read', () => {
  const unreadable = (code: ConnectorErrorCode): Connector =>
    Object.assign(Object.create(connector) as Connector, {
      list: connector.list.bind(connector),
      read: async () => {
        throw new ConnectorError(code, '', 'the store does not answer', 'wait');
      },
    });

  it.each<[string, ConnectorErrorCode, boolean]>([
    ['counts as empty if its file was deleted', 'FILE_GONE', false],
    ['is an error if the store is unreachable', 'CONNECTOR_UNREACHABLE', true],
    ['is an error if the file is unreadable', 'UNREADABLE', true],
  ])('an unreadable call %s', async (_what, code, throws) => {
    await (await make('shoes', 'k1', { a: 'm1' }))();
    const own = readOwnObjects(unreadable(code), never, Date.now());
    if (throws) await expect(own).rejects.toThrow('the store does not answer');
    else expect((await own).idsByKind).toEqual(new Map());
  });
});

describe('own projects and render jobs', () => {
  it('own projects and jobs are those in the responses of calls, and render jobs have the project from the request', async () => {
    const intents = intentsOf('shoes');
    const createdAt = new Date(0).toISOString();
    const assets = ['a', 'b'];
    const projects = { operation: 'createProjects', key: 'p', bodyText: '{}', assets, createdAt };
    await intents.open(projects);
    await intents.finish('p', { a: { projectId: 'p1' }, b: { projectId: 'p2' } });
    const bodyText = JSON.stringify({ projectIds: ['p1', 'p2'] });
    await intents.open({ operation: 'createRenders', key: 'r', bodyText, assets, createdAt });
    await intents.finish('r', { b: { jobId: 'j2', batchId: 'b' } });
    const own = await readOwnObjects(connector, never, Date.now());
    expect(idsOf(own, 'project')).toEqual(new Set(['p1', 'p2']));
    expect(own.idsByKind.get('render-job')).toEqual(new Map([['j2', 'p2']]));
  });
});

describe('open calls', () => {
  it.each([
    ['are reported with the time when they started', 60_000, 0],
    ['are ignored after ten minutes without a response', 11 * 60_000, null],
  ])('open calls %s', async (_what, nowMs, expected) => {
    const answered = await make('shoes', 'k1', { a: 'm1' });
    const open = async () => (await readOwnObjects(connector, never, nowMs)).openSinceMs;
    expect(await open()).toBe(expected);
    await answered();
    expect(await open()).toBeNull();
  });
});
