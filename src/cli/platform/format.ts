// Formats the platform's pipelines and their jobs as tables.

import type { PlatformJob } from '../../app/platform/jobs.ts';
import type { ListedPipeline } from '../../app/platform/pipelines.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Paint } from '../color.ts';

const colors: Record<string, Parameters<Paint>[0]> = {
  ACTIVE: 'green',
  COMPLETED: 'green',
  PAUSED: 'yellow',
  ERROR: 'red',
  FAILED: 'red',
};

export function formatPipelines(
  pipelines: readonly ListedPipeline[],
  connectors: readonly string[],
  paint: Paint,
): string {
  const names = connectors.length === 0 ? 'none' : connectors.join(', ');
  if (pipelines.length === 0) return `No pipelines on the platform. Connectors: ${names}`;
  const width = Math.max(...pipelines.map(({ name }) => name.length));
  const lines = pipelines.map((pipeline) => {
    const { id, name, status = 'UNKNOWN', nodes = [], consecutiveFailures = 0 } = pipeline;
    const failures =
      consecutiveFailures > 0 ? `, ${formatCount(consecutiveFailures, 'failure')} in a row` : '';
    const types = nodes.map(({ type, enabled }) => (enabled ? type : `(${type})`)).join(' → ');
    return `${name.padEnd(width)}  ${paintStatus(paint, status, 6)}  ${id}  ${types}${failures}`;
  });
  return [...lines, `connectors: ${names}`].join('\n');
}

export function formatJobs(jobs: readonly PlatformJob[], total: number, paint: Paint): string {
  if (jobs.length === 0) return 'No jobs yet.';
  const files = jobs.map(({ sourceFile }) => sourceFile?.path ?? '–');
  const width = Math.max(...files.map(({ length }) => length));
  const lines = jobs.map((job, index) => {
    const { status = 'UNKNOWN', createdAt = '', renderOutputs = 0 } = job;
    const when = createdAt.slice(0, 19).replace('T', ' ');
    const error = job.lastError ? `  ${job.lastError}` : '';
    return `${(files[index] ?? '').padEnd(width)}  ${paintStatus(paint, status, 10)}  ${formatCount(renderOutputs, 'output')}  ${when}  ${job.id}${error}`;
  });
  return total > jobs.length
    ? [...lines, `and ${total - jobs.length} more: --limit ${total}`].join('\n')
    : lines.join('\n');
}

function paintStatus(paint: Paint, status: string, width: number): string {
  return paint(colors[status] ?? 'cyan', status.padEnd(width));
}
