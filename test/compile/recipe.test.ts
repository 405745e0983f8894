// What changes a recipe, so that assets are repeated, what must not change it, and what changes the hash of a plan.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { toCanonicalJson } from '../../src/language/hash.ts';
import { compareStages, firstStageToRunOf, workStages } from '../../src/plan/stages.ts';
import type { Json, Stage } from '../../src/plan/types.ts';
import { planOf } from './_compile.ts';

interface Node {
  id: string;
  type: string;
  parentIds?: string[];
  config?: Record<string, Json>;
  [field: string]: Json | undefined;
}

function pipeline() {
  const nodes: Record<string, Node> = {
    take: { id: 'take', type: 'connector_poll', config: { connector: 'models', stableFor: '5s' } },
    ready: { id: 'ready', type: 'model_ready', parentIds: ['take'], timeout: '20m' },
    look: {
      id: 'look',
      type: 'template_match',
      parentIds: ['take'],
      config: {
        rules: [
          { glob: 'a/**', template: 'A' },
          { when: 'params.big', template: 'B' },
        ],
        default: 'C',
      },
    },
    shots: {
      id: 'shots',
      type: 'render',
      parentIds: ['ready', 'look'],
      when: 'asset.bytes > 10.0 * params.least',
      config: { settings: { imageFormat: 'JPEG', imageQuality: 2 } },
    },
    deliver: {
      id: 'deliver',
      type: 'export',
      parentIds: ['shots'],
      config: { connector: 'pictures', naming: '{{ key }}.{{ ext }}' },
    },
  };
  return {
    name: 'recipes',
    parameters: {
      least: { type: 'integer', default: 1 },
      big: { type: 'boolean', default: false },
      unread: { type: 'string', default: 'x' },
    },
    connectors: {
      models: { type: 'local', path: 'models' },
      pictures: { type: 'local', path: 'pictures/${{ params.unread }}' },
    },
    batchSize: 50,
    maxRetries: 2,
    description: 'As it was.',
    nodes,
  };
}

type Draft = ReturnType<typeof pipeline>;

const text = (draft: Draft, order = Object.keys(draft.nodes)) =>
  stringify({ ...draft, nodes: order.map((id) => draft.nodes[id]) });
const plan = (change: (draft: Draft) => void = () => undefined, parameters = {}) => {
  const draft = pipeline();
  change(draft);
  return planOf(text(draft), parameters);
};
const node = (draft: Draft, id: string): Node => {
  const found = draft.nodes[id];
  if (found === undefined) throw new RangeError(`no node ${id}`);
  return found;
};
const before = plan();

describe('changes that keep the recipe', () => {
  const changes: [name: string, change: (draft: Draft) => void][] = [
    ['another batch size', (draft) => (draft.batchSize = 10)],
    ['other retries', (draft) => (draft.maxRetries = 7)],
    ['another description', (draft) => (draft.description = 'Now another.')],
    ['another name', (draft) => (draft.name = 'renamed')],
    ['another timeout', (draft) => (node(draft, 'ready')['timeout'] = '3h')],
    ['retries of a node', (draft) => (node(draft, 'shots')['retry'] = { max: 9 })],
    [
      'a longer check for stable files',
      (draft) => (node(draft, 'take').config = { connector: 'models', stableFor: '9s' }),
    ],
    ['a moved folder', (draft) => (draft.connectors.models.path = 'elsewhere')],
    [
      'a node that only waits',
      (draft) => {
        draft.nodes['rendered'] = { id: 'rendered', type: 'render_complete', parentIds: ['shots'] };
        node(draft, 'deliver').parentIds = ['rendered'];
      },
    ],
    [
      'a side step with a condition',
      (draft) => {
        const config = { url: 'https://a.example/in', secretFrom: 'RENDERLINE_SECRET_HOOK' };
        const when = 'asset.bytes > 20';
        draft.nodes['tell'] = { id: 'tell', type: 'notify', parentIds: ['shots'], config, when };
        node(draft, 'deliver').parentIds = ['tell'];
      },
    ],
    [
      'a separate node for the project',
      (draft) => {
        draft.nodes['p'] = { id: 'p', type: 'project_created', parentIds: ['ready', 'look'] };
        node(draft, 'shots').parentIds = ['p'];
      },
    ],
    [
      'other ids',
      (draft) => {
        node(draft, 'look').id = 'zz';
        node(draft, 'shots').parentIds = ['zz', 'ready'];
      },
    ],
    [
      'a disabled node',
      (draft) => {
        const config = { default: 'Never' };
        draft.nodes['x'] = {
          id: 'x',
          type: 'template_match',
          enabled: false,
          parentIds: ['take'],
          config,
        };
      },
    ],
    [
      'a default that is written explicitly',
      (draft) => (node(draft, 'shots').config = { ...node(draft, 'shots').config, wait: true }),
    ],
  ];
  it.each(changes)('a recipe stays the same with %s', (_name, change) => {
    expect(plan(change).recipe).toBe(before.recipe);
  });

  it('a recipe stays the same with another value of a parameter that is never read', () => {
    expect(plan(undefined, { unread: 'y' }).recipe).toBe(before.recipe);
  });

  it('a recipe stays the same whatever the order of the nodes in the file', () => {
    const ids = Object.keys(pipeline().nodes);
    fc.assert(
      fc.property(fc.shuffledSubarray(ids, { minLength: ids.length }), (order) => {
        expect(planOf(text(pipeline(), order)).recipe).toBe(before.recipe);
      }),
      { numRuns: 60 },
    );
  });
});

