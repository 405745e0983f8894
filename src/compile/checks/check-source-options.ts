// Checks options that require a certain source. `withdrawn` requires files, because only a list of files shows that a
// product was removed. `supersede` deletes only versions that the pipeline itself uploaded.

import type { Json } from '../../plan/types.ts';
import { type NodeDraft, toFields } from '../node-draft.ts';
import type { LocatedDocument } from '../yaml/document.ts';
import { findRootField } from './check-graph.ts';

export function checkWithdrawn(
  drafts: readonly NodeDraft[],
  root: NodeDraft | undefined,
  document: LocatedDocument,
): void {
  if (!root?.type || root.type.root?.files) return;
  for (const { path, id, type, config } of drafts) {
    const policy = toFields(config ?? undefined)?.['withdrawn'];
    if (type?.delivers !== true || policy === undefined || policy === 'keep') continue;
    const message = `"${id}" would withdraw removed products, but "${root.id}" lists no files, so it does not show which products were removed`;
    const hint = 'Remove `withdrawn`, or start with a connector_poll node.';
    document.errorAtKey('RL420', [...path, 'config', 'withdrawn'], message, hint);
  }
}

export function checkSupersede(
  fields: Readonly<Record<string, Json>>,
  root: NodeDraft | undefined,
  document: LocatedDocument,
): void {
  if (fields['supersede'] !== 'delete-after-success') return;
  if (root?.type?.root?.from !== 'platform' || findRootField(root) === undefined) return;
  const message = `"${root.id}" selects existing objects of the platform; a pipeline deletes only versions that it uploaded itself`;
  const hint = 'Remove `supersede`, or start with a connector_poll or library_import node.';
  document.errorAtKey('RL414', ['supersede'], message, hint);
}
