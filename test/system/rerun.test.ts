// Second runs: assets that are delivered and unchanged cost nothing.
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from './_in-process.ts';
import { names, smallModel, writeModels } from './_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  type PipelineFolder,
  type RunReport,
  reportOf,
  runArguments,
  useProduct,
  writePipeline,
} from './_runs.ts';
import type { SandboxStats } from './_sandbox.ts';
import { useProcesses } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);

const command = (args: string[]) => runInProcess(args, product.env);
const startedHere = (place: PipelineFolder) => command(runArguments(place, '--wait', '--json'));
const runToEnd = async (place: PipelineFolder, code = 0) =>
  reportOf(await startedHere(place), code);

/** Requests that the platform got between two statistics, by operation. */
function requestsBetween(before: SandboxStats, after: SandboxStats): Record<string, number> {
  const counts = Object.entries(after.requests).map(
    ([operation, count]) => [operation, count - (before.requests[operation] ?? 0)] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

describe('a second run', () => {
  test('a second run over an unchanged folder ends quickly with nothing to do, and sends no requests', async () => {
    const place = await createPipelineFolder('unchanged');
    const keys = names('unchanged', 5);
    await writeModels(place.folder, keys);
    await expectPictures(await runToEnd(place), keys);

    const before = await product.sandbox.stats();
    const again = await runToEnd(place);
    // The command checks the key and the platform. The run itself sends no request.
    expect(requestsBetween(before, await product.sandbox.stats())).toEqual({ getMe: 1 });
    expect(again).toMatchObject({
      outcome: 'complete',
      assets: { total: 5, complete: 0, failed: 0, skipped: 5, unchanged: 5 },
      files: [],
      requests: { total: 0 },
    });
    expect(again.seconds).toBeLessThan(20);

    const words = await command(runArguments(place, '--wait'));
    expect(words.code).toBe(0);
    expect(words.stdout).toContain('nothing to do: no asset is new or changed');
  });

  test('a second run creates nothing for an asset that was pruned', async () => {
    const place = await createPipelineFolder('passed');
    const keys = names('passed', 2);
    await writeModels(place.folder, keys);
    const file = await readFile(place.file, 'utf8');
    const when = `    when: asset.key != "passed-02"\n`;
    await writeFile(place.file, file.replace('    type: export\n', `    type: export\n${when}`));
    const first = await runToEnd(place);
    expect(first.assets).toMatchObject({ total: 2, complete: 1, failed: 0, skipped: 1 });

    const before = await product.sandbox.stats();
    const again = await runToEnd(place);
    expect(again.assets).toMatchObject({ total: 2, complete: 0, failed: 0, skipped: 2 });
    expect((await product.sandbox.stats()).created).toEqual(before.created);
  });

  test('a second run takes new, changed and failed files, but not files that were only touched', async () => {
    const place = await createPipelineFolder('news');
    const keys = names('news', 5);
    await writeModels(place.folder, keys);
    const at = (key: string) => join(place.folder, `${key}.glb`);
    await writeFile(at('news-02'), smallModel('cut short').subarray(0, 300));
    const first = await runToEnd(place, 3);
    expect(first.failures).toMatchObject([{ key: 'news-02', code: 'TRUNCATED' }]);
    expect(first.assets).toMatchObject({ total: 5, complete: 4, failed: 1, skipped: 0 });

    await writeModels(place.folder, ['news-02', 'news-06']);
    await writeFile(at('news-03'), smallModel('other', { paddingBytes: 64 }));
    const aMinuteAgo = new Date(Date.now() - 60_000);
    await utimes(at('news-04'), aMinuteAgo, aMinuteAgo);
    const before = await product.sandbox.stats();
    const again = await runToEnd(place);
    const after = await product.sandbox.stats();
    expect(again.assets).toMatchObject({ total: 6, complete: 3, failed: 0, skipped: 3 });
    await expectPictures(again, ['news-02', 'news-03', 'news-06']);
    const pathOf = (report: RunReport) => report.files.find(({ key }) => key === 'news-03')?.path;
    expect(pathOf(again)).toBe(pathOf(first));
    expect(after.created.models - before.created.models).toBe(3);
    expect(after.created.renderJobs - before.created.renderJobs).toBe(3);
    expect(after.fileNames).toMatchObject({
      'news-01.glb': 1,
      'news-02.glb': 1,
      'news-03.glb': 2,
      'news-04.glb': 1,
      'news-06.glb': 1,
    });

    const [, ...given] = runArguments(place);
    const clean = ['clean', ...given, '--older-than', '0s', '--yes', '--json'];
    const cleaned = await command(clean);
    expect(JSON.parse(cleaned.stdout)).toMatchObject({
      orphans: [
        { kind: 'project', key: 'news-03', run: first.run, reason: 'replaced' },
        { kind: 'model', key: 'news-03', run: first.run, reason: 'replaced' },
      ],
      refused: [],
    });
    expect(JSON.parse(cleaned.stdout).deleted).toHaveLength(2);
    // Delivered assets are not affected: nothing is rendered again.
    expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, skipped: 6 });
  });

  test('with other render settings, the same models are rendered again; with another limit, nothing is rendered', async () => {
    const place = await createPipelineFolder('settings');
    const keys = names('settings', 4);
    await writeModels(place.folder, keys);
    await runToEnd(place);

    const settings = { imageCustomWidth: 80, imageCustomHeight: 45 };
    await writePipeline(place, { settings });
    const before = await product.sandbox.stats();
    const again = await runToEnd(place);
    const after = await product.sandbox.stats();
    await expectPictures(again, keys, { width: 80, height: 45 });
    expect(after.created.models - before.created.models).toBe(0);
    expect(after.created.renderJobs - before.created.renderJobs).toBe(4);

    await writePipeline(place, { settings, maxRetries: 7 });
    expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, skipped: 4 });
  });
});

