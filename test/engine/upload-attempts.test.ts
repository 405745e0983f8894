// Uploads over several attempts. Each file gets one record, even if workers die or files change between attempts.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deps } from '../../activities/deps.ts';
import { writeSparseModel } from '../../bench/transfers/sparse-model.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import type { Connector } from '../../src/connectors/connector.ts';
import type { Asset, ConnectorSpec } from '../../src/plan/types.ts';
import { type AttemptOptions, type AttemptsResult, runAttempts } from './_attempts.ts';
import { creatingCalls, fileAsset, filesPlan, modelFiles, takeModels } from './_creating-calls.ts';
import { EffectCounter, killableWorker } from './_killable-worker.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
beforeEach(async () => {
  at = await SandboxRun.start();
});
afterEach(() => at.stop());

const takeShoes = takeModels.replace('files }', 'files, category: SHOES }');

/** Names and statuses of all models at the end. */
async function models(): Promise<string[]> {
  at.pass(60);
  const { models: all } = await at.client.listModels({ query: { limit: 100 } });
  return all.map(({ name, status }) => `${name} ${status}`).sort();
}

const outcomes = ({ results }: AttemptsResult) =>
  Object.fromEntries(
    [...results].map(([key, result]) => [key, 'code' in result ? result.code : result.outcome]),
  );

function modelOf(results: AttemptsResult['results'], key: string): string {
  const result = results.get(key);
  return (result?.outcome === 'done' && result.platformIds?.modelId) || '';
}

const warnings = ({ results }: AttemptsResult) =>
  [...results.values()].flatMap((result) => ('warnings' in result ? (result.warnings ?? []) : []));

