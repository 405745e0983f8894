import { defineCapability } from '../../machinery/capability.ts';
import { cleanProjects } from './clean.ts';
import { projectFailures } from './failures.ts';
import { ownProjects } from './own.ts';
import { projectCreated } from './project-created.ts';
import { projectRefs } from './refs.ts';

/** Creates projects: a model in a scene. */
export const projects = defineCapability({
  name: 'projects',
  nodes: [projectCreated],
  reads: [
    [
      'projectId',
      (client, { projectId = '' }, options) =>
        client.getProject({ params: { projectId } }, options),
      ['projectId', 'added'],
    ],
  ],
  clean: cleanProjects,
  refs: projectRefs,
  failures: [projectFailures],
  own: ownProjects,
});