describe('changes of the recipe', () => {
  const changes: [name: string, change: (draft: Draft) => void][] = [
    [
      'another setting',
      (draft) => (node(draft, 'shots').config = { settings: { imageFormat: 'PNG' } }),
    ],
    [
      'another category',
      (draft) => (node(draft, 'take').config = { connector: 'models', category: 'x' }),
    ],
    ['another condition', (draft) => (node(draft, 'shots')['when'] = 'asset.bytes > 11')],
    ['a removed condition', (draft) => delete node(draft, 'shots')['when']],
    [
      'a condition on a node that only waits',
      (draft) => {
        const when = 'asset.bytes > 20';
        draft.nodes['w'] = { id: 'w', type: 'render_complete', parentIds: ['shots'], when };
        node(draft, 'deliver').parentIds = ['w'];
      },
    ],
    [
      'another file name',
      (draft) =>
        (node(draft, 'deliver').config = {
          connector: 'pictures',
          naming: 'x/{{ key }}.{{ ext }}',
        }),
    ],
    [
      'another order of rules',
      (draft) => {
        const { rules, ...rest } = node(draft, 'look').config ?? {};
        node(draft, 'look').config = {
          ...rest,
          rules: Array.isArray(rules) ? [...rules].reverse() : [],
        };
      },
    ],
    [
      'a removed node',
      (draft) => {
        delete draft.nodes['look'];
        node(draft, 'shots').parentIds = ['ready'];
      },
    ],
    [
      'a second choice of templates',
      (draft) => {
        draft.nodes['more'] = {
          id: 'more',
          type: 'template_match',
          parentIds: ['look'],
          config: { default: 'D' },
        };
        node(draft, 'shots').parentIds = ['ready', 'more'];
      },
    ],
  ];
  it.each(changes)('a recipe changes with %s', (_name, change) => {
    expect(plan(change).recipe).not.toBe(before.recipe);
  });

  it.each([{ least: '2' }, { big: 'true' }])(
    'a recipe changes with another value of a parameter that an expression reads: %j',
    (given) => {
      expect(plan(undefined, given).recipe).not.toBe(before.recipe);
    },
  );

  it.each([
    'params["unread"] == "y"',
    'params["un" + "read"] == "y"',
    '(true ? params : params).unread == "y"',
    'params.big && [params].exists(p, p.unread == "y")',
  ])('a recipe changes with another value of the parameter that %s reads', (when) => {
    const change = (draft: Draft) => (node(draft, 'shots')['when'] = when);
    expect(plan(change, { unread: 'y' }).recipe).not.toBe(plan(change).recipe);
  });
});

