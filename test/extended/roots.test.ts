// Pipelines that begin with objects that already exist on the platform.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runInProcess, startInProcess } from '../system/_in-process.ts';
import { smallModel } from '../system/_models.ts';
import { expectPictures, pictureSize, reportOf, useProduct } from '../system/_runs.ts';
import { tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal);

/** Uploads a small model under each name, as another client of the workspace. @returns ids by name */
async function upload(...names: string[]): Promise<Record<string, string>> {
  const { sandbox } = product;
  const { models } = (await sandbox.api('POST', '/models', {
    models: names.map((name) => ({ name, fileType: 'glb' })),
  })) as { models: { modelId: string; name: string; uploadUrl: string }[] };
  for (const { modelId, name, uploadUrl } of models) {
    await fetch(uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': 'model/gltf-binary' },
      body: new Uint8Array(smallModel(name)),
    });
    await sandbox.api('POST', `/models/${modelId}/confirm`, { fileType: 'glb' });
  }
  return Object.fromEntries(models.map(({ modelId, name }) => [name, modelId]));
}

async function allReady(modelIds: string[]): Promise<void> {
  await waitUntil('models are ready', async () => {
    const answer = await product.sandbox.api('POST', '/models/status', { modelIds });
    return (answer as { allReady: boolean }).allReady;
  });
}

/** A pipeline file of the given nodes, with a folder for its pictures. */
async function pipeline(name: string, nodes: string, more = '') {
  const root = await tempFolder(name);
  const file = join(root, `${name}.yaml`);
  const text = `name: ${name}\nconnectors: { pictures: { type: local, path: pictures } }\n${more}nodes:\n${nodes}`;
  await writeFile(file, text);
  const starting = (verb: string, ...flags: string[]) =>
    startInProcess([verb, file, ...flags], product.env);
  const command = (verb: string, ...flags: string[]) =>
    runInProcess([verb, file, ...flags], product.env);
  const runToEnd = async (code = 0) => reportOf(await command('run', '--wait', '--json'), code);
  return { start: starting, command, runToEnd };
}

const settings = JSON.stringify({
  renderShots: false,
  renderVariants: false,
  imageCustomResolution: true,
  imageCustomWidth: pictureSize.width,
  imageCustomHeight: pictureSize.height,
});
const renderAndDeliver = (parent: string) => `  - id: shots
    type: render
    parentIds: [${parent}]
    config: { settings: ${settings} }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`;

describe('selected projects', () => {
  test('selected projects are rendered unchanged, and only once', async () => {
    const models = await upload('Sofa', 'Pouf');
    await allReady(Object.values(models));
    const { projects } = (await product.sandbox.api('POST', '/projects', {
      modelIds: Object.values(models),
      createPerModel: true,
    })) as { projects: { projectId: string; name: string }[] };
    const [first, second] = projects;
    const { runToEnd } = await pipeline(
      'projects',
      `  - id: shots
    type: render
    config: { settings: ${settings}, select: { projects: { ids: [${first?.projectId}, ${second?.projectId}, project-none] } } }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`,
    );
    const before = await product.sandbox.stats();
    const report = await runToEnd(3);
    await expectPictures(
      report,
      projects.map(({ name }) => name),
    );
    expect(report.failures).toMatchObject([{ key: 'project-none', code: 'PROJECT_NOT_FOUND' }]);
    const after = await product.sandbox.stats();
    expect(after.created.projects).toBe(before.created.projects);
    expect(after.created.renderJobs - before.created.renderJobs).toBe(2);

    const again = await runToEnd(3);
    expect(again.assets).toMatchObject({ total: 3, complete: 0, failed: 1, skipped: 2 });
    expect((await product.sandbox.stats()).created).toEqual(after.created);
  });
});

