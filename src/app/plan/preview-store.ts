// Opens the records of a pipeline for read-only commands.

import { openConnector } from '../../connectors/index.ts';
import { openRunStore } from '../../features/run-store.ts';
import type { Plan } from '../../plan/types.ts';
import type { RunStore } from '../../store/runs/run-store.ts';

/** The store belongs to a placeholder run; callers must only read. */
export function previewStore({
  records,
  pipeline,
  recipe,
}: Pick<Plan, 'records' | 'pipeline' | 'recipe'>): RunStore {
  const runContext = { run: 'preview', lineage: 'preview', pipeline, recipe };
  return openRunStore(openConnector(records), runContext);
}
