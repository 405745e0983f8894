// A step that uploads files: the way in which each file is uploaded, the requests, and the results.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import type { Asset } from '../../src/plan/types.ts';
import { makeGlb } from '../glb/_make-glb.ts';
import { runAttempts } from './_attempts.ts';
import {
  fileAsset,
  filesPlan,
  modelFiles,
  modelNames,
  takeModels,
  writeSource,
} from './_creating-calls.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
beforeEach(async () => {
  at = await SandboxRun.start();
});
afterEach(() => at.stop());

const take = (assets: readonly Asset[]) =>
  runAttempts(at, filesPlan(at, takeModels), 'connector_poll', assets);

const mebibyte = 1024 * 1024;
const file = async (path: string, bytes: Uint8Array) => {
  await writeSource(at, path, bytes);
  return fileAsset(at, path);
};

describe('uploading an asset', () => {
  it('an asset that already has a model needs no request', async () => {
    const assets = await modelFiles(at, 'a', 'b');
    const known = assets.map((asset) => ({
      ...asset,
      platformIds: { modelId: `of-${asset.key}` },
    }));
    const ended = await take(known);
    expect(ended.requests).toEqual({});
    expect([...ended.results.values()].map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  });

  it('an asset without a model is uploaded, and other assets keep their models', async () => {
    const [known, fresh] = await modelFiles(at, 'a', 'b');
    if (!known || !fresh) throw new Error('no files');
    const ended = await take([{ ...known, platformIds: { modelId: 'of-a' } }, fresh]);
    expect(ended.requests).toEqual({ createJob: 1, confirmJobUploads: 1 });
    expect([...ended.results.keys()].toSorted()).toEqual(['a', 'b']);
    expect(await modelNames(at)).toEqual(['b']);
  });

  it('an uploaded asset is reported with the warnings and variants of its file', async () => {
    const strange = { extensionsUsed: ['ACME_x'], extensionsRequired: ['ACME_x'] };
    const glb = makeGlb({ asset: { version: '2.0' }, meshes: [], ...strange });
    const { results } = await take([
      await file('odd.glb', glb),
      await file('two.glb', triangleGlb(['red', 'blue'])),
      await file('scan.stl', Buffer.from('solid a\nfacet\nendfacet\n')),
    ]);
    const told = [...results.values()].map((result) => ({
      key: result.key,
      drawn: 'platformIds' in result ? result.platformIds?.drawn : undefined,
      warnings: 'warnings' in result ? result.warnings : undefined,
    }));
    expect(told.toSorted((a, b) => a.key.localeCompare(b.key))).toEqual([
      { key: 'odd', drawn: '0/0', warnings: [expect.stringContaining('ACME_x')] },
      { key: 'scan', drawn: undefined, warnings: undefined },
      { key: 'two', drawn: '2/0', warnings: undefined },
    ]);
  });

  it.each([
    ['without an extension', 'plain', Buffer.from('x'), 'NO_FILE_TYPE'],
    ['that is empty', 'a.stl', Buffer.alloc(0), 'EMPTY_FILE'],
    ['that is truncated', 'a.glb', triangleGlb().subarray(0, 100), 'TRUNCATED'],
  ])(
    'a file %s is refused before its upload, and the others are uploaded',
    async (_, path, bytes, code) => {
      const good = await modelFiles(at, 'good');
      const { results } = await take([await file(path, bytes), ...good]);
      expect([...results.values()].find(({ outcome }) => outcome === 'failed')).toMatchObject({
        code,
      });
      expect(await modelNames(at)).toEqual(['good']);
    },
  );
});

describe('a file that an upload job refuses', () => {
  it.each([
    ['is uploaded separately', 1, { a: 'done', b: 'done' }, ['a', 'b']],
    [
      'fails if the separate upload is refused too',
      2,
      { a: 'done', b: 'MODEL_NOT_CREATED' },
      ['a'],
    ],
  ])('the refused file %s, and the job uploads the others', async (_, times, outcomes, names) => {
    await at.control('faults', [{ model: 'b', times, do: { refuse: 'b is not wanted' } }]);
    const ended = await take(await modelFiles(at, 'a', 'b'));
    const told = [...ended.results].map(([key, one]) => [
      key,
      'code' in one ? one.code : one.outcome,
    ]);
    expect(Object.fromEntries(told)).toEqual(outcomes);
    const b = ended.results.get('b');
    if (b?.outcome === 'failed') expect(b.message).toContain('b is not wanted');
    expect(ended.requests).toMatchObject({ createJob: 1, confirmJobUploads: 1, createModels: 1 });
    expect(await modelNames(at)).toEqual(names);
  });
});

describe('a large file', () => {
  it.each([
    [64, { createJob: 1, confirmJobUploads: 1 }],
    [64.01, { createModels: 1, confirmModel: 1 }],
  ])('a file of %d MiB is uploaded with %j', async (size, requests) => {
    const content = Buffer.alloc(size * mebibyte, 'v 0 0 0\n');
    const ended = await take([await file('scan.obj', content)]);
    expect(ended.requests).toEqual(requests);
  });
});
