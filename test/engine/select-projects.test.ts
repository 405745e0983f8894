// The projects of a workspace that become assets, and the number of requests.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ProjectSelection,
  projectLister,
} from '../../src/features/projects/select-projects.ts';
import { useWorkspace } from './_workspace.ts';

const workspace = useWorkspace();
const ids: Record<string, string> = {};
let models: Record<string, string> = {};
const select = (selection: ProjectSelection, given: readonly string[] | null = null) =>
  workspace.at.list((context) => projectLister(selection, context), given);

beforeAll(async () => {
  const { at } = workspace;
  models = await at.models(['a', 'b']);
  const make = async (name: string, ...of: string[]) => {
    const modelIds = of.map((model) => models[model] ?? '');
    const { projects } = await at.client.createProjects({ body: { name, modelIds } });
    ids[name] = projects[0]?.projectId ?? '';
  };
  await make('Spring/Red', 'a');
  await make('Spring/Set', 'a', 'b');
  await make('Autumn', 'b');
});

describe('a selection of projects', () => {
  const all = ['Autumn', 'Spring/Red', 'Spring/Set'];

  it.each<[string, ProjectSelection, string[]]>([
    ['without a filter', {}, all],
    ['by name', { name: 'spring/*' }, all.slice(1)],
    ['by a status that no project has', { status: 'ARCHIVED' }, []],
    ['by status', { status: 'PENDING' }, all],
  ])('projects are selected %s', async (_, selection, expected) => {
    const found = await select(selection);
    expect(found.names).toEqual(expected);
    expect(found.requests).toEqual({ listProjects: 1 });
  });

  it('each project has its ids from the start, and the id of its model if it has exactly one', async () => {
    const { found } = await select({ name: 'Spring/*' });
    const platformIds = Object.fromEntries(found.map((one) => [one.source.path, one.platformIds]));
    expect(platformIds).toEqual({
      'Spring/Red': { projectId: ids['Spring/Red'], modelId: models['a'] },
      'Spring/Set': { projectId: ids['Spring/Set'] },
    });
  });

  it('a selection by ids reports each unknown id', async () => {
    const one = await select({ ids: [ids['Autumn'] ?? ''] });
    expect([one.names, one.requests]).toEqual([['Autumn'], { getProject: 1 }]);
    const two = await select({ ids: [ids['Autumn'] ?? '', 'project-none'] });
    expect(two.names).toEqual(['Autumn']);
    expect(two.refused).toEqual(['PROJECT_NOT_FOUND project-none']);
    expect((await select({}, [ids['Autumn'] ?? ''])).names).toEqual(['Autumn']);
  });

  it('a project has the same version by id as in the list', async () => {
    const [byId] = (await select({ ids: [ids['Autumn'] ?? ''] })).found;
    const [listed] = (await select({ name: 'autumn' })).found;
    expect(byId?.source).toEqual(listed?.source);
  });
});
