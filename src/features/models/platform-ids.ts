import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { FeatureIdRules } from '../../store/records/id-rules.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    modelId?: string;
    /** SHA-256 (hex) of the uploaded file, until the record stores it. */
    sourceSha256?: string;
    /** Category that the pipeline assigned to the model. */
    category?: string;
    /** File extension, if the model was already on the platform. Otherwise, see the source path. */
    fileType?: string;
    /** Numbers of variants and animations in the file, as `3/1`. Absent if unknown. Renders have outputs for them. */
    drawn?: string;
  }
}

export const modelIdRules = {
  ofModel: ['drawn', 'sourceSha256'],
  /** The category is set at upload, so another category needs another model. */
  uploadIds({ modelId, category, sourceSha256 }, uploadCategory) {
    const hasOtherCategory = uploadCategory !== undefined && (category ?? null) !== uploadCategory;
    return modelId === undefined || hasOtherCategory
      ? {}
      : omitUndefined({ modelId, category, sourceSha256 });
  },
} satisfies FeatureIdRules;