describe.each([
  ['a job', takeModels, 'confirmJobUploads'],
  ['separate records', takeShoes, 'confirmModel'],
])('uploading files through %s', (_way, take, confirm) => {
  const plan = () => filesPlan(at, take);

  it('large files that have been uploaded are not sent again if another upload fails', async () => {
    await mkdir(at.folder, { recursive: true });
    const keys = ['a', 'b', 'c'];
    for (const key of keys) await writeSparseModel(join(at.folder, `${key}.glb`), 33 * 1024 ** 2);
    const assets = await Promise.all(keys.map((key) => fileAsset(at, `${key}.glb`)));
    await at.control('faults', [
      { upload: 'c', times: 1, do: { status: 503 } },
      { model: '**', do: { durationMs: 60_000 } },
    ]);
    const sent: string[] = [];
    const worker = (deps: Deps) => ({
      ...deps,
      connectorOf: (spec: ConnectorSpec) => telling(deps.connectorOf(spec), sent),
    });
    const ended = await runAttempts(at, plan(), 'connector_poll', assets, { worker });
    expect(ended.attempts).toBeGreaterThan(1);
    expect(outcomes(ended)).toEqual({ a: 'done', b: 'done', c: 'done' });
    expect(sent.sort()).toEqual(['a.glb', 'b.glb', 'c.glb', 'c.glb']);
    expect(await models()).toEqual(keys.map((key) => `${key} READY`));
  });

  it('files find their records even if they are grouped differently than before', async () => {
    const assets = await modelFiles(at, 'a', 'b', 'c');
    await at.control('faults', [{ match: confirm, times: 1, do: { status: 503 } }]);
    const ended = await runAttempts(at, plan(), 'connector_poll', assets, {
      betweenAttempts: () =>
        writeFile(join(at.folder, 'c.glb'), triangleGlb([], 'changed meanwhile')),
    });
    // A file that was uploaded and confirmed before it changed counts as finished.
    const isUp = ended.results.get('c')?.outcome === 'done';
    expect(outcomes(ended)).toEqual({ a: 'done', b: 'done', c: isUp ? 'done' : 'SOURCE_CHANGED' });
    expect(await models()).toEqual(['a READY', 'b READY', ...(isUp ? ['c READY'] : [])]);
  });

  it("a file replaced after an abandoned run does not use that run's model", async () => {
    const assets = await modelFiles(at, 'a', 'b');
    await at.control('faults', [{ match: confirm, do: { status: 503 } }]);
    const givenUp = runAttempts(at, plan(), 'connector_poll', assets, {
      betweenAttempts() {
        throw new Error('given up');
      },
    });
    await expect(givenUp).rejects.toThrow('given up');
    await at.control('faults', []);
    await writeFile(join(at.folder, 'b.glb'), triangleGlb(['Red'], 'another b'));
    const [a, b] = [assets[0] as Asset, await fileAsset(at, 'b.glb')];
    const now = [{ ...a, platformIds: { uploadStarted: true as const } }, b];
    const next = { run: 'run-2', previousRun: 'run-1' };
    const { results } = await runAttempts(at, plan(), 'connector_poll', now, next);
    const all = await models();
    const { variants } = await at.client.listModelVariants({
      params: { modelId: modelOf(results, 'b') },
    });
    expect(variants.map(({ name }) => name)).toEqual(['Red']);
    expect(all).toHaveLength(3);
  });

  it('files leave nothing behind if one of them is missing in the next attempt', async () => {
    const assets = await modelFiles(at, 'a', 'b');
    await at.control('faults', [{ upload: 'b', times: 1, do: { status: 503 } }]);
    const ended = await runAttempts(at, plan(), 'connector_poll', assets, {
      betweenAttempts: () => rm(join(at.folder, 'b.glb')),
    });
    expect(outcomes(ended)).toEqual({ a: 'done', b: 'FILE_GONE' });
    expect(await models()).toEqual(['a READY']);
  });

  it('files are not delayed by one that fails because all its links are refused', async () => {
    const assets = await modelFiles(at, 'a', 'b', 'c');
    await at.control('faults', [{ upload: 'b', do: { status: 403 } }]);
    const ended = await runAttempts(at, plan(), 'connector_poll', assets);
    expect(ended.attempts).toBe(1);
    expect(outcomes(ended)).toEqual({ a: 'done', b: 'UPLOAD_REFUSED', c: 'done' });
    expect(ended.results.get('b')).toMatchObject({
      message: expect.stringMatching(/refused all 4 signed links .* \(status 403\)/),
    });
    expect(await models()).toEqual(['a READY', 'c READY']);
  });

  it('files get another link if one link is refused', async () => {
    const assets = await modelFiles(at, 'a', 'b', 'c');
    await at.control('faults', [{ upload: 'b', times: 1, do: { status: 403 } }]);
    const ended = await runAttempts(at, plan(), 'connector_poll', assets);
    expect(outcomes(ended)).toEqual({ a: 'done', b: 'done', c: 'done' });
    expect(await models()).toEqual(['a READY', 'b READY', 'c READY']);
  });

  it('files fail if all their links are refused', async () => {
    const assets = await modelFiles(at, 'a', 'b');
    await at.control('faults', [{ upload: '**', do: { status: 403 } }]);
    const ended = await runAttempts(at, plan(), 'connector_poll', assets);
    expect(outcomes(ended)).toEqual({ a: 'UPLOAD_REFUSED', b: 'UPLOAD_REFUSED' });
    expect(await models()).toEqual([]);
  });

  it('files get one model each and leave nothing behind, whichever effect a worker dies after', async () => {
    await untilNothingKills(async (run) => {
      const assets = await modelFiles(at, 'a', 'b', 'bad', 'late');
      await at.control('faults', [
        { upload: 'late', times: 1, do: { status: 403 } },
        { upload: 'bad', do: { status: 400 } },
      ]);
      const ended = await runAttempts(at, plan(), 'connector_poll', assets, run);
      const done = { a: 'done', b: 'done', bad: 'UPLOAD_REFUSED', late: 'done' };
      expect([outcomes(ended), warnings(ended)]).toEqual([done, []]);
      expect(await models()).toEqual(['a READY', 'b READY', 'late READY']);
      return ended;
    });
  });
});

