// Deployments for people. Pure.
import { count } from '../../plan/count.ts';
import type { DeploymentView, VersionView } from '../../temporal/deployments/look-at-versions.ts';
import type { Paint } from '../color.ts';
import { spelledOut } from '../screen-text.ts';

const colors: ReadonlyMap<string, Parameters<Paint>[0]> = new Map([
  ['current', 'green'],
  ['ramping', 'yellow'],
  ['draining', 'yellow'],
] as const);

export function deploymentLines(given: DeploymentView, paint: Paint): string[] {
  const view = spelledOut(given);
  const { name, current, ramping, versions, taskQueues } = view;
  const width = Math.max(0, ...versions.map(({ buildId }) => buildId.length));
  const others = ramping ? `, ${ramping.percent} % of them to ${ramping.buildId ?? 'others'}` : '';
  return [
    `${paint('bold', name)}  new runs go to ${current ?? 'workers that are not versioned'}${others}  ${paint('dim', taskQueues.join(', '))}`.trimEnd(),
    ...versions.map((version) => versionLine(version, width, paint)),
    ...versions.flatMap((version) => strandedLines(name, version, paint)),
    ...idleLines(view, paint),
  ];
}

function versionLine(version: VersionView, width: number, paint: Paint): string {
  const { buildId, status, workers, open } = version;
  const padded = status.padEnd(8);
  const color = colors.get(status);
  const shown = color === undefined ? padded : paint(color, padded);
  return `  ${buildId.padEnd(width)}  ${shown}  ${count(workers, 'worker')}, ${open} open`;
}

function strandedLines(name: string, version: VersionView, paint: Paint): string[] {
  if (!version.stranded) return [];
  const { buildId, status } = version;
  const fix =
    status === 'current' || status === 'ramping'
      ? `start workers of that build again, or give its runs to another: renderline deployments set-current BUILD --deployment ${name}`
      : `start workers of that build again, or move them: renderline deployments move ${buildId} --deployment ${name}`;
  return [`  ${paint('red', 'stranded')}  ${strandedWords(version)}: ${fix}`];
}

export function strandedWords({ buildId, open }: VersionView): string {
  return `${count(open, 'open workflow')} of build ${buildId}, which has no workers`;
}

function idleLines({ name, current, versions }: DeploymentView, paint: Paint): string[] {
  const version = versions.find(({ buildId }) => buildId === current);
  if (!version || version.workers > 0) return [];
  return [
    `  ${paint('red', 'nobody')}    takes new runs: build ${version.buildId} is current and has no workers. Start one, or: renderline deployments rollback --deployment ${name}`,
  ];
}
