// The shared eyes of one worker: what all its waits look at together.
import type { Client } from '../../api/client.ts';
import {
  type ItemLook,
  isItemOver,
  libraryGapMs,
  libraryRequests,
  lookAtItems,
  type WatchedItem,
  watchedItemId,
} from '../../capabilities/library/library-board.ts';
import { isModelOver, ModelBoard, type ModelLook } from '../../capabilities/models/model-board.ts';
import {
  type ExportLook,
  exportGapMs,
  isExportOver,
  lookAtExports,
} from '../../capabilities/production/export-board.ts';
import { PropertyBooks } from '../../capabilities/properties/property-books.ts';
import {
  isRenderOver,
  RenderBoard,
  type RenderLook,
  type WatchedJob,
  watchId,
} from '../../capabilities/renders/render-board.ts';
import { TemplateNames } from '../../capabilities/templates/template-names.ts';
import {
  ColorwayBoard,
  type ColorwayLook,
  colorwayId,
  isColorwayOver,
  type WatchedColorway,
} from '../../capabilities/variants/colorway-board.ts';
import { MaterialNames } from '../../capabilities/variants/material-names.ts';
import { Hints, wakeEveryMs } from './hints.ts';
import { TickWatch } from './tick-watch.ts';
import { baseTickMs, hintGapMs, lookGapMs } from './ticks.ts';

export interface Lookout {
  /** By model id; null for models that are not in the workspace. */
  models: TickWatch<string, ModelLook | null>;
  /** By `watchId`. */
  renders: TickWatch<WatchedJob, RenderLook>;
  /** By `colorwayId`. */
  colorways: TickWatch<WatchedColorway, ColorwayLook>;
  /** By export id. */
  exports: TickWatch<string, ExportLook>;
  /** By `watchedItemId`. */
  library: TickWatch<WatchedItem, ItemLook>;
  templates: TemplateNames;
  materials: MaterialNames;
  properties: PropertyBooks;
  hints: Hints;
}

/** While hints can be relied on, looks without one only find what none told of: rarely, a request a second. */
const restAtLeastMs = 5_000;
const restAtMostMs = 60_000;

function restMs(requests: number): number {
  return Math.min(Math.max(restAtLeastMs, requests * baseTickMs), restAtMostMs);
}

export function createLookout(client: Client, now: () => number = Date.now): Lookout {
  const hints = new Hints(now);
  const models = new ModelBoard(client);
  const renders = new RenderBoard(client, { now, relied: () => hints.relied('render') });
  const { budget } = client;
  const hintsBy = <Item>(hintOf: (item: Item) => string, priceOf: (items: number) => number) => ({
    has: (item: Item) => hints.has(hintOf(item)),
    take: (item: Item) => hints.take(hintOf(item)),
    over: (item: Item) => hints.seen(hintOf(item)),
    again: () => hints.wakeSoon(),
    gapMs: (hinted: number) => hintGapMs(budget, wakeEveryMs, priceOf(hinted)),
  });
  return {
    models: new TickWatch({
      idOf: (modelId) => modelId,
      look: (ids, requests, hinted) =>
        models.look(ids, requests, hinted.size === ids.length ? 0 : undefined),
      isOver: isModelOver,
      gapMs: (open) => lookGapMs(budget, ModelBoard.requestsFor(open)),
      hints: {
        ...hintsBy(
          (modelId: string) => `model/${modelId}`,
          (count) => ModelBoard.requestsFor(count),
        ),
        restMs: (open) => (hints.relied('model') ? restMs(ModelBoard.requestsFor(open)) : 0),
        wholeBoard: false,
      },
      now,
    }),
    renders: new TickWatch({
      idOf: (job) => watchId(job),
      look: (jobs, requests, hinted) => renders.look(jobs, requests, hinted),
      isOver: isRenderOver,
      gapMs: (open) => lookGapMs(budget, RenderBoard.requestsFor(open)),
      hints: {
        ...hintsBy(
          ({ jobId }: WatchedJob) => `render/${jobId}`,
          (count) => RenderBoard.requestsFor(count),
        ),
        // The top of the list tells of every job, so no job is worth a look of its own.
        wholeBoard: true,
        restMs: () => (hints.relied('render') && !renders.hasDueNews ? restMs(1) : 0),
      },
      now,
    }),
    colorways: watchColorways(client, now),
    exports: new TickWatch({
      idOf: (exportId) => exportId,
      look: (exportIds, requests) => lookAtExports(client, exportIds, requests),
      isOver: isExportOver,
      gapMs: (open) => Math.max(exportGapMs(open), lookGapMs(client.budget, open)),
      now,
    }),
    library: new TickWatch({
      idOf: watchedItemId,
      look: (items, requests) => lookAtItems(client, items, requests),
      isOver: isItemOver,
      gapMs: (open) => libraryGapMs(lookGapMs(client.budget, libraryRequests(open))),
      now,
    }),
    templates: new TemplateNames(client),
    materials: new MaterialNames(client),
    properties: new PropertyBooks(client),
    hints,
  };
}

/**
 * The same eyes for a client that reaches some operations by paths of its own: colorways are the only ones that
 * are looked at by such a path.
 */
export function lookoutWith(client: Client, shared: Lookout): Lookout {
  return { ...shared, colorways: watchColorways(client, Date.now) };
}

function watchColorways(client: Client, now: () => number): Lookout['colorways'] {
  const board = new ColorwayBoard(client);
  return new TickWatch({
    idOf: colorwayId,
    look: (items, requests) => board.look(items, requests),
    isOver: isColorwayOver,
    gapMs: (open) => lookGapMs(client.budget, ColorwayBoard.requestsFor(open)),
    now,
  });
}
