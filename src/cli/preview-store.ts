// The records of a pipeline for commands that only look.
import { openRunStore } from '../capabilities/run-store.ts';
import { openConnector } from '../connectors/index.ts';
import type { Plan } from '../plan/types.ts';
import type { RunStore } from '../store/runs/run-store.ts';

/** Of a run that never begins: nothing is written by it. */
export function previewStore({
  records,
  pipeline,
  recipe,
}: Pick<Plan, 'records' | 'pipeline' | 'recipe'>): RunStore {
  const nobody = { run: 'preview', lineage: 'preview', pipeline, recipe };
  return openRunStore(openConnector(records), nobody);
}
