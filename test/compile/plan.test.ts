// The plan of a pipeline: steps, locations, batches, times, retries, and what `plan` prints.
import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/plan/types.ts';
import { compile, cwd, fileFolder, planOf, withNodes } from './_compile.ts';

const hourMs = 3_600_000;

const whole = `name: whole
batchSize: 40
maxRetries: 4
parameters:
  folder: { type: path, required: true }
  out: { type: path, default: pictures }
  look: { type: string, default: Studio White }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}/web" }
nodes:
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
  - id: shots
    type: render
    parentIds: [look, ready]
    when: asset.bytes > 10
    timeout: 2h
    config: { settings: { imageFormat: JPEG } }
  - { id: look, type: template_match, parentIds: [take], config: { default: "\${{ params.look }}" } }
  - { id: ready, type: model_ready, parentIds: [take], timeout: 45m }
  - { id: take, type: connector_poll, config: { connector: models, category: shoe }, timeout: 3h }
`;

const plan = planOf(whole, { folder: 'in' });
const step = (id: string): Step => {
  const found = plan.steps.find((one) => one.id === id);
  if (found === undefined) throw new RangeError(`no step ${id}`);
  return found;
};

describe('steps', () => {
  it('steps are in topological order, and otherwise in the order of the file', () => {
    expect(plan.steps.map(({ id, activity, parents }) => [id, activity, parents])).toEqual([
      ['take', 'connector_poll', []],
      ['look', 'template_match', ['take']],
      ['ready', 'model_ready', ['take']],
      ['shots.project', 'project_created', ['look', 'ready']],
      ['shots', 'render', ['shots.project']],
      ['shots.wait', 'render_complete', ['shots']],
      ['deliver', 'export', ['shots.wait']],
    ]);
  });

  it('steps contain their node', () => {
    expect(plan.steps.map(({ node }) => node).join(' ')).toBe(
      'take look ready shots shots shots deliver',
    );
  });

  it('steps contain the condition of a node once, at its first step', () => {
    const asked = plan.steps.filter(({ when }) => when !== null);
    expect(asked.map(({ id, when }) => [id, when])).toEqual([
      ['shots.project', 'asset.bytes > 10'],
    ]);
  });

  it('the configurations of steps contain their defaults', () => {
    expect(step('take').config).toEqual({
      connector: 'models',
      include: ['**/*.{glb,gltf,fbx,obj,usdz}'],
      exclude: [],
      stableFor: '1s',
      category: 'shoe',
    });
    expect(step('look').config).toEqual({ rules: [], default: 'Studio White' });
  });
});

describe('batches', () => {
  it('batches have the size of one API call, at most batchSize, or a size of their own without an API call', () => {
    const batches = plan.steps.map(({ id, batch }) => [id, batch]);
    expect(Object.fromEntries(batches)).toEqual({
      take: 40,
      look: 250,
      ready: 250,
      'shots.project': 40,
      shots: 40,
      'shots.wait': 250,
      deliver: 40,
    });
  });

  it('batches are never larger than the API allows', () => {
    const { steps } = planOf(whole.replace('batchSize: 40', 'batchSize: 100'), { folder: 'in' });
    expect(steps.find(({ id }) => id === 'shots')?.batch).toBe(50);
  });
});

describe('times', () => {
  it('times of a node apply to its wait, or to its work if it does not wait', () => {
    expect(step('shots.wait').timeoutMs).toBe(2 * hourMs);
    expect(step('shots').timeoutMs).toBe(23 * hourMs);
    expect(step('shots.project').timeoutMs).toBe(2 * hourMs);
    expect(step('ready').timeoutMs).toBe(0.75 * hourMs);
    expect(step('take').timeoutMs).toBe(3 * hourMs);
  });

  it('times are those of the node type by default', () => {
    expect(step('deliver').timeoutMs).toBe(6 * hourMs);
  });

  it('only long work sends heartbeats', () => {
    expect(step('take').heartbeatMs).toBe(20_000);
    expect(step('shots').heartbeatMs).toBeNull();
  });
});

