// All handlers by operation. A row without handler is a compile error here.

import { colorways } from '../colorways/handlers.ts';
import { jobs } from '../jobs/handlers.ts';
import { decals } from '../library/decal-handlers.ts';
import { materials } from '../library/material-handlers.ts';
import { props } from '../library/prop-handlers.ts';
import { models } from '../models/handlers.ts';
import { pipelines } from '../pipelines/handlers.ts';
import { decoration } from '../production/decoration.ts';
import { production } from '../production/handlers.ts';
import { projects } from '../projects/handlers.ts';
import { assets } from '../properties/asset-handlers.ts';
import { properties } from '../properties/handlers.ts';
import { renders } from '../renders/handlers.ts';
import { templates } from '../templates/handlers.ts';
import { variants } from '../variants/handlers.ts';
import { webhooks } from '../webhooks/handlers.ts';
import { identity } from '../workspace/handlers.ts';
import type { Handlers } from './handler.ts';

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
