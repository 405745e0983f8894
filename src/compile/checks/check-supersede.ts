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
  const message = `"${root.id}" selects existing objects of the platform; a pipeline deletes only versions that it uploaded itself`;
  const hint = 'Remove `supersede`, or start with a connector_poll or library_import node.';
  findings.error('RL414', document.keyRange(['supersede']), message, hint);
}
