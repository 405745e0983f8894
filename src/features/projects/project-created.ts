import { z } from 'zod';
import { toPlainText } from '../../api/responses/plain-text.ts';
import {
  checkEventFields,
  createEventFields,
  defaultOverlapMs,
  toEventRules,
} from '../../engine/discovery/event-fields.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { defineNode, type RootRole } from '../../engine/node-type.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import { type EarlierCalls, finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { splitCall } from '../../engine/submit/split-call.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { fail } from '../../failures/fail.ts';
import { positionNamesOf } from '../../plan/grid.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { readyModelsExample } from '../example.ts';
import { failDeletedModel, modelFailures } from '../models/failures.ts';
import { projectCreation } from './creations.ts';
import { projectFailures } from './failures.ts';
import { projectLister, SelectProjects, selectedProjects } from './select-projects.ts';

const Config = checkEventFields(
  z.strictObject({
    select: SelectProjects.optional(),
    ...createEventFields('project.created', {
      begins: 'new projects',
      made: 'projects that Renderline itself created',
    }),
  }),
);

/** Starts with selected projects. With `on`, events start it with new projects, and people with every project. */
const root: RootRole<z.output<typeof Config>> = {
  ...selectedProjects,
  by: ['select', 'on'],
  eventTrigger: (config) => toEventRules(config, defaultOverlapMs),
  list: (config, context) =>
    config.on ? projectLister({}, context) : selectedProjects.list(config, context),
};

export const projectCreated = defineNode({
  type: 'project_created',
  summary: "Create each asset's project from its model and template.",
  docs: `Projects are created 50 per request, one per model, from the model and the template that
\`template_match\` chose. A node that needs a project creates one itself, so this node is needed only
to show this point in the graph.

With \`select\` the pipeline starts with existing projects of the platform. Each becomes one asset,
whose key is the project's name, followed by the project's id if two names are equal. A project whose name,
models and template have not changed since is not processed again.

With \`on: project.created\` the pipeline starts with projects as they are created: \`renderline apply FILE\` lets events
start runs, and \`renderline webhooks\` receives the events. The content of this event is not documented, so each event makes
Renderline read the newest projects. Projects that Renderline itself created, by any pipeline of the workspace, start no run unless
\`own: true\`. If a person starts the pipeline, it processes every project.`,
  example: `${readyModelsExample('with-projects')}
  - { id: project, type: project_created, parentIds: [ready] }
`,
  config: Config,
  mode: 'call',
  stage: 'composition',
  submits: true,
  root,
  needs: ['ready model'],
  gives: ['project'],
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  recipe: [],
  route: ({ select, on }, batch) =>
    (select ?? on) ? 'its projects exist already' : `creates up to ${batch} projects per request`,
  cost: {
    byBatch: true,
    // If the node is the root, the projects already exist.
    requests: ({ assets, batch, isRoot }) =>
      isRoot ? {} : { createProjects: Math.ceil(assets / batch) },
    creates: () => 'project',
  },
  run: createMissingProjects,
});

export async function createMissingProjects(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const earlierCalls = await finishEarlierCalls(assets, [projectCreation], context);
  const results: AssetResult[] = [];
  const pendingAssets: StepAsset[] = [];
  for (const asset of assets) {
    const platformIds = earlierCalls.platformIds[asset.key];
    if (asset.platformIds.projectId) results.push({ key: asset.key, outcome: 'done' });
    else if (platformIds) results.push({ key: asset.key, outcome: 'done', platformIds });
    else if (asset.platformIds.modelId) pendingAssets.push(asset);
    else results.push(fail(modelFailures.NO_MODEL, asset.key, 'the asset has no model to render'));
  }
  // A request has one template and contains each model once, so cells of a model need separate requests.
  const groups = groupBy(pendingAssets, ({ platformIds, source }) =>
    JSON.stringify([platformIds.templateId ?? '', ...positionNamesOf(source)]),
  );
  for (const group of groups.values()) {
    const templateId = group[0]?.platformIds.templateId ?? '';
    const groupResults = await splitCall(
      group,
      (part) => submitProjects(part, templateId || null, earlierCalls, context),
      context,
    );
    results.push(...(await failDeletedModels(groupResults, group, context)));
  }
  return results;
}

async function submitProjects(
  assets: readonly StepAsset[],
  templateId: string | null,
  { ambiguousSince }: EarlierCalls,
  context: NodeContext,
): Promise<AssetResult[]> {
  const { platformIds, response } = await submitOnce(
    {
      creation: projectCreation,
      body: {
        modelIds: assets.map((asset) => asset.platformIds.modelId ?? ''),
        createPerModel: true,
        ...(templateId === null ? {} : { templateId }),
      },
      assets,
      ambiguousSince: ambiguousSince(assets),
      purpose: 'projects',
    },
    context,
  );
  const errors = response?.errors ?? [];
  return assets.map(({ key }) => {
    const createdIds = platformIds[key];
    if (createdIds) return { key, outcome: 'done', platformIds: createdIds };
    const reason = errors.join('; ') || 'the platform created no project and gave no reason';
    return fail(projectFailures.PROJECT_NOT_CREATED, key, toPlainText(reason));
  });
}

/**
 * Fails assets whose models were deleted. The response does not say in machine-readable form why a project was not
 * created: one code covers a deleted model and a deleted template, and errors of a partial success are plain text.
 * Therefore the models are checked. A deleted model is uploaded again later.
 */
async function failDeletedModels(
  results: readonly AssetResult[],
  group: readonly StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const failedResults = results.filter(({ outcome }) => outcome === 'failed');
  const failedKeys = new Set(failedResults.map(({ key }) => key));
  const failedAssets = group.filter(({ key }) => failedKeys.has(key));
  const modelIds = failedAssets.flatMap(({ platformIds }) => platformIds.modelId ?? []);
  if (modelIds.length === 0) return [...results];
  const request = { body: { modelIds } };
  const { notFound } = await context.client.checkModelStatus(request, callOptions(context));
  const deletedIds = new Set(notFound);
  return results.map((result) => {
    const asset = failedAssets.find(({ key }) => key === result.key);
    const isDeleted = asset && deletedIds.has(asset.platformIds.modelId ?? '');
    return isDeleted ? failDeletedModel(asset, ['modelId']) : result;
  });
}