describe('a retry after a failed job', () => {
  const nodes = (render: string, wait: string) =>
    planOf(
      `${withNodes(
        '{ id: ready, type: model_ready, parentIds: [take] }',
        `{ id: s, type: render, parentIds: [ready]${render} }`,
        `{ id: w, type: render_complete, parentIds: [s]${wait} }`,
      )}\nmaxRetries: 5`,
    ).steps;

  it('a retry repeats the submission, at most maxRetries times', () => {
    expect(step('shots.wait').retry).toEqual({ step: 'shots', max: 4 });
    expect(plan.steps.filter(({ retry: redo }) => redo !== null)).toHaveLength(1);
  });

  it('a retry is at the wait node if the submitting node does not wait', () => {
    const steps = nodes('', '');
    expect(steps.map(({ id }) => id)).toEqual(['take', 'ready', 's.project', 's', 'w']);
    expect(steps.at(-1)?.retry).toEqual({ step: 's', max: 5 });
  });

  it('`retry.max` of the wait node takes precedence over that of the submitting node', () => {
    expect(nodes(', retry: { max: 1 }', '').at(-1)?.retry?.max).toBe(1);
    expect(nodes(', retry: { max: 1 }', ', retry: { max: 0 }').at(-1)?.retry?.max).toBe(0);
  });
});

describe('locations', () => {
  it('locations from parameters are relative to the working directory, and those in the file to the file', () => {
    expect(plan.connectors).toEqual({
      models: { type: 'local', path: `${cwd}/in` },
      pictures: { type: 'local', path: `${fileFolder}/pictures/web` },
    });
    const given = planOf(whole, { folder: '/a', out: '../b' });
    expect(given.connectors['models']).toEqual({ type: 'local', path: '/a' });
    expect(given.connectors['pictures']).toEqual({ type: 'local', path: '/home/b/web' });
  });

  it('a location from a default parameter is relative to the file, and a given one to the working directory', () => {
    const text = `parameters: { n: { type: string, default: a } }
${withNodes().replace('path: out', 'path: "${{ params.n }}/x"')}`;
    const pathOf = (given: object) => planOf(text, { ...given }).connectors['out']?.['path'];
    expect([pathOf({}), pathOf({ n: 'b' })]).toEqual([`${fileFolder}/a/x`, `${cwd}/b/x`]);
  });

  it('a location in a bucket contains its fields, with parameter values', () => {
    const bucket = whole.replace(
      /pictures: \{ type: local.*\}/,
      'pictures: { type: s3, bucket: acme, prefix: "web/${{ params.out }}" }',
    );
    const made = planOf(bucket, { folder: '/a', out: 'spring' });
    const spec = { type: 's3', bucket: 'acme', prefix: expect.stringMatching(/^web\/.*spring$/) };
    expect(made.connectors['pictures']).toEqual(spec);
    expect(made.destination).toEqual(spec);
    const records = planOf(`${bucket}records: { connector: pictures, folder: .state }`, {
      folder: '/a',
      out: 'spring',
    });
    expect(records.records).toEqual({
      ...spec,
      prefix: expect.stringMatching(/^web\/.*spring\/\.state$/),
    });
  });

  it('the location of records is that of the outputs by default', () => {
    expect(plan.destination).toEqual(plan.connectors['pictures']);
    expect(plan.records).toEqual(plan.connectors['pictures']);
    const elsewhere = planOf(`${whole}records: models`, { folder: '/a' });
    expect(elsewhere.records).toEqual({ type: 'local', path: '/a' });
    const deeper = planOf(`${whole}records: { connector: models, folder: .state/x }`, {
      folder: '/a',
    });
    expect(deeper.records).toEqual({ type: 'local', path: '/a/.state/x' });
  });

  it.each(['/abs', '../up', 'a/../../b', 'a\\b'])(
    'the location of records may not leave the connector by %s',
    (folder) => {
      const text = `${whole}records: { connector: models, folder: '${folder}' }`;
      const { ok, problems } = compile(text, { folder: '/a' });
      expect(ok).toBe(false);
      expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
        { code: 'RL204', line: 22 },
      ]);
    },
  );

  it('a plan without an export has no location of outputs', () => {
    expect(planOf(withNodes()).destination).toBeNull();
  });
});

