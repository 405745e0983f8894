// Makes each asset's project where it has none.
import { z } from 'zod';
import { makeProjects } from '../engine/make-projects.ts';
import { defineNode, type StepProfile } from './node-type.ts';
import { SelectProjects, selectedProjects } from './select.ts';

const Config = z.strictObject({ select: SelectProjects.optional() });

export const projectProfile: StepProfile = { batch: 50, startToClose: '5m', timeout: '2h' };

export const projectCreated = defineNode({
  type: 'project_created',
  summary: "Make each asset's project from its model and template, and hold until it is there.",
  docs: `Projects are made 50 a request, one per model, from the model and the template that
\`template_match\` chose. A node that needs a project makes it by itself, so this node is only needed
where you want the point in the graph to be visible.

With \`select\` it begins a pipeline over projects that the platform has already: each becomes one asset,
whose key is the project's name, with its id where two would clash. What was done and shows no other name,
models or template since is not done again.`,
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
  root: selectedProjects,
  needs: ['ready model'],
  gives: ['project'],
  profile: projectProfile,
  recipe: [],
  route: ({ select }, batch) =>
    select ? 'its projects are there already' : `makes up to ${batch} projects a request`,
  run: makeProjects,
});
