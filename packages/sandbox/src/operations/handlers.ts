// If an operation has no handler, this file does not compile.
import type { Handlers } from '../context/handler.ts';
import { assets } from './assets.ts';
import { colorways } from './colorways.ts';
import { decals } from './decals.ts';
import { decoration } from './decoration.ts';
import { identity } from './identity.ts';
import { jobs } from './jobs.ts';
import { materials } from './materials.ts';
import { models } from './models.ts';
import { pipelines } from './pipelines.ts';
import { production } from './production.ts';
import { projects } from './projects.ts';
import { properties } from './properties.ts';
import { props } from './props.ts';
import { renders } from './renders.ts';
import { templates } from './templates.ts';
import { variants } from './variants.ts';
import { webhooks } from './webhooks.ts';

export const handlers: Handlers = {
  ...identity,
  ...models,
  ...variants,
  ...colorways,
  ...projects,
  ...renders,
  ...templates,
  ...jobs,
  ...properties,
  ...assets,
  ...props,
  ...decals,
  ...materials,
  ...webhooks,
  ...pipelines,
  ...production,
  ...decoration,
};
