// Creates the steps that an export of models adds, and counts what an export delivers before anything is rendered.
import { z } from 'zod';
import type { FoundAsset } from '../../engine/cost/found-work.ts';
import type { ExpectedFiles, StepWork } from '../../engine/cost/step-cost.ts';
import { type CompileScope, createDraft, type StepDraft } from '../../engine/node-type.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { modelKeyOf } from '../../store/records/cell-keys.ts';
import { modelReady } from '../models/model-ready.ts';
import { isReadyOnly } from '../models/selection/select-models.ts';
import type { SelectModelsOrRenders } from '../renders/render-selection.ts';
import { formatsOf, ModelFormat } from './models/model-output.ts';
import { createModelOutputId } from './platform-ids.ts';

/** Adds a wait for the model if nothing before the export waits for it, because only a ready model has files. */
export function createModelSteps(
  select: z.output<typeof SelectModelsOrRenders> | undefined,
  scope: CompileScope,
): StepDraft[] {
  const isReadyRoot = scope.isRoot && isReadyOnly(select?.models);
  return isReadyRoot || scope.hasAncestor('model_ready') ? [] : [createDraft('ready', modelReady)];
}

/** The fields of an export that decide which model files it delivers. */
const ModelFileFields = z.object({
  what: z.array(z.string()).default([]),
  formats: z.array(ModelFormat).optional(),
});

type FoundConfig = Pick<StepWork, 'config' | 'found'>;

/** Counts the distinct model files, and how many of them must be downloaded from the platform. */
export function countModelFiles({ config, found }: FoundConfig) {
  const formats = formatsOf(ModelFileFields.parse(config));
  if (formats.length === 0) return { files: 0, downloads: 0 };
  const models = [...groupBy(found, modelKeyOf).values()];
  const downloads = models.map((cells) => {
    const deliveredFormats = new Set(cells.flatMap(knownFormatsOf));
    return formats.filter((format) => !deliveredFormats.has(format)).length;
  });
  const files = models.length * formats.length;
  return { files, downloads: downloads.reduce((sum, count) => sum + count, 0) };
}

/** Returns the formats that earlier runs delivered. Only the run finds out which of these files were deleted since. */
function knownFormatsOf(asset: FoundAsset): readonly string[] {
  const { reason, reusableStages = [], models = [], platformIds = {} } = asset;
  if (reason === 'redeliver') return [];
  const { modelId = '', modelFiles = [] } = platformIds;
  const outputId = createModelOutputId(modelId, '');
  const outputs = modelFiles.map(({ output }) => output).filter((id) => id.startsWith(outputId));
  const modelFormats = outputs.map((id) => id.slice(outputId.length));
  return [...modelFormats, ...(reusableStages.includes('source') ? models : [])];
}

/** Estimates the number of files. A render with unknown outputs counts as one picture, and `min` is then true. */
export function estimateFileCount({ config, found }: FoundConfig): ExpectedFiles {
  const { what, images, original } = config;
  const has = (kind: string) => (Array.isArray(what) ? what.includes(kind) : kind === 'renders');
  const imageCount = Array.isArray(images) ? images.length : 0;
  const ofPicture = (original === false && imageCount > 0 ? 0 : 1) + imageCount;
  const sheets = has('production_files') ? found.length : 0;
  if (!has('renders')) return { total: sheets, min: false };
  const files = found.map(({ outputs }) =>
    outputs === undefined ? ofPicture : outputs.pictures * ofPicture + outputs.videos,
  );
  return {
    total: sheets + files.reduce((sum, count) => sum + count, 0),
    min: found.some(({ outputs }) => outputs === undefined),
  };
}
