import type { DeliveredFile } from '../../plan/types.ts';
import type { FeatureIdRules } from '../../store/records/id-rules.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    /** Model files, latest last. Kept apart from the asset's own files, because all cells of a model share them. */
    modelFiles?: readonly DeliveredFile[];
  }
}

/** Maximum number of model files in a record. The oldest are dropped. Renaming or moving a pipeline adds files. */
const maxKept = 24;

/** Creates the output id of a model file. It contains the model id, so files of a replaced model are not reused. */
export function createModelOutputId(modelId: string, format: string): string {
  return `${modelId}.${format}`;
}

export const deliveryIdRules = {
  uploadIds({ modelId, category, modelFiles }, uploadCategory) {
    const hasOtherCategory = uploadCategory !== undefined && (category ?? null) !== uploadCategory;
    return modelId === undefined || modelFiles === undefined || hasOtherCategory
      ? {}
      : { modelFiles };
  },
  // A model has files only once it is ready, so model files prove that the source stage is complete.
  completion: { stage: 'source', isDone: ({ modelFiles }) => modelFiles !== undefined },
  /** Merges the files of parallel exports. Drops files of a replaced model. */
  merge(platformIds, newIds) {
    if (newIds.modelFiles === undefined) return {};
    const modelId = newIds.modelId ?? platformIds.modelId ?? '';
    const modelFiles = [...(platformIds.modelFiles ?? []), ...newIds.modelFiles];
    const files = new Map<string, DeliveredFile>();
    for (const file of modelFiles) {
      if (!file.output.startsWith(createModelOutputId(modelId, ''))) continue;
      const name = JSON.stringify([file.delivery, file.output]);
      files.delete(name);
      files.set(name, file);
    }
    return { modelFiles: [...files.values()].slice(-maxKept) };
  },
} satisfies FeatureIdRules;
