// The shared eyes of one worker: what all its waits look at together.
import type { Client } from '../api/client.ts';
import {
  ColorwayBoard,
  type ColorwayLook,
  colorwayId,
  isColorwayOver,
  type WatchedColorway,
} from './colorway-board.ts';
import { MaterialNames } from './material-names.ts';
import { isModelOver, ModelBoard, type ModelLook } from './model-board.ts';
import {
  isRenderOver,
  RenderBoard,
  type RenderLook,
  type WatchedJob,
  watchId,
} from './render-board.ts';
import { TemplateNames } from './template-names.ts';
import { TickWatch } from './tick-watch.ts';
import { lookGapMs } from './ticks.ts';

export interface Lookout {
  /** By model id; null for models that are not in the workspace. */
  models: TickWatch<string, ModelLook | null>;
  /** By `watchId`. */
  renders: TickWatch<WatchedJob, RenderLook>;
  /** By `colorwayId`. */
  colorways: TickWatch<WatchedColorway, ColorwayLook>;
  templates: TemplateNames;
  materials: MaterialNames;
}

export function createLookout(client: Client, now: () => number = Date.now): Lookout {
  const models = new ModelBoard(client);
  const renders = new RenderBoard(client, now);
  const colorways = new ColorwayBoard(client);
  return {
    models: new TickWatch({
      idOf: (modelId) => modelId,
      look: (ids, requests) => models.look(ids, requests),
      isOver: isModelOver,
      gapMs: (open) => lookGapMs(client.budget, ModelBoard.requestsFor(open)),
      now,
    }),
    renders: new TickWatch({
      idOf: (job) => watchId(job),
      look: (jobs, requests) => renders.look(jobs, requests),
      isOver: isRenderOver,
      gapMs: (open) => lookGapMs(client.budget, RenderBoard.requestsFor(open)),
      now,
    }),
    colorways: new TickWatch({
      idOf: colorwayId,
      look: (items, requests) => colorways.look(items, requests),
      isOver: isColorwayOver,
      gapMs: (open) => lookGapMs(client.budget, ColorwayBoard.requestsFor(open)),
      now,
    }),
    templates: new TemplateNames(client),
    materials: new MaterialNames(client),
  };
}
