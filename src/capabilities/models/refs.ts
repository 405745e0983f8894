// Refs that name the model of an asset.
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { RefSlice } from '../../store/records/ref-book.ts';

declare module '../../plan/refs.ts' {
  interface Refs {
    modelId?: string;
    /** Hash (hex) of the file that was sent, until a record has it. */
    sourceSha256?: string;
    /** Category that the pipeline gave the model. */
    category?: string;
    /** Extension of the file that it was made of, where the platform had it before; else the source tells it. */
    fileType?: string;
    /** Counts of variants and animations in its file, which decide how often the model is drawn. Absent where nobody looked. */
    drawn?: string;
  }
}

export const modelRefs = {
  ofModel: ['drawn', 'sourceSha256'],
  /** A model of another category is another model. */
  ofFile({ modelId, category, sourceSha256 }, wanted) {
    const isOther = wanted !== undefined && (category ?? null) !== wanted;
    return modelId === undefined || isOther
      ? {}
      : withoutUndefined({ modelId, category, sourceSha256 });
  },
} satisfies RefSlice;