/** Records which files are opened for upload. */
function telling(connector: Connector, sent: string[]): Connector {
  return new Proxy(connector, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        if (name === 'open') sent.push(String(given[0]));
        return (member as (...given: unknown[]) => unknown).apply(target, given);
      };
    },
  });
}

it('a file whose category has changed since an abandoned run does not use its model', async () => {
  const [a] = await modelFiles(at, 'a');
  await at.control('faults', [{ match: 'confirmModel', times: 1, do: { status: 503 } }]);
  const givenUp = runAttempts(at, filesPlan(at, takeShoes), 'connector_poll', [a as Asset], {
    betweenAttempts() {
      throw new Error('given up');
    },
  });
  await expect(givenUp).rejects.toThrow('given up');
  const now = [{ ...(a as Asset), platformIds: { uploadStarted: true as const } }];
  const plan = filesPlan(at, takeShoes.replace('SHOES', 'BAGS'));
  const next = { run: 'run-2', previousRun: 'run-1' };
  const { results } = await runAttempts(at, plan, 'connector_poll', now, next);
  const params = { modelId: modelOf(results, 'a') };
  expect(await at.client.getModel({ params })).toMatchObject({ category: 'BAGS' });
});

describe('a confirmation that the platform refuses for a whole job', () => {
  it('the confirmation is repeated for each file without another upload', async () => {
    const assets = await modelFiles(at, 'a', 'b');
    const refuse = { status: 400, code: 'INVALID_STATUS' };
    await at.control('faults', [{ match: 'confirmJobUploads', nth: 1, do: refuse }]);
    const ended = await runAttempts(at, filesPlan(at, takeModels), 'connector_poll', assets);
    expect(outcomes(ended)).toEqual({ a: 'done', b: 'done' });
    expect(ended.requests).toEqual({ createJob: 1, confirmJobUploads: 1, confirmModel: 2 });
    expect(await models()).toEqual(['a READY', 'b READY']);
  });
});

describe('a group of files without errors', () => {
  it('a group of files without errors needs two requests', async () => {
    const assets = await modelFiles(at, 'a', 'b', 'c');
    const ended = await runAttempts(at, filesPlan(at, takeModels), 'connector_poll', assets);
    expect(ended.requests).toEqual({ createJob: 1, confirmJobUploads: 1 });
  });
});

describe('uploading files that become library items', () => {
  it.each(['createProps', 'createDecals', 'createMaterial'])(
    '%s: each file becomes one item and nothing is left behind, whichever effect a worker dies after',
    async (operation) => {
      const scene = creatingCalls[operation];
      if (scene === undefined) throw new Error(`no scene for ${operation}`);
      await untilNothingKills(async (run) => {
        const { plan, assets } = await scene.prepare(at);
        await at.control('faults', [
          { upload: 'a', times: 1, do: { status: 403 } },
          { upload: 'b', do: { status: 400 } },
        ]);
        const ended = await runAttempts(at, plan, 'library_import', assets, run);
        expect([outcomes(ended), warnings(ended)]).toEqual([
          { a: 'done', b: 'UPLOAD_REFUSED' },
          [],
        ]);
        expect(await scene.createdIds(at, assets)).toEqual(['a']);
        return ended;
      });
    },
  );
});

/** Repeats the scenario with a worker that dies after its first effect, its second, and so on until it survives. */
async function untilNothingKills(
  play: (run: AttemptOptions) => Promise<AttemptsResult>,
): Promise<void> {
  for (let deadly = 1; ; deadly += 1) {
    await at.control('reset', {});
    const effects = new EffectCounter(deadly);
    const { attempts: needed } = await play({
      run: `run-${deadly}`,
      worker: (deps, attempt) => (attempt === 1 ? killableWorker(deps, effects) : deps),
    }).catch((error: unknown) => {
      throw new Error(`the worker had died after effect ${deadly}`, { cause: error });
    });
    if (needed > 1) continue;
    expect(deadly).toBeGreaterThan(8);
    return;
  }
}
