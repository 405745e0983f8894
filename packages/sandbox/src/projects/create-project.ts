// Creates projects, for POST /projects, unified jobs and pipelines.

import type { Sandbox } from '../context/sandbox.ts';
import type { ModelRecord, ProjectRecord } from '../state/records.ts';

export interface ProjectPlan {
  readonly name: string;
  readonly models: readonly ModelRecord[];
  readonly templateId?: string | undefined;
  readonly batchProjectId?: string | undefined;
}

export function addProject(sandbox: Sandbox, plan: ProjectPlan, nowMs: number): ProjectRecord {
  const { store, stats } = sandbox;
  stats.created('projects');
  const project = store.projects.insert({
    id: store.newId('project'),
    name: plan.name,
    modelIds: plan.models.map(({ id }) => id),
    templateId: plan.templateId,
    batchProjectId: plan.batchProjectId,
    createdAt: nowMs,
  });
  sandbox.events.projectCreated(project, nowMs);
  return project;
}
