import { openConnector } from '../../connectors/index.ts';
import { openRunStore } from '../../features/run-store.ts';
import type { Plan } from '../../plan/types.ts';
import type { RunStore } from '../../store/runs/run-store.ts';

/** Opens the store for a placeholder run. Callers must therefore write no results of assets. */
export function openPlanStore(plan: Pick<Plan, 'records' | 'pipeline' | 'recipe'>): RunStore {
  const { records, pipeline, recipe } = plan;
  const runContext = { run: 'preview', lineage: 'preview', pipeline, recipe };
  return openRunStore(openConnector(records), runContext);
}
