// Compiles the pipeline file with each set of parameters that it was run with, to find which resources are in use.

import { compileFile } from '../../compile/compile.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { openConnector } from '../../connectors/index.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { connectorResolver } from '../../features/discovery-source.ts';
import { gridOf } from '../../features/grid/dimensions.ts';
import type { Plan } from '../../plan/types.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { type PlanUsage, RecordUsage } from '../../store/search/record-usage.ts';
import type { App } from '../app.ts';
import { openPlanStore } from '../plan/open-plan-store.ts';

/** Finds which recipes and cells are in use. Reads tables at every call, because tables may change. */
export async function readPlansInUse(app: App, file: string, plan: Plan): Promise<RecordUsage> {
  const store = openPlanStore(plan);
  const plans = await compileKnownPlans(app, file, plan, store);
  const inUse =
    plans === null ? [toPlansInUse(plan, 'unknown')] : await Promise.all(plans.map(planInUse));
  return new RecordUsage(inUse.flat(), await store.recipes.known());
}

/** Compiles the file with each known set of parameters. Returns null if the sets are not known. */
async function compileKnownPlans(
  app: App,
  file: string,
  plan: Plan,
  store: RunStore,
): Promise<Plan[] | null> {
  const sets = await store.parameterSets.all(app.signal);
  if (sets === null) return null;
  const settings = await app.compileSettings();
  const plans = new Map([[plan.hash, plan]]);
  for (const set of sets) {
    // If a set does not compile, parameters that the file no longer has are dropped. New ones have the value given now.
    const declared = Object.entries(set).filter(([name]) => name in plan.parameters);
    for (const given of [set, Object.fromEntries(declared)]) {
      const parameters = { ...plan.parameters, ...given };
      const { plan: other } = await compileFile(file, { ...settings, parameters });
      if (other === null) continue;
      plans.set(other.hash, other);
      break;
    }
  }
  return [...plans.values()];
}

function toPlansInUse({ recipe, stages }: Plan, grid: PlanUsage['grid']): PlanUsage[] {
  return [{ recipe, stages, grid }];
}

async function planInUse(plan: Plan): Promise<PlanUsage[]> {
  const { parameters, discovery } = plan;
  try {
    const connectorNamed = connectorResolver(plan, openConnector);
    return toPlansInUse(plan, await gridOf(discovery, { parameters, connectorNamed }));
  } catch (error) {
    // Without the table the cells in use are unknown, so all count as used.
    if (!(error instanceof ConnectorError || error instanceof RunCauseError)) throw error;
    return toPlansInUse(plan, 'unknown');
  }
}
