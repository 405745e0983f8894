import type { ListDeps } from '../../engine/discovery/list-deps.ts';
import { toUnkeyedObject } from '../../engine/discovery/platform-objects.ts';
import { defineNode } from '../../engine/node-type.ts';
import type { Lister } from '../../store/discovery/listed-source.ts';
import { createObjectSource } from '../../store/records/source-version.ts';
import { readyModelsExample } from '../example.ts';
import { ensureMaterials } from './ensure-materials.ts';
import { PantoneConfig, type PantoneOptions, readPantoneRows } from './pantone-rows.ts';

/** Lists all rows as a single asset. Its version changes whenever any row changes. */
function createPantoneLister(
  options: PantoneOptions,
  { node, getConnector }: Pick<ListDeps, 'node' | 'getConnector'>,
): Lister {
  return {
    async list() {
      const rows = await readPantoneRows(options, { getConnector });
      const rowTexts = rows.flatMap(({ name, code, hex }) => [name, code, hex]);
      const source = createObjectSource(node, node, [String(options.update), ...rowTexts], null);
      return { sources: [{ unkeyed: toUnkeyedObject(node, node), source }], failures: [] };
    },
  };
}

export const pantoneNode = defineNode({
  type: 'pantone',
  summary: 'Fill the library with Pantone materials from a list or a table.',
  docs: `Put the node before \`variant\`: its swap rules then find the materials by name. The materials are created once per run, by the
first assets that reach this node; all others wait for them. Codes and colours are checked before the run creates anything.

An existing material with the same name is adopted, not created twice. The platform does not show which Pantone a material has,
so the records contain what the node wrote. An adopted material keeps its Pantone and a warning names both; with \`update: true\` the Pantone
of the pipeline is written to it. A Pantone never changes how a material looks.

A pipeline may also start with this node, and consist only of it. Then all materials together are its only asset, which is
unchanged as long as the list or the table is unchanged; \`--force\` also finds materials that somebody has deleted since.

After a row is removed, the next run no longer manages its material. \`renderline clean\` lists the material if a run of this
pipeline created it.
A table is read again in each run, and by \`plan\`, which counts up to two requests for each material. Pantone colours are proprietary, and the platform does not look them up, so each material needs its \`hex\`.`,
  example: `${readyModelsExample('pantone-colours')}
  - id: colours
    type: pantone
    parentIds: [ready]
    config:
      materials:
        - { name: Club navy, code: 19-4052 TCX, hex: "#0f4c81" }
  - id: navy
    type: variant
    parentIds: [colours]
    config:
      swapRules:
        - { matchText: fabric, matchMode: contains, material: Club navy }
  - { id: shots, type: render, parentIds: [navy] }
`,
  config: PantoneConfig,
  mode: 'call',
  submits: true,
  stage: 'composition',
  root: {
    from: 'platform',
    by: ['materials', 'table'],
    alsoAfterParents: true,
    providedResources: () => [],
    list: createPantoneLister,
  },
  needs: [],
  gives: [],
  profile: { batch: 50, startToClose: '5m', heartbeat: '20s', timeout: '2h' },
  // No setting is part of the recipe, because the look of a material never changes.
  recipe: [],
  route: ({ materials }) =>
    `adopts ${materials?.length ?? "the table's"} Pantone materials by name once a run, or creates them`,
  async lookUp(options, context) {
    for (const { name } of await readPantoneRows(options, context))
      context.promisedMaterials?.add(name);
  },
  readForCost: async (options, context) => ({
    materials: (await readPantoneRows(options, context)).map((row) => ({ ...row })),
  }),
  cost: {
    once: ({ config: { materials } }) => {
      const count = Array.isArray(materials) ? materials.length : 0;
      if (count === 0) return {};
      return { listMaterials: count + Math.ceil(count / 100), createPantoneMaterial: count };
    },
  },
  run: ensureMaterials,
});
