// One file on its way up: what is its own fault, what is its group's, and what is worth another try.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { uploadFile } from '../../src/engine/upload-file.ts';
import type { NodeContext } from '../../src/nodes/node-context.ts';
import type { StepAsset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';
import { contextOn } from './_context.ts';
import { Platform } from './_platform.ts';

let platform: Platform;
let folder: string;
let noted: string[];
beforeEach(async () => {
  platform = await Platform.start();
  folder = await mkdtemp(join(tmpdir(), 'renderline-upload-'));
  noted = [];
});
afterEach(async () => {
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A file as the manifest found it. */
async function found(key: string, text = 'a model'): Promise<StepAsset> {
  const path = join(folder, `${key}.glb`);
  await writeFile(path, text);
  const { size, mtimeMs } = await stat(path);
  const source = { path: `${key}.glb`, bytes: size, mtimeMs: Math.trunc(mtimeMs), version: 'v1' };
  return { ...asset(key), source };
}

function upload(one: StepAsset) {
  const connector = openConnector({ type: 'local', path: folder });
  const sourceHashes = { note: (key: string) => noted.push(key) };
  const context = contextOn(platform, {
    connectorNamed: () => connector,
    store: { sourceHashes } as unknown as NodeContext['store'],
  });
  return uploadFile(one, platform.urlOf('upload').replace('/cdn/', '/put/'), 'models', context);
}

const answering = (status: number) => {
  platform.intercept = (request) => (request.startsWith('PUT') ? { status, body: {} } : undefined);
};

describe('a file', () => {
  it('that storage takes is up, and its hash is remembered', async () => {
    answering(200);
    expect(await upload(await found('a'))).toBeNull();
    expect(noted).toEqual(['a']);
  });

  it('that is gone fails alone', async () => {
    const one = await found('a');
    await rm(join(folder, 'a.glb'));
    expect(await upload(one)).toMatchObject({
      key: 'a',
      outcome: 'failed',
      code: expect.stringMatching(/GONE|NOT_FOUND/) as string,
    });
    expect(platform.requests).toEqual([]);
  });

  it('that changed since it was found fails alone, and the next run takes it', async () => {
    const one = await found('a');
    await writeFile(join(folder, 'a.glb'), 'another model, longer than the first');
    expect(await upload(one)).toMatchObject({ code: 'SOURCE_CHANGED' });
  });

  it('that storage refuses fails alone', async () => {
    answering(400);
    expect(await upload(await found('a'))).toMatchObject({
      key: 'a',
      outcome: 'failed',
      code: 'UPLOAD_REFUSED',
    });
  });
});

describe('not the fault of a file', () => {
  it.each([
    ['a dead link, of which the group asks for a new one', 403, 'LinkExpiredError'],
    ['a storage that has trouble, to be tried again', 503, 'TransportError'],
  ])('%s', async (_name, status, name) => {
    answering(status);
    await expect(upload(await found('a'))).rejects.toMatchObject({ name });
  });
});
