// Node type that creates a project for each asset that has none.
import { z } from 'zod';
import {
  checkEventFields,
  eventFields,
  eventRules,
  shownAtOnceMs,
} from '../../engine/discovery/event-fields.ts';
import { defineNode, type RootRole } from '../../engine/node-type.ts';
import { createMissingProjects } from './create-missing-projects.ts';
import { projectLister, SelectProjects, selectedProjects } from './select-projects.ts';

const Config = checkEventFields(
  z.strictObject({
    select: SelectProjects.optional(),
    ...eventFields('project.created', {
      begins: 'projects that somebody creates',
      made: 'projects that Renderline itself created',
    }),
  }),
);

/** Starts with selected projects, or with projects named by events. Started by hand without `select`: every project. */
const root: RootRole<z.output<typeof Config>> = {
  ...selectedProjects,
  by: ['select', 'on'],
  eventTrigger: (config) => eventRules(config, shownAtOnceMs),
  list: (config, context) =>
    config.on ? projectLister({}, context) : selectedProjects.list(config, context),
};

export const projectCreated = defineNode({
  type: 'project_created',
  summary: "Create each asset's project from its model and template.",
  docs: `Projects are created 50 per request, one per model, from the model and the template that
\`template_match\` chose. A node that needs a project creates it by itself, so this node is only needed
to show this point in the graph.

With \`select\` the pipeline starts with existing projects of the platform. Each becomes one asset,
whose key is the project's name, plus its id if two names are equal. A project whose name,
models and template have not changed since is not processed again.

With \`on: project.created\` the pipeline starts with projects as they are created: \`renderline apply FILE\` lets events
start runs, and \`renderline webhooks\` receives the events. The content of this event is not documented, so each event makes
Renderline read the newest projects. Projects that Renderline itself created, by any pipeline of the workspace, start no run unless
\`own: true\`. Started by hand, the pipeline takes every project.`,
  example: `name: with-projects
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: project, type: project_created, parentIds: [ready] }
`,
  config: Config,
  mode: 'call',
  stage: 'composition',
  submits: true,
  root,
  needs: ['ready model'],
  gives: ['project'],
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  recipe: [],
  route: ({ select, on }, batch) =>
    (select ?? on) ? 'its projects exist already' : `creates up to ${batch} projects per request`,
  cost: {
    byBatch: true,
    // If the node is the root, the projects exist already.
    requests: ({ assets, batch, isRoot }) =>
      isRoot ? {} : { createProjects: Math.ceil(assets / batch) },
    creates: () => 'project',
  },
  run: createMissingProjects,
});
