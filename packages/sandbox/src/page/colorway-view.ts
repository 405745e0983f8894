// The colorway view: a row per model, a column per colorway or rendered variant of a file, with the pictures.

import type { Sandbox } from '../context/sandbox.ts';
import type { ColorwayJobRecord } from '../state/colorway-records.ts';
import type { ModelRecord, OutputRecord } from '../state/records.ts';
import { colorwayJobStatusOf } from '../status/colorways.ts';
import { outputKeyOf, renderJobStatus, thumbnailKeyOf } from '../status/renders.ts';
import { type Variant, variantsOf } from '../variants/variants.ts';
import { type DrawnVariant, mapRendersByVariant, variantKeyOf } from './drawn-variants.ts';
import { createGrid, type GridEntry, type GridPicture, type GridVariant } from './grid.ts';
import { selectPage, type View } from './view.ts';

const modelsPerPage = 24;
const maxPicturesPerCell = 6;
const maxReasonLength = 200;

type DrawnVariants = ReadonlyMap<string, DrawnVariant>;

function modelsOf({ store }: Sandbox): readonly ModelRecord[] {
  return store.models.all.filter(({ colorwayJobIds = [] }) => colorwayJobIds.length > 0);
}

/** Hidden until the first colorway job exists. */
export const colorwayView: View = {
  id: 'colorways',
  title: 'Colorways',
  isShown: ({ store }) => store.colorwayJobs.size > 0,
  count: (sandbox) => modelsOf(sandbox).length,
  show: (sandbox, choice, nowMs) => {
    const { rows, ...pageInfo } = selectPage(modelsOf(sandbox), choice, {
      size: modelsPerPage,
      name: ({ name }) => name,
    });
    const drawnVariants = mapRendersByVariant(sandbox, new Set(rows.map(({ id }) => id)), nowMs);
    const names = findDrawnNames(sandbox, rows, drawnVariants);
    const grid = createGrid(
      rows.map((model) => ({
        id: model.id,
        title: model.name,
        entries: [
          ...listFileEntries(sandbox, model, { drawn: drawnVariants, names }, nowMs),
          ...listColorwayEntries(sandbox, model, drawnVariants, nowMs),
        ],
      })),
    );
    return { ...pageInfo, cards: [], grid, note: '' };
  },
};

function fileVariants(sandbox: Sandbox, model: ModelRecord): readonly Variant[] {
  return variantsOf(sandbox, model).filter(({ kind }) => kind === 'file');
}

/** Finds the names of the files' own variants that were rendered for at least one model. */
function findDrawnNames(
  sandbox: Sandbox,
  models: readonly ModelRecord[],
  drawnVariants: DrawnVariants,
) {
  const variants = models.flatMap((model) =>
    fileVariants(sandbox, model).filter(({ id }) => drawnVariants.has(variantKeyOf(model.id, id))),
  );
  return new Set(variants.map(({ name }) => name));
}

function listFileEntries(
  sandbox: Sandbox,
  model: ModelRecord,
  { drawn, names }: { drawn: DrawnVariants; names: ReadonlySet<string> },
  nowMs: number,
): GridEntry[] {
  const variants = fileVariants(sandbox, model).filter(({ name }) => names.has(name));
  return variants.map(({ id, name }) => {
    const part = toRenderedPart(drawn.get(variantKeyOf(model.id, id)), nowMs);
    return { column: `file ${name}`, title: name, part };
  });
}

function listColorwayEntries(
  { store }: Sandbox,
  model: ModelRecord,
  drawnVariants: DrawnVariants,
  nowMs: number,
): GridEntry[] {
  const jobs = (model.colorwayJobIds ?? []).flatMap((id) => store.colorwayJobs.get(id) ?? []);
  const lastOf = new Map(jobs.map((job) => [columnOf(job), job]));
  return jobs.flatMap((job) => {
    const column = columnOf(job);
    const isDone = colorwayJobStatusOf(job, nowMs) === 'complete';
    // A job without result is left out if a later job of the model has the same materials.
    if (!isDone && lastOf.get(column) !== job) return [];
    const renders = drawnVariants.get(variantKeyOf(model.id, job.variantId));
    const part = isDone ? toRenderedPart(renders, nowMs) : toUnmadePart(job, nowMs);
    return [{ column, title: job.variantName, part }];
  });
}

/** The column's key is the set of materials, since models have different slots. */
function columnOf({ swaps }: ColorwayJobRecord): string {
  return [...new Set(Object.values(swaps))].sort().join(' ');
}

function toUnmadePart(job: ColorwayJobRecord, nowMs: number): GridVariant {
  const status = colorwayJobStatusOf(job, nowMs);
  const none = { pictures: [], more: 0 };
  return status === 'failed' ? { ...none, problem: cut(job.failure ?? '') } : { ...none, status };
}

function toRenderedPart(renders: DrawnVariant | undefined, nowMs: number): GridVariant {
  if (!renders) return { pictures: [], more: 0, status: 'not rendered' };
  const outputs = [...renders.outputs.values()];
  const pictures = outputs.slice(0, maxPicturesPerCell).map(pictureOf);
  const status = renderJobStatus(renders.last, nowMs);
  return {
    pictures,
    more: outputs.length - pictures.length,
    status: status === 'COMPLETED' ? undefined : `render ${status.toLowerCase()}`,
    problem: status === 'FAILED' ? cut(renders.last.failure ?? '') : undefined,
  };
}

function pictureOf(output: OutputRecord): GridPicture {
  const { name, width, height } = output;
  return {
    image: `/cdn/${thumbnailKeyOf(output)}`,
    link: `/cdn/${outputKeyOf(output)}`,
    width,
    height,
    name,
    // Output names end with the camera's name.
    caption: name.slice(name.lastIndexOf(' - ') + ' - '.length),
  };
}

function cut(text: string): string {
  return text.length <= maxReasonLength ? text : `${text.slice(0, maxReasonLength - 1)}…`;
}
