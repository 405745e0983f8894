// Creates projects, for POST /projects and for unified jobs.

import { fail } from '../http/failure.ts';
import type { Sandbox } from '../sandbox.ts';
import type { ModelRecord, ProjectRecord } from '../state/records.ts';

export interface ProjectPlan {
  readonly name: string;
  readonly models: readonly ModelRecord[];
  readonly templateId?: string | undefined;
  readonly batchProjectId?: string | undefined;
}

export function newProject(sandbox: Sandbox, plan: ProjectPlan, now: number): ProjectRecord {
  const { store, stats } = sandbox;
  stats.created('projects');
  const project = store.projects.insert({
    id: store.newId('project'),
    name: plan.name,
    modelIds: plan.models.map(({ id }) => id),
    ...(plan.templateId === undefined ? {} : { templateId: plan.templateId }),
    ...(plan.batchProjectId === undefined ? {} : { batchProjectId: plan.batchProjectId }),
    createdAt: now,
  });
  sandbox.events.projectCreated(project, now);
  return project;
}

/** @throws ApiFailure PLAN_LIMIT_REACHED if the plan does not allow this many more projects */
export function refuseOverProjectLimit({ limits, store }: Sandbox, more: number): void {
  const { projects } = limits.values;
  const used = store.projects.size;
  if (projects !== null && used + more > projects) {
    fail(
      'PLAN_LIMIT_REACHED',
      `The plan allows ${projects} projects; ${used} exist, ${more} asked for.`,
    );
  }
}
