// `views` of a `render` node: the same asset with several templates, bookmarks and sizes.
import { z } from 'zod';
import { RenderSettings } from '../../api/operations/renders.ts';
import { defineDimension } from '../../engine/grid/dimension.ts';
import { createNameField, findDuplicateName } from '../../engine/grid/position-name.ts';
import { templateName } from '../../language/fields.ts';
import type { Json } from '../../plan/types.ts';
import { hashOf } from '../../store/objects/object-name.ts';

/** The views in the form of the plan. The fingerprint covers a view's template and settings. */
const ViewSpec = z.array(z.object({ name: z.string(), fingerprint: z.string() }));
type ViewSpec = z.output<typeof ViewSpec>;

export const views = defineDimension({
  name: 'view',
  plural: 'views',
  baseNoun: 'an asset',
  rootRefusal:
    'projects of the platform keep their template; views need models from which projects are created',
  spec: ViewSpec,
  count: ({ length }) => length,
  open: (views) => ({
    namesOf: () => views.map(({ name }) => name),
    positionsOf: () => views.map(({ name, fingerprint }) => ({ name, payload: fingerprint })),
  }),
});

export const Views = z
  .array(
    z.strictObject({
      name: createNameField('Name of the view, in keys and, as `{{ view }}`, in names of files.'),
      template: templateName.optional().describe('Template of this view, by name or id.'),
      settings: RenderSettings.default({}).describe(
        'Render settings of this view, which override those of the node.',
      ),
    }),
  )
  .min(1)
  .max(50)
  .superRefine((views, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    const duplicateName = findDuplicateName(views.map(({ name }) => name));
    if (duplicateName !== null) refuse(`two views are named "${duplicateName}"`);
    const viewWithoutTemplate = views.find(({ template }) => template === undefined);
    if (viewWithoutTemplate && views.some(({ template }) => template !== undefined))
      refuse(`"${viewWithoutTemplate.name}" has no template, but other views have a template`);
  })
  .describe(
    'Views of each asset, to render several pictures: each asset becomes one asset per view.',
  );

type ViewList = z.output<typeof Views> | undefined;

/** Returns the render settings of each view, or the node's settings if there are no views. */
export function settingsOfViews(settings: RenderSettings, views: ViewList): RenderSettings[] {
  return views?.map((view) => ({ ...settings, ...view.settings })) ?? [settings];
}

/** Converts the views of a node to the form of the plan. */
export function viewSpec(settings: RenderSettings, views: ViewList): ViewSpec | null {
  if (views === undefined) return null;
  const viewSettings = settingsOfViews(settings, views);
  return views.map(({ name, template = null }, index) => {
    const sortedEntries = Object.entries(viewSettings[index] ?? {}).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    return { name, fingerprint: hashOf(JSON.stringify([template, sortedEntries])).slice(0, 16) };
  });
}

/** Creates rules for `template_match` that assign a template to each view. */
export function templateRulesOf(views: NonNullable<ViewList>): Json {
  return views.map(({ name, template = '' }) => ({
    when: `asset.view == ${JSON.stringify(name)}`,
    template,
  }));
}
