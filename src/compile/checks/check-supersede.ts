// A pipeline may delete the old version of a changed file only if the pipeline itself uploaded that version.
import type { Json } from '../../plan/types.ts';
import type { NodeDraft } from '../node-draft.ts';
import { beginsBy, type GraphScope } from './check-graph.ts';

export function checkSupersede(
  fields: Readonly<Record<string, Json>>,
  root: NodeDraft | undefined,
  { document, findings }: Pick<GraphScope, 'document' | 'findings'>,
): void {
  if (fields['supersede'] !== 'delete-after-success') return;
  if (root?.type?.root?.from !== 'platform' || beginsBy(root) === undefined) return;
  const message = `"${root.id}" takes what is on the platform already, which a pipeline never deletes`;
  const hint = 'Remove `supersede`, or begin with connector_poll or library_import.';
  findings.error('RL414', document.keyRange(['supersede']), message, hint);
}
