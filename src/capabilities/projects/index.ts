import { defineFeature } from '../../machinery/capability.ts';
import { cleanProjects } from './clean.ts';
import { projectFailures } from './failures.ts';
import { ownProjects } from './own.ts';
import { projectCreated } from './project-created.ts';
import { projectIdSlice } from './refs.ts';

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
  cleaner: cleanProjects,
  idRules: projectIdSlice,
  failures: [projectFailures],
  ownership: ownProjects,
});
