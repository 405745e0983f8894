import { formatCount } from '../../plan/helpers/format-count.ts';
import { moveCommands } from '../../temporal/deployments/version-pin.ts';
import type { VersionView } from '../../temporal/deployments/version-views.ts';

export function describeStranded({ buildId, pinned }: VersionView): string {
  const verb = pinned === 1 ? 'is' : 'are';
  return `${formatCount(pinned, 'open workflow')} ${verb} pinned to build ${buildId}, which has no workers`;
}

/** Formats the fix for stranded runs. Routing changes do not move pinned workflows, so they are moved explicitly. */
export function formatStrandedFix(deployment: string, { buildId, status }: VersionView): string {
  const version = { deployment, buildId };
  const move = moveCommands({ version, isCurrent: status === 'current' });
  return `Start workers of that build again, or check whether another build can replay them (renderline replay), then: ${move}`;
}
