// The production file of an asset.
import type { RefSlice } from '../../store/records/ref-book.ts';

/** Being made, made or failed. Its signed link never stands here. */
export interface SheetRef {
  exportId?: string;
  /** Views that the platform captures for it. */
  captures?: number;
  fileId?: string;
  /** Number and version, `PF-00012-v3`. */
  name?: string;
  /** Why the platform made none. */
  failure?: string;
}

declare module '../../plan/refs.ts' {
  interface Refs {
    sheet?: SheetRef;
  }
}

export const productionRefs: RefSlice = {
  made: ['sheet'],
  ofSheet: ['sheet'],
  ends: { stage: 'sheet', isDone: ({ sheet }) => sheet?.fileId !== undefined },
};