describe('selected renders', () => {
  test('selected renders are delivered either as a job with all its outputs or with each output as its own asset', async () => {
    const { sandbox } = product;
    const models = await upload('Desk', 'Shelf');
    await allReady(Object.values(models));
    const { projects } = (await sandbox.api('POST', '/projects', {
      modelIds: Object.values(models),
      createPerModel: true,
    })) as { projects: { projectId: string }[] };
    const projectIds = projects.map(({ projectId }) => projectId);
    const { jobs } = (await sandbox.api('POST', '/renders', {
      projectIds,
      settings: JSON.parse(settings),
    })) as { jobs: { jobId: string }[] };
    const [job] = jobs;
    const of = async (path: string) =>
      (await sandbox.api('GET', path)) as {
        status?: string;
        renders: { id: string; name: string }[];
      };
    await waitUntil('both are rendered', async () => {
      const all = await Promise.all(jobs.map(({ jobId }) => of(`/renders/${jobId}`)));
      return all.every(({ status }) => status === 'COMPLETED');
    });

    const take = (select: string) => `  - id: deliver
    type: export
    config: { connector: pictures, naming: "{{ key }}-{{ index }}.{{ ext }}", select: { renders: ${select} } }
`;
    const byJob = await pipeline('by-job', take(`{ jobs: [${job?.jobId}, job-none] }`));
    const first = await byJob.runToEnd(3);
    await expectPictures(first, [job?.jobId ?? '']);
    expect(first.failures).toMatchObject([{ key: 'job-none', code: 'RENDER_JOB_NOT_FOUND' }]);
    expect(first.requests.byOperation).toEqual({ getRenderJob: 2 });

    const byProject = await pipeline(
      'by-project',
      take(`{ projectIds: [${projectIds.join(', ')}] }`),
      'key: asset.id\n',
    );
    const { renders } = await of(`/renders?projectId=${projectIds[0]}`);
    const second = await byProject.runToEnd();
    expect(second.files).toHaveLength(2);
    expect(second.files.map(({ key }) => key)).toContain(renders[0]?.id);
    expect(second.requests.byOperation).toEqual({ listRenders: 2 });
    const again = await byProject.runToEnd();
    expect(again.assets).toMatchObject({ total: 2, complete: 0, skipped: 2 });
  });
});

describe('selected models', () => {
  test('models selected by name wait until they are ready and are rendered once, and again only if they change', async () => {
    const ids = await upload('one/Couch', 'one/Lamp', 'other');
    const { runToEnd, command } = await pipeline(
      'by-name',
      `  - { id: ready, type: model_ready, config: { select: { models: { name: "one/*" } } } }
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }
${renderAndDeliver('look')}`,
    );
    const planned = JSON.parse((await command('plan', '--json')).stdout) as {
      assets: object;
      requests: { byOperation: Record<string, number> };
    };
    expect(planned.assets).toMatchObject({ total: 2, new: 2 });
    expect(planned.requests.byOperation).toMatchObject({ listModels: 1, createRenders: 1 });
    expect(planned.requests.byOperation).not.toHaveProperty('createJob');

    const before = await product.sandbox.stats();
    const first = await runToEnd();
    await expectPictures(first, ['one/Couch', 'one/Lamp']);
    expect(first.requests.byOperation).toMatchObject({ listModels: 1, createProjects: 1 });
    const after = await product.sandbox.stats();
    expect(after.created.models - before.created.models).toBe(0);
    expect(after.created.renderJobs - before.created.renderJobs).toBe(2);

    const second = await runToEnd();
    expect(second.assets).toMatchObject({ total: 2, complete: 0, failed: 0, skipped: 2 });
    expect(second.requests.byOperation).toEqual({ listModels: 1 });

    await product.sandbox.api('PATCH', `/models/${ids['one/Lamp'] ?? ''}`, { name: 'one/Light' });
    const third = await runToEnd();
    expect(third.assets).toMatchObject({ total: 2, complete: 1, failed: 0, skipped: 1 });
    await expectPictures(third, ['one/Light']);
  });

  test('models selected by id are delivered, and an unknown id fails alone', async () => {
    const { Vase = '' } = await upload('Vase');
    const { runToEnd } = await pipeline(
      'by-id',
      `  - id: ready
    type: model_ready
    config: { select: { models: { ids: [${Vase}, model-none] } } }
${renderAndDeliver('ready')}`,
      'key: "sku/{{ id }}"\n',
    );
    const report = await runToEnd(3);
    await expectPictures(report, [`sku/${Vase}`]);
    expect(report.failures).toMatchObject([{ key: 'model-none', code: 'MODEL_NOT_FOUND' }]);
  });

  test('models selected by status continue without polling each one', async () => {
    const ids = await upload('Stool', 'Bench');
    for (const id of Object.values(ids)) {
      await product.sandbox.set(`models/${id}/status`, { status: 'APPROVED' });
    }
    const { runToEnd } = await pipeline(
      'approved',
      `  - id: look
    type: template_match
    config:
      default: Studio White
      select: { models: { status: APPROVED } }
${renderAndDeliver('look')}`,
    );
    const report = await runToEnd();
    await expectPictures(report, ['Bench', 'Stool']);
    expect(report.requests.byOperation).not.toHaveProperty('checkModelStatus');
  });

  test('selected models that are deleted before they are ready fail alone', async () => {
    const ids = await upload('gone/Cup', 'gone/Mug');
    for (const id of Object.values(ids)) {
      await product.sandbox.set(`models/${id}/status`, { status: 'ANALYZING' });
    }
    const { start } = await pipeline(
      'gone',
      `  - { id: ready, type: model_ready, config: { select: { models: { name: "gone/*" } } } }
${renderAndDeliver('ready')}`,
    );
    const looks = async () => (await product.sandbox.stats()).requests['checkModelStatus'] ?? 0;
    const before = await looks();
    const running = start('run', '--wait', '--json');
    await waitUntil('a look at the models', async () => (await looks()) > before);
    await product.sandbox.api('DELETE', `/models/${ids['gone/Cup'] ?? ''}`);
    await product.sandbox.set(`models/${ids['gone/Mug'] ?? ''}/status`, { status: null });
    const report = reportOf(await running.finished, 3);
    await expectPictures(report, ['gone/Mug']);
    expect(report.failures).toMatchObject([{ key: 'gone/Cup', code: 'MODEL_NOT_FOUND' }]);
  });

  test('plan and run suggest the right name for an unknown property', async () => {
    const property = { name: 'Season', type: 'TEXT' };
    await product.sandbox.api('POST', '/properties', property);
    const { command } = await pipeline(
      'by-property',
      `  - id: ready
    type: model_ready
    config: { select: { models: { properties: [{ property: Seson }] } } }
${renderAndDeliver('ready')}`,
    );
    const planned = await command('plan');
    expect(planned.code).toBe(2);
    expect(planned.stderr).toMatch(/no property "Seson".*did you mean "Season"/);
    const ended = await command('run', '--wait');
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toMatch(/no property "Seson".*did you mean "Season"/);
  });
});

