// `withdrawn` needs a source of files: only a list of files shows that a product was removed. A selection on the
// platform lists only the objects that a run is for.
import { fieldsOf, type NodeDraft } from '../node-draft.ts';
import type { GraphScope } from './check-graph.ts';

export function checkWithdrawn(
  drafts: readonly NodeDraft[],
  root: NodeDraft | undefined,
  { document, findings }: Pick<GraphScope, 'document' | 'findings'>,
): void {
  if (!root?.type || root.type.root?.files) return;
  for (const { path, id, type, config } of drafts) {
    const policy = fieldsOf(config ?? undefined)?.['withdrawn'];
    if (type?.delivers !== true || policy === undefined || policy === 'keep') continue;
    const message = `"${id}" would withdraw removed products, but "${root.id}" lists no files, so it does not show which products were removed`;
    const hint = 'Remove `withdrawn`, or start with a connector_poll node.';
    findings.error('RL420', document.keyRange([...path, 'config', 'withdrawn']), message, hint);
  }
}
