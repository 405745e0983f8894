// Formats the platform's pipelines and their jobs.

import type {
  PipelineStatus,
  PlatformJobsList,
  PlatformPipelinesList,
  PushedPipeline,
} from '../../app/platform/manage-pipelines.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const colors: Record<string, Parameters<Paint>[0]> = {
  ACTIVE: 'green',
  COMPLETED: 'green',
  PAUSED: 'yellow',
  ERROR: 'red',
  FAILED: 'red',
};

export function formatPipelines(list: PlatformPipelinesList, paint: Paint): string {
  const { pipelines, connectors } = escapeForTerminal(list);
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

/** Formats what was pushed or, with `dryRun`, what would be pushed. */
export function formatPush(pushed: PushedPipeline, dryRun: boolean): string {
  const { id, created, status, omitted } = pushed;
  const { name, missingConnectors } = escapeForTerminal(pushed);
  return [
    dryRun
      ? `would ${created ? 'create' : 'update'} "${name}"; nothing was sent`
      : `${created ? 'created' : 'updated'} "${name}" (${id}), ${status}`,
    ...omitted.map((field) => `  not supported by the platform: ${field}`),
    ...missingConnectors.map(
      (connector) =>
        `  the platform has no connector "${connector}" yet; add the connector on the platform`,
    ),
  ].join('\n');
}

export function formatPipelineStatus({ id, name, status }: PipelineStatus): string {
  return `"${escapeForTerminal(name)}" (${id}) is ${status}`;
}

export function formatJobs(list: PlatformJobsList, paint: Paint): string {
  const { jobs, total } = escapeForTerminal(list);
  if (jobs.length === 0) return 'No jobs yet.';
  const files = jobs.map(({ sourceFile }) => sourceFile?.path ?? '–');
  const width = Math.max(...files.map(({ length }) => length));
  const lines = jobs.map((job, index) => {
    const { status = 'UNKNOWN', createdAt, renderOutputs = 0 } = job;
    const time = createdAt === undefined ? '' : formatTimestamp(createdAt);
    const error = job.lastError ? `  ${job.lastError}` : '';
    return `${(files[index] ?? '').padEnd(width)}  ${paintStatus(paint, status, 10)}  ${formatCount(renderOutputs, 'output')}  ${time}  ${job.id}${error}`;
  });
  return total > jobs.length
    ? [...lines, `and ${total - jobs.length} more: --limit ${total}`].join('\n')
    : lines.join('\n');
}

function paintStatus(paint: Paint, status: string, width: number): string {
  return paint(colors[status] ?? 'cyan', status.padEnd(width));
}
