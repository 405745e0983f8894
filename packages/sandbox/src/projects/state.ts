// A project over time: its status (2.3) follows from its render jobs.

import { hasEnded, renderJobStatus } from '../renders/state.ts';
import type { Sandbox } from '../sandbox.ts';
import type { ProjectRecord } from '../state/records.ts';

/** PENDING without render jobs, IN_PROGRESS while one runs, else COMPLETED. */
export function projectStatus({ renders }: Sandbox, project: ProjectRecord, now: number): string {
  const jobs = renders.ofProject(project.id);
  if (jobs.size === 0) return 'PENDING';
  for (const job of jobs) if (!hasEnded(renderJobStatus(job, now))) return 'IN_PROGRESS';
  return 'COMPLETED';
}
