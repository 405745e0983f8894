// Formats deployments for the terminal. Pure.
import { formatCount } from '../../plan/helpers/format-count.ts';
import { moveCommands } from '../../temporal/deployments/version-pin.ts';
import type { DeploymentView, VersionView } from '../../temporal/deployments/version-views.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const colors: ReadonlyMap<string, Parameters<Paint>[0]> = new Map([
  ['current', 'green'],
  ['ramping', 'yellow'],
  ['draining', 'yellow'],
] as const);

export function formatDeployment(given: DeploymentView, paint: Paint): string[] {
  const view = escapeForTerminal(given);
  const { name, current, ramping, versions, taskQueues } = view;
  const width = Math.max(0, ...versions.map(({ buildId }) => buildId.length));
  const others = ramping ? `, ${ramping.percent} % of them to ${ramping.buildId ?? 'others'}` : '';
  return [
    `${paint('bold', name)}  new runs go to ${current ?? 'workers that are not versioned'}${others}  ${paint('dim', taskQueues.join(', '))}`.trimEnd(),
    ...versions.map((version) => formatVersionLine(version, width, paint)),
    ...versions.flatMap((version) => formatStrandedLines(name, version, paint)),
    ...formatIdleVersion(view, paint),
  ];
}

function formatVersionLine(version: VersionView, width: number, paint: Paint): string {
  const { buildId, status, workers, open } = version;
  const padded = status.padEnd(8);
  const color = colors.get(status);
  const shown = color === undefined ? padded : paint(color, padded);
  return `  ${buildId.padEnd(width)}  ${shown}  ${formatCount(workers, 'worker')}, ${open} open`;
}

function formatStrandedLines(name: string, version: VersionView, paint: Paint): string[] {
  if (!version.stranded) return [];
  const what = formatStranded(version);
  return [`  ${paint('red', 'stranded')}  ${what}. ${strandedFix(name, version)}`];
}

export function formatStranded({ buildId, pinned }: VersionView): string {
  const verb = pinned === 1 ? 'is' : 'are';
  return `${formatCount(pinned, 'open workflow')} ${verb} pinned to build ${buildId}, which has no workers`;
}

/** A change of routing does not move pinned workflows, so they must be moved explicitly. */
export function strandedFix(deployment: string, { buildId, status }: VersionView): string {
  const version = { deployment, buildId };
  const move = moveCommands({ version, isCurrent: status === 'current' });
  return `Start workers of that build again, or check whether another build can replay them (renderline replay), then: ${move}`;
}

function formatIdleVersion({ name, current, versions }: DeploymentView, paint: Paint): string[] {
  const version = versions.find(({ buildId }) => buildId === current);
  if (!version || version.workers > 0) return [];
  return [
    `  ${paint('red', 'idle')}      new runs do not start: build ${version.buildId} is current and has no workers. Start one, or: renderline deployments rollback --deployment ${name}`,
  ];
}
