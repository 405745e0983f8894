import { requireProject } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { ApiFailure, fail, refuseInput } from '../http/failure.ts';
import { addProject } from '../projects/create-project.ts';
import { deleteAssetValues } from '../properties/values.ts';
import type { ModelRecord } from '../state/records.ts';
import { listNewestFirst } from '../state/table.ts';
import { isModelReady, modelStatusOf } from '../status/models.ts';
import { projectStatus, projectSummary } from '../status/projects.ts';
import { findTemplate } from '../templates/templates.ts';
import { assertWithinLimit } from '../workspace/plan-limits.ts';

/** Returns the model, if a project can use it. @throws ApiFailure NOT_FOUND, VALIDATION_ERROR */
function getUsableModel({ store }: Sandbox, modelId: string, nowMs: number): ModelRecord {
  const model =
    store.models.get(modelId) ??
    fail('NOT_FOUND', `modelIds: the model ${modelId} does not exist.`);
  const status = modelStatusOf(model, nowMs);
  if (isModelReady(status)) return model;
  return refuseInput(
    `modelIds: model ${modelId} (${model.name}) is ${status}; it must be READY or APPROVED.`,
  );
}

/** Returns the usable models, and the problems of the others. */
function splitUsable(sandbox: Sandbox, modelIds: readonly string[], nowMs: number) {
  const usableModels: ModelRecord[] = [];
  const failures: ApiFailure[] = [];
  for (const modelId of modelIds) {
    try {
      usableModels.push(getUsableModel(sandbox, modelId, nowMs));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      failures.push(error);
    }
  }
  return { usable: usableModels, failures };
}

export const projects = {
  listProjects: ({ query, nowMs }, sandbox) => {
    const { limit, offset, status } = query;
    const allProjects = sandbox.store.projects.all;
    const matches =
      status === undefined
        ? allProjects
        : allProjects.filter((project) => projectStatus(sandbox, project, nowMs) === status);
    return {
      projects: listNewestFirst(matches, limit, offset).map((project) => ({
        ...projectSummary(project),
        status: projectStatus(sandbox, project, nowMs),
        source: 'API',
        createdAt: new Date(project.createdAt).toISOString(),
      })),
      total: matches.length,
      limit,
      offset,
    };
  },

  createProjects: ({ body, nowMs }, sandbox) => {
    const { templateId } = body;
    if (templateId !== undefined && !findTemplate(sandbox.store, templateId)) {
      fail('NOT_FOUND', `templateId: the template ${templateId} does not exist.`);
    }
    const modelIds = [...new Set(body.modelIds)];
    const { usable, failures } = splitUsable(sandbox, modelIds, nowMs);
    const [first] = usable;
    const perModel = body.createPerModel === true;
    if (!first || (!perModel && failures.length > 0)) {
      throw (
        failures[0] ??
        new ApiFailure('VALIDATION_ERROR', 'modelIds: none of the models can be used.')
      );
    }
    assertWithinLimit(sandbox, 'projects', perModel ? usable.length : 1);
    if (!perModel) {
      const name = body.name || first.name;
      const project = addProject(sandbox, { name, models: usable, templateId }, nowMs);
      return { projects: [projectSummary(project)] };
    }
    const batchProject =
      usable.length > 1
        ? { id: sandbox.store.newId('batch project'), title: `${usable.length} projects` }
        : undefined;
    const createdProjects = usable.map((model) => {
      const plan = { name: model.name, models: [model], templateId };
      return addProject(sandbox, { ...plan, batchProjectId: batchProject?.id }, nowMs);
    });
    return {
      projects: createdProjects.map(projectSummary),
      batchProject,
      errors: failures.length > 0 ? failures.map(({ message }) => message) : undefined,
    };
  },

  getProject: ({ params }, sandbox) => projectSummary(requireProject(sandbox, params.projectId)),

  deleteProject: ({ params }, sandbox) => {
    const { store, renders } = sandbox;
    const project = requireProject(sandbox, params.projectId);
    for (const job of renders.ofProject(project.id)) {
      renders.remove(job);
      for (const outputId of job.outputIds) {
        store.outputs.remove(outputId);
        deleteAssetValues(sandbox, 'RENDER', outputId);
      }
      store.renderJobs.remove(job.id);
    }
    store.projects.remove(project.id);
    deleteAssetValues(sandbox, 'PROJECT', project.id);
    return { deleted: true, projectId: project.id };
  },
} satisfies Partial<Handlers>;
