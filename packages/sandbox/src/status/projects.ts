// Computes the status of a project from its render jobs.

import type { Project } from 'renderline/api/operations/projects';
import type { z } from 'zod';
import type { ProjectRecord } from '../state/records.ts';
import type { RenderIndex } from './render-index.ts';
import { isFinalStatus, renderJobStatus } from './renders.ts';

/** Returns PENDING without render jobs, IN_PROGRESS until all have ended, then COMPLETED. */
export function projectStatus(
  { renders }: { readonly renders: RenderIndex },
  project: ProjectRecord,
  nowMs: number,
): string {
  const jobs = renders.ofProject(project.id);
  if (jobs.size === 0) return 'PENDING';
  for (const job of jobs) if (!isFinalStatus(renderJobStatus(job, nowMs))) return 'IN_PROGRESS';
  return 'COMPLETED';
}

/** Returns the summary of a project for responses. */
export function projectSummary(project: ProjectRecord): z.input<typeof Project> {
  return {
    projectId: project.id,
    name: project.name,
    modelIds: [...project.modelIds],
    templateId: project.templateId ?? null,
  };
}
