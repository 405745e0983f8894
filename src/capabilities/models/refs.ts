// What a model is known by in an asset.
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { RefSlice } from '../../store/records/ref-book.ts';

declare module '../../plan/refs.ts' {
  interface Refs {
    modelId?: string;
    /** Category that the pipeline gave the model. */
    category?: string;
    /** What in its file decides how often the model is drawn: counts of variants and animations. Absent where nobody looked. */
    drawn?: string;
  }
}

export const modelRefs = {
  ofModel: ['drawn'],
  /** A model of another category is another model. */
  ofFile({ modelId, category }, wanted) {
    const isOther = wanted !== undefined && (category ?? null) !== wanted;
    return modelId === undefined || isOther ? {} : withoutUndefined({ modelId, category });
  },
} satisfies RefSlice;
