// Node type that submits renders and, by default, waits for them.
import { z } from 'zod';
import { RenderSettings } from '../../api/operations/renders.ts';
import type { AskedField } from '../../language/naming.ts';
import { defineNode, draftOf, type StepDraft } from '../../machinery/node-type.ts';
import { projectCreated } from '../projects/project-created.ts';
import { SelectProjects, selectedProjects } from '../projects/project-selection.ts';
import { templateMatch } from '../templates/template-match.ts';
import { renderComplete } from './render-complete.ts';
import { settingsOfViews, templateRules, Views, viewsOf } from './render-views.ts';
import { submitRenders } from './submit-renders.ts';

const Config = z.strictObject({
  settings: RenderSettings.default({}).describe(
    'Render settings, passed to the platform as they are.',
  ),
  views: Views.optional(),
  wait: z
    .boolean()
    .default(true)
    .describe('false lets the asset go on at once; a render_complete node waits later.'),
  select: SelectProjects.optional(),
});

/** A still shows a bookmark and a video a shot. The field is known if exactly one is rendered and none of the other kind. */
function oneOf(settings: RenderSettings, field: AskedField): true | string | null {
  const [wanted, other] =
    field === 'bookmark'
      ? [settings.bookmarksToRender, settings.renderShots]
      : [settings.shotsToRender, settings.renderBookmarks];
  if (wanted?.length !== 1) return `does not ask for one ${field} (${field}sToRender)`;
  if (other === false) return true;
  const [others, setting] =
    field === 'bookmark' ? ['shots', 'renderShots'] : ['bookmarks', 'renderBookmarks'];
  return `draws ${others} too (${setting}: false leaves them out)`;
}

export const render = defineNode({
  type: 'render',
  summary: "Submit each asset's render, wait for it, start failed ones again.",
  docs: `Renders are submitted 50 a request with the \`settings\` of the platform's reference. A FAILED render is
retried up to \`maxRetries\` times; what still fails is reported with the platform's message.

Without \`wait: false\` the node holds the asset until its render has ended, unless a \`render_complete\`
node after it does so. Makes the project first where the asset has none.

With \`views\` each asset becomes one in each of them, with a key such as \`chairs/oslo@Oak@front\`, a record, failures and
files of its own: the same asset with several templates, bookmarks and sizes. What comes before this node is done once
for all of them. Each view costs a project and a render job; pictures that differ by their bookmark alone cost less as
one view with several bookmarks. A view that is added later is made alone, and one that changes is made anew. Files are
named by \`{{ view }}\`; \`{{ key }}\` has a folder for each.

With \`select\` it begins a pipeline over projects that the platform has already.`,
  example: `name: render-all
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - id: shots
    type: render
    parentIds: [ready]
    config: { settings: { imageFormat: JPEG, imageQuality: 0 } }
`,
  config: Config,
  mode: 'call',
  submits: true,
  root: selectedProjects,
  needs: ['ready model'],
  gives: ['project', 'render'],
  profile: { batch: 50, startToClose: '5m', timeout: '23h' },
  longestTimeout: '23h',
  stage: 'render',
  recipe: ['settings'],
  asksFor: {
    fields: ['bookmark', 'shot', 'view'],
    of({ settings, views }, field) {
      if (field === 'view') return views === undefined ? null : true;
      if (field !== 'bookmark' && field !== 'shot') return null;
      const answers = settingsOfViews(settings, views).map((one) => oneOf(one, field));
      return answers.find((answer) => answer !== true) ?? true;
    },
  },
  views: ({ settings, views }) => viewsOf(settings, views),
  route: ({ views }, batch) =>
    `submits up to ${batch} renders a request${views ? `, of one of ${views.length} views` : ''}`,
  steps(config, scope) {
    const steps: StepDraft[] = [];
    const { settings, views } = config;
    if (views?.some(({ template }) => template !== undefined)) {
      steps.push(draftOf('template', templateMatch, { rules: templateRules(views) }));
    }
    if (!scope.isRoot && !scope.hasAncestor('project_created')) {
      steps.push(draftOf('project', projectCreated));
    }
    steps.push(scope.own({ settings, views }));
    if (config.wait && !scope.hasDescendant('render_complete')) {
      const redo = { node: scope.node, part: '' };
      steps.push({ ...draftOf('wait', renderComplete), redo });
    }
    return steps;
  },
  cost: {
    byBatch: true,
    draws: true,
    requests: ({ assets, batch }) => ({ createRenders: Math.ceil(assets / batch) }),
  },
  run: submitRenders,
});
