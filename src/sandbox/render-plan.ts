// Which pictures a render job makes: cameras times models times variants, by the settings (2.5).
import type { RenderSettings } from '../api/operations/renders.ts';
import { fail } from './failure.ts';
import type { ModelRecord, OutputRecord, ProjectRecord, TemplateRecord } from './records.ts';

const imageSizes = [
  [1280, 720],
  [1920, 1080],
  [3840, 2160],
] as const;

/** Wider or higher pictures are refused: they would not fit the memory of a laptop. */
const longestSide = 8192;

/** Width and height in pixels that the settings ask for. Throws VALIDATION_ERROR beyond 8192. */
export function imageSize(settings: RenderSettings): { width: number; height: number } {
  const [width, height] = imageSizes[settings.imageQuality ?? 1];
  if (settings.imageCustomResolution !== true) return { width, height };
  const custom = {
    width: settings.imageCustomWidth ?? width,
    height: settings.imageCustomHeight ?? height,
  };
  if (custom.width > longestSide || custom.height > longestSide) {
    fail(
      'VALIDATION_ERROR',
      `settings.imageCustomWidth and imageCustomHeight may be at most ${longestSide} pixels.`,
    );
  }
  return custom;
}

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

/** The outputs of one job, not drawn yet. Shots make none: no template has any unless one is set. */
export function planOutputs(
  project: ProjectRecord,
  models: readonly ModelRecord[],
  template: TemplateRecord,
  settings: RenderSettings,
): Omit<OutputRecord, 'id' | 'jobId'>[] {
  const size = imageSize(settings);
  const bookmarks =
    settings.renderBookmarks === false
      ? []
      : chosen(template.bookmarks, settings.bookmarksToRender);
  return models.flatMap((model) =>
    variantsOf(model, settings).flatMap((variantName) =>
      bookmarks.map((bookmark) => ({
        name: [project.name, ...(models.length > 1 ? [model.name] : []), variantName, bookmark.name]
          .filter((part) => part !== undefined)
          .join(' - '),
        modelId: model.id,
        ...(variantName === undefined ? {} : { variantName }),
        bookmarkId: bookmark.id,
        ...size,
        format: settings.imageFormat ?? 'PNG',
      })),
    ),
  );
}