describe('set_properties', () => {
  test('set_properties sets the properties of all models in one request, and sends nothing if nothing has changed', async () => {
    const { sandbox } = product;
    const ids = await upload('props/Tray', 'props/Bowl');
    await sandbox.api('POST', '/properties', {
      name: 'Shelf',
      type: 'SELECT',
      options: ['props', 'Other'],
    });
    const { runToEnd, command } = await pipeline(
      'mark',
      `  - id: mark
    type: set_properties
    config:
      select: { models: { name: "props/*" } }
      values: { Shelf: "{{ asset.folder }}" }
`,
      'records: pictures\n',
    );
    const first = await runToEnd();
    expect(first.assets).toMatchObject({ total: 2, complete: 2 });
    expect(first.requests.byOperation).toEqual({
      listModels: 1,
      listProperties: 1,
      setAssetProperties: 1,
    });
    const { properties } = (await sandbox.api(
      'GET',
      `/assets/MODEL/${ids['props/Bowl'] ?? ''}/properties`,
    )) as { properties: { name: string; optionIds: string[] }[] };
    expect(properties).toMatchObject([{ name: 'Shelf', optionIds: [expect.any(String)] }]);

    const second = await runToEnd();
    expect(second.assets).toMatchObject({ total: 2, complete: 0, skipped: 2 });
    expect(second.requests.byOperation).toEqual({ listModels: 1 });
    expect((await command('plan')).stdout).toMatch(/2 assets: 0 new, 0 changed, 2 unchanged/);
  });
});

describe('pipelines/approved-sheets.yaml', () => {
  test('approved-sheets.yaml creates one sheet for each approved model', async () => {
    const file = fileURLToPath(new URL('../../pipelines/approved-sheets.yaml', import.meta.url));
    const out = join(await tempFolder('sheets'), 'sheets');
    const ids = await upload('sheets/Polo', 'sheets/Tee', 'sheets/Draft');
    await allReady(Object.values(ids));
    for (const name of ['sheets/Polo', 'sheets/Tee']) {
      await product.sandbox.set(`models/${ids[name] ?? ''}/status`, { status: 'APPROVED' });
    }
    const params = ['--param', `out=${out}`, '--param', 'name=sheets/*'];
    const runToEnd = async () =>
      reportOf(await runInProcess(['run', file, ...params, '--wait', '--json'], product.env));
    const first = await runToEnd();
    expect(first.files.map(({ path }) => path).sort()).toEqual([
      'sheets/Polo.pdf',
      'sheets/Tee.pdf',
    ]);
    const bytes = await readFile(join(out, 'sheets/Polo.pdf'));
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');

    const second = await runToEnd();
    expect(second.assets).toMatchObject({ total: 2, complete: 0, failed: 0, skipped: 2 });
    expect(second.requests.byOperation).toEqual({ listModels: 1 });
  });
});
