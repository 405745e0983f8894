// The finished renders that become assets, and the number of requests.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { type RenderSelection, renderLister } from '../../src/features/renders/select-renders.ts';
import { useWorkspace } from './_workspace.ts';

const workspace = useWorkspace({ speed: 1_000 });
const jobs: { jobId: string; projectId: string }[] = [];
const select = (selection: RenderSelection, given: readonly string[] | null = null) =>
  workspace.at.list((context) => renderLister(selection, context), given);

const small = {
  imageCustomResolution: true,
  imageCustomWidth: 16,
  imageCustomHeight: 9,
  renderVariants: false,
  renderShots: false,
};

beforeAll(async () => {
  const { client } = workspace.at;
  const { models } = await client.createModels({
    body: { models: ['Red', 'Blue'].map((name) => ({ name, fileType: 'glb' })) },
  });
  const modelIds = models.map(({ modelId }) => modelId);
  for (const { modelId, uploadUrl = '' } of models) {
    const body = new Uint8Array(triangleGlb([], modelId));
    const headers = { 'content-type': 'model/gltf-binary' };
    await fetch(uploadUrl, { method: 'PUT', body, headers });
    await client.confirmModel({ params: { modelId }, body: { fileType: 'glb' } });
  }
  await vi.waitUntil(
    async () => (await client.checkModelStatus({ body: { modelIds } })).allReady === true,
    {
      timeout: 10_000,
      interval: 50,
    },
  );
  const { projects } = await client.createProjects({
    body: { modelIds, createPerModel: true },
  });
  for (const [index, { projectId }] of projects.entries()) {
    const settings = { ...small, imageFormat: index === 0 ? ('PNG' as const) : ('TIFF' as const) };
    const made = await client.createRenders({ body: { projectIds: [projectId], settings } });
    jobs.push(...made.jobs);
  }
  for (const { jobId } of jobs) {
    await vi.waitUntil(
      async () => (await client.getRenderJob({ params: { jobId } })).status === 'COMPLETED',
      { timeout: 10_000, interval: 50 },
    );
  }
});

describe('a selection of renders', () => {
  it('each finished output is selected, with its URL only if it is certainly not a preview', async () => {
    const { found, requests } = await select({});
    expect(requests).toEqual({ listRenders: 1 });
    const urls = found.map(({ platformIds }) => {
      const [output] = platformIds?.outputs ?? [];
      return [output?.fileType, output?.url !== undefined];
    });
    expect(new Map(urls as [string, boolean][])).toEqual(
      new Map([
        ['PNG', true],
        ['TIFF', false],
      ]),
    );
  });

  it('the selection can be limited by project, kind and name', async () => {
    const [first] = jobs;
    const ofOne = await select({ projectIds: [first?.projectId ?? ''] });
    expect(
      ofOne.found.every(({ platformIds }) => platformIds?.projectId === first?.projectId),
    ).toBe(true);
    expect(ofOne.found.length).toBeGreaterThan(0);
    expect((await select({ isVideo: true })).found).toEqual([]);
    expect((await select({ name: 'no such*' })).found).toEqual([]);
  });

  it('a selection by projects reports each project that does not exist', async () => {
    const [first] = jobs;
    const found = await select({ projectIds: [first?.projectId ?? '', 'project-none'] });
    expect(found.found).not.toEqual([]);
    expect(found.refused).toEqual(['PROJECT_NOT_FOUND project-none']);
    expect(found.requests).toEqual({ listRenders: 2, getProject: 1 });
  });

  it('a project without videos is no failure of a selection of videos', async () => {
    const [first] = jobs;
    const found = await select({ projectIds: [first?.projectId ?? ''], isVideo: true });
    expect({ names: found.names, refused: found.refused }).toEqual({ names: [], refused: [] });
  });

  it('a selection by ids reports each unknown id', async () => {
    const [one] = (await select({})).found;
    const found = await select({ ids: [one?.source.id ?? '', 'render-none'] });
    expect(found.names).toEqual([one?.source.path]);
    expect(found.refused).toEqual(['RENDER_NOT_FOUND render-none']);
    expect((await select({}, [one?.source.id ?? ''])).names).toEqual([one?.source.path]);
  });

  it('a selection by job creates one asset for each job, with all outputs', async () => {
    const [first] = jobs;
    const jobId = first?.jobId ?? '';
    const { found, refused, requests } = await select({ jobs: [jobId, 'job-none'] });
    expect(found).toMatchObject([
      { unkeyed: { shortKey: jobId }, platformIds: { jobId, projectId: first?.projectId } },
    ]);
    const urls = found[0]?.platformIds?.outputs?.map(({ url }) => url);
    expect(urls).not.toEqual([]);
    expect(urls).toEqual(urls?.map(() => expect.stringMatching(/^http/)));
    expect(refused).toEqual(['RENDER_JOB_NOT_FOUND job-none']);
    expect(requests).toEqual({ getRenderJob: 2 });
  });

  it('a job that did not complete is refused', async () => {
    const [first] = jobs;
    const { client } = workspace.at;
    await workspace.at.set('faults', [{ render: '*', do: { failure: 'out of light' } }]);
    const made = await client.createRenders({ body: { projectIds: [first?.projectId ?? ''] } });
    const jobId = made.jobs[0]?.jobId ?? '';
    expect((await select({ jobs: [jobId] })).refused).toEqual([`RENDER_NOT_FINISHED ${jobId}`]);
  });
});
