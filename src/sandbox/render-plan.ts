// What a render job makes: cameras and camera moves, times models, times variants, by the settings (2.5).
import type { RenderSettings } from '../api/operations/renders.ts';
import type {
  ModelRecord,
  OutputRecord,
  ProjectRecord,
  ShotRecord,
  TemplateRecord,
} from './records.ts';
import { imageSize, videoSize } from './render-size.ts';

/** Frames a second: Fast (0) and Best (1). */
const frameRates = [6, 12] as const;

type OutputPlan = Omit<OutputRecord, 'id' | 'jobId'>;

/** An absent or empty choice means all. */
function chosen<T extends { readonly id: string }>(
  all: readonly T[],
  ids?: readonly string[],
): readonly T[] {
  return ids === undefined || ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
}

/** The variants drawn of one model; undefined stands for the model as it is. */
function variantsOf(model: ModelRecord, settings: RenderSettings): (string | undefined)[] {
  const variants = model.file?.variants ?? [];
  const asked = settings.variantsToRender ?? [];
  if (asked.length > 0) return chosen(variants, asked).map(({ name }) => name);
  if (settings.renderVariants === false || variants.length === 0) return [undefined];
  return variants.map(({ name }) => name);
}

/** The shots of each video: all of them in one, or one each. */
function videosOf(template: TemplateRecord, settings: RenderSettings): (readonly ShotRecord[])[] {
  if (settings.renderShots === false) return [];
  const shots = chosen(template.shots, settings.shotsToRender);
  if (settings.videoRenderMode === 'single-clips') return shots.map((shot) => [shot]);
  return shots.length > 0 ? [shots] : [];
}

/** The outputs of one job, not drawn yet: per model and variant its pictures, then its videos. */
export function planOutputs(
  project: ProjectRecord,
  models: readonly ModelRecord[],
  template: TemplateRecord,
  settings: RenderSettings,
): OutputPlan[] {
  const bookmarks =
    settings.renderBookmarks === false
      ? []
      : chosen(template.bookmarks, settings.bookmarksToRender);
  const videos = videosOf(template, settings);
  const framesPerSecond = frameRates[settings.videoQuality ?? 1];
  return models.flatMap((model) =>
    variantsOf(model, settings).flatMap((variantName): OutputPlan[] => {
      const start = [project.name, ...(models.length > 1 ? [model.name] : []), variantName];
      const planned = (camera: string) => ({
        name: [...start, camera].filter((part) => part !== undefined).join(' - '),
        modelId: model.id,
        ...(variantName === undefined ? {} : { variantName }),
      });
      return [
        ...bookmarks.map((bookmark) => ({
          ...planned(bookmark.name),
          bookmarkId: bookmark.id,
          ...imageSize(settings),
          format: settings.imageFormat ?? 'PNG',
        })),
        ...videos.map((shots) => ({
          ...planned(shots.map(({ name }) => name).join(' + ')),
          shotIds: shots.map(({ id }) => id),
          framesPerSecond,
          seconds: shots.reduce((sum, { seconds }) => sum + seconds, 0),
          ...videoSize(settings),
          format: 'MP4' as const,
        })),
      ];
    }),
  );
}
