// Formats deployments and changes to them for the terminal. Pure.
import type { RoutingChange } from '../../app/deployments/change-routing.ts';
import type { MovedRuns } from '../../app/deployments/move-runs.ts';
import { describeStranded, formatStrandedFix } from '../../app/deployments/stranded-version.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatRouting } from '../../temporal/deployments/routing-status.ts';
import type { DeploymentView, VersionView } from '../../temporal/deployments/version-views.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const colors: ReadonlyMap<string, Parameters<Paint>[0]> = new Map([
  ['current', 'green'],
  ['ramping', 'yellow'],
  ['draining', 'yellow'],
] as const);

export function formatDeployments(views: readonly DeploymentView[], paint: Paint): string {
  if (views.length === 0) {
    return 'No deployments: workers are not versioned, and any worker may execute any run. Create the first deployment: renderline worker --deployment NAME';
  }
  const blocks = escapeForTerminal(views).map((view) => formatDeployment(view, paint).join('\n'));
  return blocks.join('\n\n');
}

function formatDeployment(view: DeploymentView, paint: Paint): string[] {
  const { name, versions, taskQueues } = view;
  const width = Math.max(0, ...versions.map(({ buildId }) => buildId.length));
  return [
    `${paint('bold', name)}  new runs go to ${formatRouting(view)}  ${paint('dim', taskQueues.join(', '))}`.trimEnd(),
    ...versions.map((version) => formatVersionLine(version, width, paint)),
    ...versions.flatMap((version) => formatStrandedLines(name, version, paint)),
    ...formatIdleVersion(view, paint),
  ];
}

function formatVersionLine(version: VersionView, width: number, paint: Paint): string {
  const { buildId, status, workers, open } = version;
  const padded = status.padEnd(8);
  const color = colors.get(status);
  const label = color === undefined ? padded : paint(color, padded);
  return `  ${buildId.padEnd(width)}  ${label}  ${formatCount(workers, 'worker')}, ${open} open`;
}

function formatStrandedLines(name: string, version: VersionView, paint: Paint): string[] {
  if (!version.stranded) return [];
  const description = describeStranded(version);
  return [`  ${paint('red', 'stranded')}  ${description}. ${formatStrandedFix(name, version)}`];
}

function formatIdleVersion({ name, current, versions }: DeploymentView, paint: Paint): string[] {
  const version = versions.find(({ buildId }) => buildId === current);
  if (!version || version.workers > 0) return [];
  return [
    `  ${paint('red', 'idle')}      new runs do not start: build ${version.buildId} is current and has no workers. Start a worker, or: renderline deployments rollback --deployment ${name}`,
  ];
}

export function formatRoutingChange(change: RoutingChange): string {
  const { deployment, current, before, done, ...routing } = escapeForTerminal(change);
  const verb = done ? 'go' : 'would go';
  const lines = [`New runs of ${deployment} ${verb} to ${formatRouting({ current, ...routing })}.`];
  if (before.current !== current && before.current !== null) {
    lines.push(
      `Open runs of build ${before.current} finish on that build: keep its workers until it is drained (renderline deployments).`,
      `If that build is bad, move them: renderline deployments move ${before.current} --deployment ${deployment}`,
    );
  }
  return lines.join('\n');
}

export function formatMovedRuns(moved: MovedRuns): string {
  const { from, to, workflows, done } = escapeForTerminal(moved);
  const verb = done ? 'Moved' : 'Would move';
  return [
    ...workflows.map((id) => `  ${id}`),
    `${verb} ${formatCount(workflows.length, 'workflow')} of build ${from} to ${to ?? 'the current build'}.`,
  ].join('\n');
}
