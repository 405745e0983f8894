import { ownsById } from '../../engine/discovery/ownership-check.ts';
import { defineFeature } from '../../engine/feature.ts';
import { projectCleaner } from './clean-projects.ts';
import { projectFailures } from './failures.ts';
import { projectIdSlice } from './platform-ids.ts';
import { projectCreated } from './project-created.ts';

/** Creates projects: a model in a scene. */
export const projects = defineFeature({
  name: 'projects',
  nodes: [projectCreated],
  existenceChecks: [
    [
      'projectId',
      (client, { projectId = '' }, options) =>
        client.getProject({ params: { projectId } }, options),
      ['projectId', 'added'],
    ],
  ],
  cleaner: projectCleaner,
  idRules: projectIdSlice,
  failures: [projectFailures],
  ownership: ownsById('project', 'projectId'),
});
