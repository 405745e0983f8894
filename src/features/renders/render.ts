import { z } from 'zod';
import { RenderSettings } from '../../api/operations/renders.ts';
import { createDraft, defineNode, type StepDraft } from '../../engine/node-type.ts';
import type { RequestedField } from '../../language/naming/naming.ts';
import { readyModelsExample } from '../example.ts';
import { projectCreated } from '../projects/project-created.ts';
import { SelectProjects, selectedProjects } from '../projects/select-projects.ts';
import { templateMatch } from '../templates/template-match.ts';
import { renderComplete } from './render-complete.ts';
import {
  settingsOfViews,
  templateRulesOf,
  Views,
  views as viewDimension,
  viewSpec,
} from './render-views.ts';
import { parseRequestedSettings } from './requested-pixels.ts';
import { submitRenders } from './submit-renders.ts';

const Config = z.strictObject({
  settings: RenderSettings.default({}).describe(
    'Render settings, passed to the platform unchanged.',
  ),
  views: Views.optional(),
  wait: z
    .boolean()
    .default(true)
    .describe(
      'false lets the asset continue immediately; a later render_complete node waits for the render.',
    ),
  select: SelectProjects.optional(),
});

/**
 * Returns true if the value of the field is known, otherwise the reason why it is not. A still shows a bookmark and a
 * video a shot, so exactly one of these must be rendered, and none of the other kind.
 */
function findSingleValue(settings: RenderSettings, field: RequestedField): true | string | null {
  const isBookmark = field === 'bookmark';
  const values = isBookmark ? settings.bookmarksToRender : settings.shotsToRender;
  const setting = isBookmark ? 'renderShots' : 'renderBookmarks';
  if (values?.length !== 1) return `does not request exactly one ${field} (${field}sToRender)`;
  if (settings[setting] === false) return true;
  const others = isBookmark ? 'shots' : 'bookmarks';
  return `also renders ${others} (${setting}: false leaves them out)`;
}

/** True if an export reads the job of each such render, because the list of renders has no URLs of TIFFs and videos. */
function mustReadJob(settings: RenderSettings): boolean {
  const { imageFormat, renderBookmarks, renderShots, shotsToRender = [] } = settings;
  const hasTiff = imageFormat === 'TIFF' && renderBookmarks !== false;
  // By default, a template renders its videos, and only the platform knows whether it has any.
  return hasTiff || renderShots === true || (renderShots !== false && shotsToRender.length > 0);
}

export const render = defineNode({
  type: 'render',
  summary: "Submit each asset's render, wait for it, and retry failures.",
  docs: `Renders are submitted 50 per request, with \`settings\` as the platform's reference describes them. A FAILED render is
retried up to \`maxRetries\` times; if it still fails, the platform's message is reported.

The node holds the asset until its render has finished, unless \`wait: false\` is set or a later \`render_complete\`
node waits. A missing project is created first.

With \`views\` each asset becomes one asset per view, with a key such as \`chairs/oslo@Oak@front\` and its own record, failures and
files: the same asset with several templates, bookmarks and sizes. The nodes before this one run once
for all views. Each view costs a project and a render job; pictures that differ only in their bookmark cost less if they are
one view with several bookmarks. Adding a view renders only that view, and changing a view renders only that view again. File names
can use \`{{ view }}\`; \`{{ key }}\` contains a folder for each view.

With \`select\` the pipeline starts with existing projects of the platform.`,
  example: `${readyModelsExample('render-all')}
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
  maxTimeout: '23h',
  stage: 'render',
  recipe: ['settings'],
  namingFields: {
    fields: ['bookmark', 'shot'],
    of({ settings, views }, field) {
      if (field !== 'bookmark' && field !== 'shot') return null;
      const allSettings = settingsOfViews(settings, views);
      const values = allSettings.map((viewSettings) => findSingleValue(viewSettings, field));
      return values.find((value) => value !== true) ?? true;
    },
  },
  dimensions: [
    { dimension: viewDimension, specOf: ({ settings, views }) => viewSpec(settings, views) },
  ],
  route: ({ views }, batch) =>
    `submits up to ${batch} renders per request${views ? `, each for one of ${views.length} views` : ''}`,
  steps(config, scope) {
    const steps: StepDraft[] = [];
    const { settings, views } = config;
    if (views?.some(({ template }) => template !== undefined)) {
      steps.push(createDraft('template', templateMatch, { rules: templateRulesOf(views) }));
    }
    if (!scope.isRoot && !scope.hasAncestor('project_created')) {
      steps.push(createDraft('project', projectCreated));
    }
    steps.push(scope.own({ settings, views }));
    if (config.wait && !scope.hasDescendant('render_complete')) {
      const retryAt = { node: scope.node, part: '' };
      steps.push({ ...createDraft('wait', renderComplete), retryAt });
    }
    return steps;
  },
  cost: {
    byBatch: true,
    draws: 1,
    requests: ({ assets, batch }) => ({ createRenders: Math.ceil(assets / batch) }),
    once({ assets, config, has }) {
      const settings = parseRequestedSettings(config);
      if (settings === null || !has('export')) return {};
      const readSettings = settings.filter(mustReadJob);
      return { getRenderJob: Math.ceil((assets * readSettings.length) / settings.length) };
    },
  },
  run: submitRenders,
});
