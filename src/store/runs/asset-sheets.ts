// Builds the state of each asset of a shard from the shard's pages. Pure.

import type { Refs } from '../../plan/refs.ts';
import type { Asset, DeliveredFile } from '../../plan/types.ts';
import type { RefBook } from '../records/ref-book.ts';
import type { AssetPatch, ShardPage } from './shard-pages.ts';

export interface AssetSheet extends Asset {
  at: number;
  files: DeliveredFile[];
  warnings: string[];
  /** The last failure of each node. */
  failures: Map<string, NonNullable<AssetPatch['failure']>>;
  /** Number of retries, by the step that was retried. */
  redone: Map<string, number>;
  renderGoesOn: boolean;
}

/**
 * The states of some assets, in the order of their indexes.
 * @param page the shard's page of the manifest
 * @param pages in the order in which they were written
 */
export function assetSheets(
  page: readonly Pick<Asset, 'key' | 'source'>[],
  pages: readonly ShardPage[],
  positions: readonly number[],
  book: RefBook,
): AssetSheet[] {
  const sheets = new Map<number, AssetSheet>();
  for (const at of positions) {
    const asset = page[at];
    if (!asset) throw new RangeError(`the shard has no asset ${at}`);
    const { key, source } = asset;
    sheets.set(at, {
      at,
      key,
      source,
      refs: {},
      files: [],
      warnings: [],
      failures: new Map(),
      redone: new Map(),
      renderGoesOn: false,
    });
  }
  for (const { node, patches } of pages) {
    for (const patch of patches) {
      const sheet = sheets.get(patch.at);
      if (sheet) applyPatch(sheet, node, patch, book);
    }
  }
  return [...sheets.values()];
}

function applyPatch(sheet: AssetSheet, node: string, patch: AssetPatch, book: RefBook): void {
  const refs = patch.refs ? book.join(sheet.refs, patch.refs) : sheet.refs;
  sheet.refs = withoutForgotten(refs, patch.forget);
  sheet.files.push(...(patch.files ?? []));
  sheet.warnings.push(...(patch.warnings ?? []));
  if (patch.failure) sheet.failures.set(node, patch.failure);
  if (patch.redo !== undefined) {
    sheet.redone.set(patch.redo, (sheet.redone.get(patch.redo) ?? 0) + 1);
  }
  for (const [step, times] of Object.entries(patch.redone ?? {})) {
    sheet.redone.set(step, (sheet.redone.get(step) ?? 0) + times);
  }
  if (patch.renderGoesOn) sheet.renderGoesOn = true;
}

/** Leaves out ids that a later run must not build on. */
export function withoutForgotten(refs: Refs, forget: readonly (keyof Refs)[] = []): Refs {
  if (forget.length === 0) return refs;
  const gone = new Set<string>(forget);
  return Object.fromEntries(Object.entries(refs).filter(([name]) => !gone.has(name)));
}

/** The state of an open asset as a single update. */
export function foldedPatch({ at, refs, files, warnings, redone }: AssetSheet): AssetPatch {
  return {
    at,
    refs,
    ...(files.length > 0 ? { files } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(redone.size > 0 ? { redone: Object.fromEntries(redone) } : {}),
  };
}
