// A node type of a project: assets under embargo fail here, before anything is rendered.
import { defineFailures, defineNode, definePlugin, fail, z } from 'renderline/plugin';

const failures = defineFailures('asset', {
  UNDER_EMBARGO: {
    title: 'The asset is under embargo.',
    fix: 'Run again when the embargo has ended. Complete assets are not repeated.',
  },
});

const embargo = defineNode({
  type: 'embargo',
  summary: 'Stop assets that are under embargo.',
  docs: 'Assets whose key begins with one of `keys` fail with `UNDER_EMBARGO` until the day `until` begins (UTC). All other assets continue.',
  example: `name: catalog-with-embargo
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: secret, type: embargo, parentIds: [take], config: { keys: [new/], until: "2027-03-01" } }
  - { id: ready, type: model_ready, parentIds: [secret] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`,
  config: z.strictObject({
    keys: z.array(z.string().min(1)).min(1).describe('Prefixes of keys, such as a folder.'),
    until: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2027-03-01')
      .describe('First day after the embargo.'),
  }),
  mode: 'call',
  needs: [],
  gives: [],
  profile: { batch: 100, startToClose: '30s', timeout: '10m' },
  recipe: [],
  route: ({ until }) => `no API request; stops some assets until ${until}`,
  run: async ({ keys, until }, assets, context) => {
    const hasBegun = context.now() >= Date.parse(until);
    return assets.map(({ key }) => {
      const isHeld = !hasBegun && keys.some((prefix) => key.startsWith(prefix));
      if (!isHeld) return { key, outcome: 'done' };
      return fail(failures.UNDER_EMBARGO, key, `${key} may not be shown before ${until}`);
    });
  },
});

export const plugin = definePlugin({ name: 'embargo', nodes: [embargo], failures });
