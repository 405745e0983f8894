// The context of a run for its activities: its id, and the part of its plan that all activities need.

import { omitUndefined } from '../helpers/omit-undefined.ts';
import type { RenderQuota } from '../render-quota.ts';
import type { ConnectorSpec, Plan, PriorityName } from '../types.ts';
import type { RunLimits } from './run-limits.ts';

/** Part of the input of every activity that needs the run's plan. */
export interface RunContext {
  run: string;
  /** Created at the first start. Retry, reset, continue-as-new and rerun keep it. */
  lineage: string;
  /** Incremented when a person reruns failed work, never by a retry. */
  epoch: number;
  pipeline: string;
  /** Replaces the pipeline's name wherever Temporal shows it unencrypted. If absent, the name itself is shown. */
  alias?: string;
  recipe: string;
  parameters: Plan['parameters'];
  connectors: Record<string, ConnectorSpec>;
  records: ConnectorSpec;
  operations?: Plan['operations'];
  workspace?: Plan['workspace'];
  /** The host that has the run's local folders. If absent, any worker can execute activities. */
  host?: string;
  /** Set if somebody waits for the run, so its tasks and requests come first. */
  urgent?: true;
  /** Number of assets to process on the first discovery page. Absent before that page is listed. */
  assetCount?: number;
  /** Set if missing files may be rendered again, because a person allowed it or the run has a limit for renders. */
  mayRerender?: true;
  renderQuota?: RenderQuota;
  /** Set by the file or a person. If absent, the number of assets decides. */
  priority?: PriorityName;
}

export function runContextOf(
  plan: Plan,
  identity: Pick<RunContext, 'run' | 'lineage' | 'epoch' | 'mayRerender'> & { limits?: RunLimits },
): RunContext {
  const { run, lineage, epoch, mayRerender, limits } = identity;
  const { pipeline, recipe, parameters, connectors, records } = plan;
  const { alias, operations, workspace, host, priority, renderQuota } = plan;
  return {
    run,
    lineage,
    epoch,
    pipeline,
    recipe,
    parameters,
    connectors,
    records,
    ...omitUndefined({ alias, operations, workspace, host, priority, renderQuota }),
    ...(priority === 'urgent' ? { urgent: true } : {}),
    ...(mayRerender || limits?.renders !== undefined ? { mayRerender: true } : {}),
  };
}

/** Returns the `host` field of a run or of its carried state. The field is absent if there is no host. */
export function hostFields({ host }: { host?: string } = {}): { host?: string } {
  return host === undefined ? {} : { host };
}

/** True for a state of a run that a pause can hold. */
export function isRunInProgress(state: string): boolean {
  return state === 'discovering' || state === 'running';
}
