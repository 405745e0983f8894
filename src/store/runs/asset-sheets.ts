// All that is known of the assets of a shard, put together from its pages. Pure.

import type { Refs } from '../../plan/refs.ts';
import type { Asset, DeliveredFile } from '../../plan/types.ts';
import type { RefBook } from '../records/ref-book.ts';
import type { AssetPatch, ShardPage } from './shard-pages.ts';

export interface AssetSheet extends Asset {
  at: number;
  files: DeliveredFile[];
  warnings: string[];
  /** By the node where it failed; the last one of each. */
  failures: Map<string, NonNullable<AssetPatch['failure']>>;
  /** Times that it was sent back, by the step that it was sent back to. */
  redone: Map<string, number>;
  renderGoesOn: boolean;
}

/**
 * The sheets of some assets, in the order of their positions.
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

/** Refs that a later run must not build on are left out. */
export function withoutForgotten(refs: Refs, forget: readonly (keyof Refs)[] = []): Refs {
  if (forget.length === 0) return refs;
  const gone = new Set<string>(forget);
  return Object.fromEntries(Object.entries(refs).filter(([name]) => !gone.has(name)));
}

/** What of a sheet is to be known by one patch alone: for an asset that is still open. */
export function foldedPatch({ at, refs, files, warnings, redone }: AssetSheet): AssetPatch {
  return {
    at,
    refs,
    ...(files.length > 0 ? { files } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(redone.size > 0 ? { redone: Object.fromEntries(redone) } : {}),
  };
}
