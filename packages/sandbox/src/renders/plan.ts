// Plans a render job's outputs from its settings: cameras and camera moves × models × variants.
import type { RenderSettings } from 'renderline/api/operations/renders';
import type {
  ModelRecord,
  OutputRecord,
  ProjectRecord,
  ShotRecord,
  TemplateRecord,
} from '../state/records.ts';
import { isSameGuid } from '../variants/guid.ts';
import type { Variant } from '../variants/variants.ts';
import { imageSizeOf, videoSizeOf } from './size.ts';

/** Frames per second: Fast (0) and Best (1). */
const frameRates = [6, 12] as const;

type OutputPlan = Omit<OutputRecord, 'id' | 'jobId'>;

/** An absent or empty selection means all. */
function selectByIds<T extends { readonly id: string }>(
  items: readonly T[],
  ids?: readonly string[],
): readonly T[] {
  return ids === undefined || ids.length === 0 ? items : items.filter(({ id }) => ids.includes(id));
}

/** A model with its variants that the project has now. */
export interface Subject {
  readonly model: ModelRecord;
  readonly variants: readonly Variant[];
}

/** Returns the variants of one model to draw. Undefined stands for the unchanged model. */
function drawnVariantsOf(
  { variants }: Subject,
  settings: RenderSettings,
): readonly (Variant | undefined)[] {
  const variantIds = settings.variantsToRender ?? [];
  if (variantIds.length > 0) {
    return variants.filter(({ id }) => variantIds.some((other) => isSameGuid(id, other)));
  }
  return settings.renderVariants === false || variants.length === 0 ? [undefined] : variants;
}

/** Returns the variant's name, or undefined if the project has one variant of the model and the file has none. */
function formatVariantLabel({ variants, model }: Subject, variant: Variant | undefined) {
  const choice = variants.length > 1 || (model.file?.variants.length ?? 0) > 0;
  return choice ? variant?.name : undefined;
}

/** Returns the shots of each video: all shots in one video, or one video each. */
function videosOf(template: TemplateRecord, settings: RenderSettings): (readonly ShotRecord[])[] {
  if (settings.renderShots === false) return [];
  const shots = selectByIds(template.shots, settings.shotsToRender);
  if (settings.videoRenderMode === 'single-clips') return shots.map((shot) => [shot]);
  return shots.length > 0 ? [shots] : [];
}

/** Plans the outputs of a job before drawing: the pictures, then the videos of each model and variant. */
export function planOutputs(
  project: ProjectRecord,
  subjects: readonly Subject[],
  template: TemplateRecord,
  settings: RenderSettings,
): OutputPlan[] {
  const bookmarks =
    settings.renderBookmarks === false
      ? []
      : selectByIds(template.bookmarks, settings.bookmarksToRender);
  const videos = videosOf(template, settings);
  const framesPerSecond = frameRates[settings.videoQuality ?? 1];
  return subjects.flatMap((subject) =>
    drawnVariantsOf(subject, settings).flatMap((variant): OutputPlan[] => {
      const { model } = subject;
      const modelNames = subjects.length > 1 ? [model.name] : [];
      const start = [project.name, ...modelNames, formatVariantLabel(subject, variant)];
      const planOutput = (camera: string) => ({
        name: [...start, camera].filter((part) => part !== undefined).join(' - '),
        modelId: model.id,
        ...(variant === undefined ? {} : { variantId: variant.id }),
      });
      return [
        ...bookmarks.map((bookmark) => ({
          ...planOutput(bookmark.name),
          bookmarkId: bookmark.id,
          ...imageSizeOf(settings),
          format: settings.imageFormat ?? 'PNG',
        })),
        ...videos.map((shots) => ({
          ...planOutput(shots.map(({ name }) => name).join(' + ')),
          shotIds: shots.map(({ id }) => id),
          framesPerSecond,
          seconds: shots.reduce((sum, { seconds }) => sum + seconds, 0),
          ...videoSizeOf(settings),
          format: 'MP4' as const,
        })),
      ];
    }),
  );
}
