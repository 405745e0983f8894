// Upload of one file: which errors are caused by the file, which affect its group, and which are retried.
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorError, type ConnectorErrorCode } from '../../src/connectors/connector-error.ts';
import { openConnector } from '../../src/connectors/index.ts';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { uploadFile } from '../../src/engine/uploads/upload-file.ts';
import type { StepAsset } from '../../src/plan/types.ts';
import { JsonObjects } from '../../src/store/objects/json-objects.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';
import { TransferredFiles } from '../../src/store/runs/transferred-files.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { asset } from '../plan/_steps.ts';
import { contextOn } from './_context.ts';
import { ScriptedPlatform } from './_platform.ts';

let platform: ScriptedPlatform;
let folder: string;
let noted: string[];
let moved: TransferredFiles;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  folder = await mkdtemp(join(tmpdir(), 'renderline-upload-'));
  noted = [];
  moved = TransferredFiles.start(
    new JsonObjects(new MemoryConnector(), '.renderline/test'),
    'moved',
  );
});
afterEach(async () => {
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A file as in the manifest. */
async function found(key: string, text = 'a model'): Promise<StepAsset> {
  const path = join(folder, `${key}.glb`);
  await writeFile(path, text);
  const entry = await openConnector({ type: 'local', path: folder }).stat(`${key}.glb`);
  if (!entry) throw new Error(`${path} was not written`);
  return { ...asset(key), source: sourceOf(entry) };
}

function upload(one: StepAsset, connector = openConnector({ type: 'local', path: folder })) {
  const sourceHashes = { set: (key: string) => noted.push(key) };
  const context = contextOn(platform, {
    getConnector: () => connector,
    store: { sourceHashes } as unknown as NodeContext['store'],
  });
  const url = platform.urlOf('upload').replace('/cdn/', '/put/');
  return uploadFile(
    one,
    { url, connectorName: 'models' },
    { id: 'm-1', uploadedFiles: moved },
    context,
  );
}

const answering = (status: number) => {
  platform.intercept = (request) => (request.startsWith('PUT') ? { status, body: {} } : undefined);
};

describe('uploading a file', () => {
  it('a file that storage accepts is uploaded, and its hash is recorded', async () => {
    answering(200);
    expect(await upload(await found('a'))).toBeNull();
    expect(noted).toEqual(['a']);
    expect(moved.get('m-1')).toMatchObject({ bytes: 'a model'.length });
  });

  it('a missing file whose source has no other files does not fail, because the source may be unmounted', async () => {
    const one = await found('a');
    await rm(join(folder, 'a.glb'));
    await expect(upload(one)).rejects.toMatchObject({ code: 'SOURCE_EMPTY', isTransient: true });
    expect(platform.requests).toEqual([]);
  });

  it('a missing file fails alone', async () => {
    const one = await found('a');
    await found('b');
    await rm(join(folder, 'a.glb'));
    expect(await upload(one)).toMatchObject({ key: 'a', outcome: 'failed', code: 'FILE_GONE' });
    expect(platform.requests).toEqual([]);
  });

  it.each([
    ['size', (path: string) => writeFile(path, 'another model, longer than the first')],
    ['time', (path: string) => utimes(path, 1_000, 1_000)],
  ])('a file whose %s has changed since discovery fails alone', async (_, change) => {
    const one = await found('a');
    await change(join(folder, 'a.glb'));
    expect(await upload(one)).toMatchObject({ code: 'SOURCE_CHANGED' });
    expect(platform.requests).toEqual([]);
  });

  it('a file whose path has become a folder fails alone', async () => {
    const one = await found('a');
    await rm(join(folder, 'a.glb'));
    await mkdir(join(folder, 'a.glb'));
    expect(await upload(one)).toMatchObject({ code: 'UNREADABLE' });
  });

  it('a file that storage refuses fails alone', async () => {
    answering(400);
    expect(await upload(await found('a'))).toMatchObject({
      key: 'a',
      outcome: 'failed',
      code: 'UPLOAD_REFUSED',
    });
  });
});

describe('an error that a file did not cause', () => {
  it.each<[string, ConnectorErrorCode]>([
    ['a missing bucket', 'BUCKET_NOT_FOUND'],
    ['refused credentials', 'CREDENTIALS_REFUSED'],
    ['an unreachable connector', 'CONNECTOR_UNREACHABLE'],
  ])('%s is passed on unchanged', async (_name, code) => {
    const error = new ConnectorError(code, 'a.glb', 'cannot read "a.glb"', 'do something');
    const connector = openConnector({ type: 'local', path: folder });
    connector.open = () => Promise.reject(error);
    await expect(upload(await found('a'), connector)).rejects.toBe(error);
  });

  it.each([
    ['an expired link, which is replaced', 403, 'LinkExpiredError'],
    ['a storage error, which is retried', 503, 'TransportError'],
  ])('%s ends the upload', async (_name, status, name) => {
    answering(status);
    await expect(upload(await found('a'))).rejects.toMatchObject({ name });
  });
});
