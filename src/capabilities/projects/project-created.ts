// Node type that creates a project for each asset that has none.
import { z } from 'zod';
import {
  checkedEvents,
  eventRules,
  onEvent,
  shownAtOnceMs,
} from '../../machinery/discovery/on-event.ts';
import { defineNode, type RootRole } from '../../machinery/node-type.ts';
import { makeProjects } from './make-projects.ts';
import { SelectProjects, selectedProjects } from './project-selection.ts';
import { projectLister } from './select-projects.ts';

const Config = checkedEvents(
  z.strictObject({
    select: SelectProjects.optional(),
    ...onEvent('project.created', {
      begins: 'projects that somebody makes',
      made: 'projects that Renderline itself made',
    }),
  }),
);

/** Starts with selected projects, or with projects named by events. Started by hand without `select`: every project. */
const root: RootRole<z.output<typeof Config>> = {
  ...selectedProjects,
  by: ['select', 'on'],
  intake: (config) => eventRules(config, shownAtOnceMs),
  list: (config, context) =>
    config.on ? projectLister({}, context) : selectedProjects.list(config, context),
};

export const projectCreated = defineNode({
  type: 'project_created',
  summary: "Make each asset's project from its model and template, and hold until it is there.",
  docs: `Projects are made 50 a request, one per model, from the model and the template that
\`template_match\` chose. A node that needs a project makes it by itself, so this node is only needed
where you want the point in the graph to be visible.

With \`select\` it begins a pipeline over projects that the platform has already: each becomes one asset,
whose key is the project's name, with its id where two would clash. What was done and shows no other name,
models or template since is not done again.

With \`on: project.created\` it begins a pipeline with projects as somebody makes them: \`renderline apply FILE\` makes events
start runs, which \`renderline webhooks\` receives. What such an event says is not documented, so each brings a look at the newest projects.
Projects that Renderline itself made, by any pipeline of the workspace, start none unless \`own: true\`.
Started by hand the pipeline takes every project.`,
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
    (select ?? on) ? 'its projects are there already' : `makes up to ${batch} projects a request`,
  cost: {
    byBatch: true,
    // As a root its projects exist already.
    requests: ({ assets, batch, isRoot }) =>
      isRoot ? {} : { createProjects: Math.ceil(assets / batch) },
    makes: () => 'project',
  },
  run: makeProjects,
});