describe('the stages of a recipe', () => {
  const renderAgain: [string, (draft: Draft) => void][] = [
    [
      'another setting',
      (draft) => (node(draft, 'shots').config = { settings: { imageFormat: 'PNG' } }),
    ],
    [
      'another condition of the render',
      (draft) => (node(draft, 'shots')['when'] = 'asset.bytes > 11'),
    ],
  ];
  const composeAgain: [string, (draft: Draft) => void][] = [
    ['another template', (draft) => (node(draft, 'look').config = { default: 'D' })],
  ];
  const deliverAgain: [string, (draft: Draft) => void][] = [
    [
      'another file name',
      (draft) =>
        (node(draft, 'deliver').config = {
          connector: 'pictures',
          naming: 'x/{{ key }}.{{ ext }}',
        }),
    ],
    ['another destination', (draft) => (node(draft, 'deliver').config = { connector: 'models' })],
    [
      'one more destination',
      (draft) =>
        (draft.nodes['more'] = {
          id: 'more',
          type: 'export',
          parentIds: ['shots'],
          config: { connector: 'models' },
        }),
    ],
  ];
  const source: [string, (draft: Draft) => void] = [
    'another category',
    (draft) => (node(draft, 'take').config = { connector: 'models', category: 'x' }),
  ];
  it.each<[string, Stage, (draft: Draft) => void]>([
    ...deliverAgain.map(([name, edit]): [string, Stage, typeof edit] => [name, 'delivery', edit]),
    ...renderAgain.map(([name, edit]): [string, Stage, typeof edit] => [name, 'render', edit]),
    ...composeAgain.map(([name, edit]): [string, Stage, typeof edit] => [
      name,
      'composition',
      edit,
    ]),
    [source[0], 'source', source[1]],
  ])(
    'the stages of a recipe with %s change from %s on, and earlier stages stay the same',
    (_name, startStage, edit) => {
      expect(firstStageToRunOf(compareStages(before.stages, plan(edit).stages))).toBe(startStage);
    },
  );

  it('the stages are the same up to the render if only options of a production file differ', () => {
    const sheets = (production?: Record<string, Json>) =>
      plan((draft) => {
        node(draft, 'deliver').config = {
          connector: 'pictures',
          what: ['renders', 'production_files'],
          ...(production ? { production } : {}),
        };
      }).stages;
    const standing = compareStages(sheets(), sheets({ captureMode: 'flat' }));
    expect(standing).toEqual(['source', 'composition', 'render']);
    expect(firstStageToRunOf(standing)).toBe('sheet');
  });

  it('all stages are reusable with the same recipe, and none is with an unknown recipe', () => {
    expect(compareStages(before.stages, before.stages)).toEqual(workStages);
    expect(compareStages(null, before.stages)).toEqual([]);
  });
});

describe('the hash of a plan', () => {
  it('the hash is 16 hex digits', () => {
    expect(before.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(before.recipe).toMatch(/^[0-9a-f]{16}$/);
  });

  it('the hash does not change with the form of the YAML', () => {
    const flow = stringify(JSON.parse(JSON.stringify(reversed(listed()))), {
      collectionStyle: 'flow',
      lineWidth: 0,
    });
    expect(planOf(`# a comment\n${flow}`)).toEqual(before);
  });

  it.each([
    ['another timeout', (draft: Draft) => (node(draft, 'ready')['timeout'] = '3h')],
    ['another batch size', (draft: Draft) => (draft.batchSize = 10)],
    ['another folder', (draft: Draft) => (draft.connectors.models.path = 'elsewhere')],
  ])('the hash changes with %s', (_name, change) => {
    expect(plan(change).hash).not.toBe(before.hash);
  });

  const listed = () =>
    ({ ...pipeline(), nodes: Object.values(pipeline().nodes) }) as unknown as Json;
});

describe('canonical JSON', () => {
  it('canonical JSON does not depend on the order of keys, and is JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = toCanonicalJson(value as Json);
        expect(toCanonicalJson(reversed(value as Json))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

/** The same value with the keys of every mapping in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, item]) => [key, reversed(item)]));
}
