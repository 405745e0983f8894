// Files of its model that exports have delivered for an asset.
import type { DeliveredFile } from '../../plan/types.ts';
import type { RefSlice } from '../../store/records/ref-book.ts';

declare module '../../plan/refs.ts' {
  interface Refs {
    /** Latest last. All colorways and views of a model share them, so they stand here besides an asset's own files. */
    modelFiles?: readonly DeliveredFile[];
  }
}

/** A pipeline that was renamed or moved more often forgets the oldest. */
const keptAtMost = 24;

/** Id under which a file of a model is on record: another model has other files. */
export function modelOutputId(modelId: string, format: string): string {
  return `${modelId}.${format}`;
}

export const deliveryRefs = {
  ofFile({ modelId, category, modelFiles }, wanted) {
    const isOther = wanted !== undefined && (category ?? null) !== wanted;
    return modelId === undefined || modelFiles === undefined || isOther ? {} : { modelFiles };
  },
  // No file of a model comes before it is ready.
  ends: { stage: 'source', isDone: ({ modelFiles }) => modelFiles !== undefined },
  /** Exports side by side tell each of their own files. Files of a model that was replaced go. */
  joined(before, more) {
    if (more.modelFiles === undefined) return {};
    const modelId = more.modelId ?? before.modelId ?? '';
    const all = [...(before.modelFiles ?? []), ...more.modelFiles];
    const files = new Map<string, DeliveredFile>();
    for (const file of all) {
      if (!file.output?.startsWith(modelOutputId(modelId, ''))) continue;
      const name = JSON.stringify([file.delivery, file.output]);
      files.delete(name);
      files.set(name, file);
    }
    return { modelFiles: [...files.values()].slice(-keptAtMost) };
  },
} satisfies RefSlice;
