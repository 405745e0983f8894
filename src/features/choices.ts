// Workspace lists for parameter values: `values: { from: templates }`. A value is a name or id that nodes accept.
import { z } from 'zod';
import type { NameLookUpDeps } from '../engine/discovery/name-look-up-deps.ts';
import { isOpenOption } from './properties/property-definitions.ts';
import { withDefinitions } from './properties/property-definitions-cache.ts';
import { lookUpTemplates } from './templates/template-match.ts';
import { templateNameResolver } from './templates/template-name-resolver.ts';
import { materialNameResolver } from './variants/material-name-resolver.ts';

/** Lists that a parameter may choose from. The platform has no operation that lists collections. */
const choiceSources = ['templates', 'materials', 'properties'] as const;
type ChoiceSource = (typeof choiceSources)[number];

export const ChoicesFrom = z
  .strictObject({
    from: z
      .enum(choiceSources)
      .describe(
        'The workspace list that contains the allowed values. Forms and completion offer these values; `plan`, `run`, `rerun`, `apply` and `doctor` check values against the list.',
      ),
    property: z
      .string()
      .min(1)
      .optional()
      .describe(
        'With `from: properties`: name, key or id of the property whose options are the allowed values.',
      ),
  })
  .refine(({ from, property }) => property === undefined || from === 'properties', {
    message: 'requires `from: properties`',
    path: ['property'],
  });
export type ChoicesFrom = z.output<typeof ChoicesFrom>;

/** A choice, with a name for people and the value that the pipeline receives. */
export interface Choice {
  value: string;
  name: string;
}

export interface Choices {
  choices: Choice[];
  /** True if the workspace has more choices than `choices`. */
  hasMore: boolean;
}

type ChoiceContext = Omit<NameLookUpDeps, 'getConnector'>;

interface ChoiceList {
  list(source: ChoicesFrom, context: ChoiceContext): Promise<Choices>;
  check(value: string, source: ChoicesFrom, context: ChoiceContext): Promise<unknown>;
}

const lists: Readonly<Record<ChoiceSource, ChoiceList>> = {
  templates: {
    async list(_from, { pollerContext, requests }) {
      const templates = await templateNameResolver(pollerContext).list(requests);
      const items = templates.map(({ templateId: id, name }) => ({ id, name }));
      return { choices: toChoices(items), hasMore: false };
    },
    check: (value, _from, context) => lookUpTemplates({ rules: [], default: value }, context),
  },
  materials: {
    async list(_from, { pollerContext, requests }) {
      const { materials, hasMore } = await materialNameResolver(pollerContext).list(requests);
      const items = materials.flatMap(({ materialId: id, name }) => (name ? [{ id, name }] : []));
      // A node finds a material only by its name, so materials whose names are not unique are omitted.
      const choices = toChoices(items).filter(({ value, name }) => value === name);
      return { choices, hasMore };
    },
    check: (value, _from, { pollerContext, run, requests }) =>
      materialNameResolver(pollerContext).resolve(run.run, [{ material: value }], requests),
  },
  properties: {
    list: ({ property }, context) =>
      withDefinitions(null, context, (definitions) => {
        const items =
          property === undefined
            ? definitions.all
            : definitions
                .property(property)
                .options.filter(isOpenOption)
                .map(({ id, label: name }) => ({ id, name }));
        return { choices: toChoices(items), hasMore: false };
      }),
    check: (value, { property }, context) =>
      withDefinitions(null, context, (definitions) =>
        property === undefined
          ? definitions.property(value)
          : definitions.option(definitions.property(property), value),
      ),
  },
};

/** Returns the current choices. @throws RunCauseError if the property does not exist in the workspace */
export function listChoices(source: ChoicesFrom, context: ChoiceContext): Promise<Choices> {
  return lists[source.from].list(source, context);
}

/** @throws RunCauseError if the value does not exist in the workspace, or is ambiguous */
export async function checkChoice(
  value: string,
  source: ChoicesFrom,
  context: ChoiceContext,
): Promise<void> {
  await lists[source.from].check(value, source, context);
}

interface Item {
  id: string;
  /** A key that the nodes accept instead of the id. */
  key?: string | undefined;
  name?: string | undefined;
}

/** Uses the name of an item as its value, or the id if the name is missing or is another item's name, key or id. */
function toChoices(items: readonly Item[]): Choice[] {
  const owners = new Map<string, Set<string>>();
  for (const { id, key = id, name = id } of items) {
    for (const text of [id, key, name].map(fold)) {
      owners.set(text, (owners.get(text) ?? new Set()).add(id));
    }
  }
  return items.map(({ id, name }) => {
    const isUnique = name !== undefined && name !== '' && owners.get(fold(name))?.size === 1;
    return { value: isUnique ? name : id, name: name || id };
  });
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
