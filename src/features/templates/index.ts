import { defineFeature } from '../../engine/feature.ts';
import { templateFailures } from './failures.ts';
import { templateMatch } from './template-match.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    templateId?: string;
  }
}

/** Chooses templates, which are the scenes that projects are created from. */
export const templates = defineFeature({
  name: 'templates',
  nodes: [templateMatch],
  failures: [templateFailures],
});