/** Ids of models and projects by name; fails if two have the same name. */
async function idsOf(prefix: string) {
  const { models } = (await product.sandbox.api('GET', '/models?limit=100')) as {
    models: { name: string; modelId: string }[];
  };
  const { projects } = (await product.sandbox.api('GET', '/projects?limit=100')) as {
    projects: { name: string; projectId: string }[];
  };
  return {
    models: byName(prefix, models, ({ modelId }) => modelId),
    projects: byName(prefix, projects, ({ projectId }) => projectId),
  };
}

function byName<Item extends { name: string }>(
  prefix: string,
  items: readonly Item[],
  idOf: (item: Item) => string,
): Record<string, string> {
  const ours = items.filter(({ name }) => name.startsWith(prefix));
  expect(new Set(ours.map(({ name }) => name)).size).toBe(ours.length);
  return Object.fromEntries(ours.map((item) => [item.name, idOf(item)]));
}

describe('a run with `supersede: delete-after-success`', () => {
  test('a run with `supersede: delete-after-success` deletes only the old model and project of a changed file', async () => {
    const place = await createPipelineFolder('superseded', { supersede: 'delete-after-success' });
    await writeModels(place.folder, ['old-1', 'old-2', 'old-3']);
    await runToEnd(place);
    const before = await idsOf('old-');

    await writeFile(join(place.folder, 'old-1.glb'), smallModel('other', { paddingBytes: 64 }));
    await writeFile(join(place.folder, 'old-2.glb'), smallModel('cut short').subarray(0, 300));
    const [, ...given] = runArguments(place);
    const planned = await command(['plan', ...given, '--json']);
    expect(JSON.parse(planned.stdout)).toMatchObject({ deletes: 1 });
    const again = await runToEnd(place, 3);
    await expectPictures(again, ['old-1']);
    expect(again.failures).toMatchObject([{ key: 'old-2', code: 'TRUNCATED' }]);

    const model = before.models['old-1'] ?? '';
    const project = before.projects['old-1'] ?? '';
    expect(again.deleted).toEqual([
      { key: 'old-1', kind: 'project', id: project },
      { key: 'old-1', kind: 'model', id: model },
    ]);
    expect(again.requests.byOperation).toMatchObject({ deleteProject: 1, deleteModel: 1 });
    expect(again.warnings).toEqual([]);
    const after = await idsOf('old-');
    const { 'old-1': newModel, ...models } = after.models;
    const { 'old-1': newProject, ...projects } = after.projects;
    expect(before.models).toEqual({ ...models, 'old-1': model });
    expect(before.projects).toEqual({ ...projects, 'old-1': project });
    expect(newModel).not.toBe(model);
    expect(newProject).not.toBe(project);

    const found = await command(['find', model, ...given]);
    expect(found.stdout).toContain('old-1');
  });
});

describe('two simultaneous runs', () => {
  test('two simultaneous runs process each file once', async () => {
    const place = await createPipelineFolder('both');
    const keys = names('both', 30);
    await writeModels(place.folder, keys);
    const before = await product.sandbox.stats();
    const ended = await Promise.all([startedHere(place), startedHere(place)]);
    const reports = ended.map((finished) => reportOf(finished));
    const delivered = reports.flatMap(({ files }) => files.map(({ key }) => key));
    expect(delivered.sort()).toEqual(keys);
    for (const { assets } of reports) {
      expect(assets).toMatchObject({ total: keys.length, failed: 0 });
      expect(assets.complete + assets.skipped).toBe(keys.length);
    }
    const files = keys.map((key) => `${key}.glb`);
    expectOnce(before, await product.sandbox.stats(), files);
  });
});