describe('the plan', () => {
  it('the plan finds assets by its root', () => {
    expect(plan.discovery).toEqual({
      node: 'take',
      activity: 'connector_poll',
      config: step('take').config,
      key: null,
      lookUps: [
        {
          node: 'look',
          activity: 'template_match',
          config: { default: 'Studio White', rules: [] },
        },
      ],
    });
    expect(planOf(`${withNodes()}\nkey: "{{ name }}"`).discovery.key).toBe('{{ name }}');
  });

  it('the plan describes its route, one line per step', () => {
    expect(plan.route.map((line) => line.split(':')[0])).toEqual(plan.steps.map(({ id }) => id));
    expect(plan.route[0]).toMatch(/one by one, because job items take no category/);
    expect(plan.route[4]).toBe('shots: submits up to 40 renders per request');
  });

  it('the plan contains parameters, names and sizes', () => {
    expect(plan).toMatchObject({
      schema: 'renderline/ir/v1',
      pipeline: 'whole',
      file: 'p.yaml',
      parameters: { folder: `${cwd}/in`, out: `${fileFolder}/pictures`, look: 'Studio White' },
      shardSize: 250,
      window: 16,
    });
  });

  it('the plan contains the canary, which does not affect the recipe', () => {
    const without = planOf(withNodes());
    const plan = planOf(`${withNodes()}\ncanary: { assets: 5 }`);
    expect(plan.canary).toEqual({ assets: 5, timeoutMs: 7 * 24 * 3_600_000 });
    expect(plan.recipe).toBe(without.recipe);
    expect(plan.hash).not.toBe(without.hash);
    expect(without).not.toHaveProperty('canary');
  });

  it('the plan is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it.each([
    ['letters', 2_000, 'Template number'],
    ['three-byte characters', 100, '椅子の写真'.repeat(20)],
  ])(
    'a plan that is too large for a workflow history, counted in bytes, is refused: %s',
    (_, length, name) => {
      const rules = Array.from(
        { length },
        (_rule, at) => `{ glob: "folder-${at}/**", template: "${name} ${at}" }`,
      );
      const node = `{ id: l, type: template_match, parentIds: [take], config: { rules: [${rules.join(', ')}] } }`;
      const { plan: none, problems } = compile(withNodes(node), {});
      expect(none).toBeNull();
      expect(problems.find(({ severity }) => severity === 'error')).toMatchObject({
        code: 'RL105',
        line: 1,
        col: 1,
      });
    },
  );

  it('no plan is created for a file that is only validated', () => {
    expect(compile(whole)).toMatchObject({ ok: true, plan: null });
  });
});

describe('parameters', () => {
  const text = `parameters:
  size: { type: integer, min: 1, max: 50, default: 20 }
  kind: { type: enum, values: [a, b], default: a }
  fast: { type: boolean, default: true }
${withNodes()}
batchSize: \${{ params.size }}
key: 'params.kind + (params.fast ? asset.name : asset.path)'
`;

  it('parameters are converted to their type from the text of a command line', () => {
    const made = planOf(text, { size: '30', fast: 'false', kind: 'b' });
    expect(made.parameters).toEqual({ size: 30, fast: false, kind: 'b' });
    expect(made.steps[0]?.batch).toBe(30);
  });

  it.each([
    [{ size: '51' }, 'RL311'],
    [{ size: '1.5' }, 'RL311'],
    [{ size: 'many' }, 'RL311'],
    [{ kind: 'c' }, 'RL311'],
    [{ fast: 'yes' }, 'RL311'],
    [{ sise: '1' }, 'RL310'],
  ])('the parameters %j are refused with %s', (given, code) => {
    const { plan: none, problems } = compile(text, given);
    expect(none).toBeNull();
    expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([{ code }]);
  });

  it('required parameters are reported with their names', () => {
    const { problems } = compile(whole, {});
    expect(problems[0]).toMatchObject({
      code: 'RL309',
      line: 5,
      col: 3,
      hint: 'Add --param folder=FOLDER.',
    });
  });

  it('parameters that do not fit where they are used are refused before they have values', () => {
    const wrong = text.replace('type: integer, min: 1, max: 50, default: 20', 'type: string');
    const { problems } = compile(wrong);
    expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'RL305', line: 12, col: 12 },
    ]);
  });
});

describe('limits', () => {
  it.each([
    ['on assets in flight are in the plan only', '{ inFlight: 500 }', {}],
    ['on renders are returned separately', '{ inFlight: 500, renders: 20 }', { renders: 20 }],
  ])('limits %s', (_what, limits, caps) => {
    const made = compile(`${whole}limits: ${limits}\n`, { folder: 'in' });
    expect([made.plan?.inFlight, made.limits]).toEqual([500, caps]);
  });
});
