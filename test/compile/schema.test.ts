// The schema accepts and refuses the same files as `validate`.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Pipeline } from '../../src/compile/pipeline.ts';
import {
  configSchemaOf,
  createPipelineSchema,
  createSharedSchema,
} from '../../src/compile/schema.ts';
import { formatStarterPipeline, purposes } from '../../src/compile/starters/index.ts';
import { type AnnotatedSchema, jsonSchemaOf } from '../../src/compile/yaml/annotations.ts';
import { schemaOf } from '../../src/connectors/connector-type.ts';
import { connectorTypes } from '../../src/connectors/index.ts';
import { nodeTypes } from '../../src/features/index.ts';
import { compile } from './_compile.ts';
import { violations } from './_violations.ts';

const schema = createPipelineSchema();
const folder = fileURLToPath(new URL('../../pipelines/', import.meta.url));
const shipped = readdirSync(folder).filter((name) => /^[\w-]+\.yaml$/.test(name));

const facts = { models: 'models', folders: ['shoes'], timezone: 'Europe/Berlin' };
const good: [name: string, text: string][] = [
  ...shipped.map((name): [string, string] => [name, readFileSync(folder + name, 'utf8')]),
  ...purposes.map((purpose): [string, string] => [
    `starter for ${purpose}`,
    formatStarterPipeline(purpose, facts),
  ]),
  ...nodeTypes.map(({ type, example }): [string, string] => [`example of ${type}`, example]),
];

/** A pipeline with one node after take. The node is `nodes[1]`. */
function file(node: string, ...top: string[]): string {
  return [
    'name: test',
    'parameters: { n: { type: integer, default: 1 }, on: { type: boolean, default: true } }',
    'connectors: { here: { type: local, path: . } }',
    'records: here',
    ...top,
    'nodes:',
    '  - { id: take, type: connector_poll, config: { connector: here } }',
    `  - ${node}`,
  ].join('\n');
}

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';

it('there are example files to check', () => {
  expect(shipped).toContain('catalog.yaml');
  expect(good.length).toBeGreaterThan(nodeTypes.length + 1);
});

describe('files that the schema accepts', () => {
  it.each(good)('the schema accepts %s', (_, text) => {
    expect(violations(schema, parse(text))).toEqual([]);
  });

  it.each([
    ['a parameter for a whole number', 'retry: { max: "${{ params.n }}" }'],
    ['a parameter for a boolean', 'enabled: "${{ params.on }}"'],
    ['a parameter inside a duration', 'timeout: "${{ params.n }}m"'],
    ['the largest number of retries', 'retry: { max: 10 }'],
    ['a disabled node', 'enabled: false'],
  ])('the schema accepts a node with %s', (_, field) => {
    const text = file(`{ id: ready, type: model_ready, parentIds: [take], ${field} }`);
    expect(violations(schema, parse(text))).toEqual([]);
    expect(compile(text).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each(['{ every: 1h }', '[{ name: a, every: 1h }, { name: b, cron: "0 2 * * *" }]'])(
    'the schema accepts the schedule: %s',
    (schedule) => {
      const text = file(ready, `schedule: ${schedule}`);
      expect(violations(schema, parse(text))).toEqual([]);
      expect(compile(text).ok).toBe(true);
    },
  );

  it('the schema accepts settings that are not in the reference, since the platform may accept them', () => {
    const text = file(
      '{ id: shots, type: render, parentIds: [take], config: { settings: { newOne: 1 } } }',
    );
    expect(violations(schema, parse(text))).toEqual([]);
  });
});
const broken: [name: string, text: string, expected: string[]][] = [
  ['no name', file(ready).replace('name: test\n', ''), ['name: required']],
  ['no nodes', 'name: test', ['nodes: required']],
  ['an empty list of nodes', 'name: test\nnodes: []', ['nodes: minItems']],
  ['an unknown field', file(ready, 'batchsize: 5'), ['batchsize: additionalProperties']],
  ['a batch that is too large', file(ready, 'batchSize: 101'), ['batchSize: anyOf']],
  ['a batch size that is not whole', file(ready, 'batchSize: 1.5'), ['batchSize: anyOf']],
  ['a name with a slash', file(ready).replace('test', 'a/b'), ['name: pattern']],
  [
    'an unknown connector type',
    file(ready).replace('type: local', 'type: locale'),
    ['connectors.here.type: enum'],
  ],
  [
    'a connector without a path',
    file(ready).replace(', path: .', ''),
    ['connectors.here.path: required'],
  ],
  [
    'a bucket with a path',
    file(ready).replace('type: local,', 'type: s3, bucket: acme,'),
    ['connectors.here.path: additionalProperties'],
  ],
  [
    'a parameter with a hyphen',
    file(ready).replace('{ n:', '{ a-b: { type: string, required: false }, n:'),
    ['parameters.a-b: pattern'],
  ],
  [
    'a parameter of an unknown type',
    file(ready).replace('type: integer', 'type: int'),
    ['parameters.n.type: enum'],
  ],
  [
    'one of several schedules without a name',
    file(ready, 'schedule: [{ every: 1h }]'),
    ['schedule: anyOf'],
  ],
  ['a size without a unit', file(ready, 'limits: { storage: "20" }'), ['limits.storage: anyOf']],
  [
    'an unknown node type',
    file('{ id: x, type: renderr, parentIds: [take] }'),
    ['nodes[1].type: enum'],
  ],
  [
    'a node without an id',
    file('{ type: model_ready, parentIds: [take] }'),
    ['nodes[1].id: required'],
  ],
  [
    'an id with a space',
    file('{ id: a b, type: model_ready, parentIds: [take] }'),
    ['nodes[1].id: pattern'],
  ],
  ['a node that needs parents', file('{ id: x, type: render_complete }'), ['nodes[1]: anyOf']],
  [
    'a node with neither parents nor a selection',
    file('{ id: x, type: model_ready, parentIds: [] }'),
    ['nodes[1]: anyOf'],
  ],
  [
    'a config that lacks a field',
    file('{ id: x, type: export, parentIds: [take], config: {} }'),
    ['nodes[1].config.connector: required'],
  ],
  [
    'no config where one is required',
    file('{ id: x, type: export, parentIds: [take] }'),
    ['nodes[1].config: required'],
  ],
  [
    'a field of another node type',
    file('{ id: x, type: model_ready, parentIds: [take], config: { connector: here } }'),
    ['nodes[1].config.connector: additionalProperties'],
  ],
  [
    'a setting of the wrong type',
    file('{ id: x, type: render, parentIds: [take], config: { settings: { imageQuality: 3 } } }'),
    ['nodes[1].config.settings.imageQuality: anyOf'],
  ],
  [
    'a rule without a template',
    file('{ id: x, type: template_match, parentIds: [take], config: { rules: [{ glob: a }] } }'),
    ['nodes[1].config.rules[0].template: required'],
  ],
  [
    'a timeout without a unit',
    file('{ id: x, type: model_ready, parentIds: [take], timeout: "30" }'),
    ['nodes[1].timeout: anyOf'],
  ],
  [
    'an unknown choice',
    file('{ id: x, type: variant, parentIds: [take], config: { choose: some } }'),
    ['nodes[1].config.choose: anyOf'],
  ],
];

describe('the schema with shared parts', () => {
  it.each([
    ['an incomplete config', 'config: {}'],
    ['a missing config', 'timeout: 1h'],
  ])('the schema accepts %s, since its fields may have defaults', (_, field) => {
    const text = file(
      `{ id: x, type: export, parentIds: [take], ${field} }`,
      'include: [a.shared.yaml]',
    );
    expect(violations(schema, parse(text))).toEqual([]);
  });

  it.each([
    ['another file', 'include: a.yaml'],
    ['an address', 'include: "https://example.com/a.shared.yaml"'],
    ['an empty list', 'include: []'],
  ])('the schema refuses %s', (_, line) => {
    const text = file(ready, line);
    expect(violations(schema, parse(text))).toEqual(['include: anyOf']);
    expect(compile(text).ok).toBe(false);
  });

  it.each<[what: string, text: string, expected: string[]]>([
    [
      'a part of a config',
      'defaults: { export: { timeout: 1h, config: { naming: "{{ key }}" } } }',
      [],
    ],
    ['a parameter', 'defaults: { render: { timeout: "${{ params.t }}" } }', []],
    ['another node type', 'defaults: { rendr: {} }', ['defaults.rendr: additionalProperties']],
    [
      'a field of another node type',
      'defaults: { gate: { config: { naming: a } } }',
      ['defaults.gate.config.naming: additionalProperties'],
    ],
    [
      'a field that no default may have',
      'defaults: { gate: { id: a } }',
      ['defaults.gate.id: additionalProperties'],
    ],
    [
      'a bucket without its name',
      'connectors: { a: { type: s3 } }',
      ['connectors.a.bucket: required'],
    ],
    ['nodes', 'nodes: []', ['nodes: additionalProperties']],
  ])('the schema checks a part with %s', (_, text, expected) => {
    expect(violations(createSharedSchema(), parse(text))).toEqual(expected);
  });
});

describe('files that the schema refuses', () => {
  it.each(broken)('the schema refuses %s, as validate does', (_, text, expected) => {
    expect(violations(schema, parse(text))).toEqual(expected);
    expect(compile(text).ok).toBe(false);
  });
});

/** All descriptions in a schema, at any depth. */
function descriptionsIn(value: unknown): Set<string> {
  const found = new Set<string>();
  JSON.stringify(value, (name, inside: unknown) => {
    if (name === 'description' && typeof inside === 'string') found.add(inside);
    return inside;
  });
  return found;
}

describe('the schema for editors', () => {
  const fields = schema.properties ?? {};
  const node = fields['nodes']?.items ?? {};

  it('the schema is draft-07, which most editors read', () => {
    expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#');
  });

  it('the schema lists the node types with their descriptions', () => {
    const type = node.properties?.['type'];
    expect(type?.enum).toEqual(expect.arrayContaining(nodeTypes.map(({ type: name }) => name)));
    for (const { summary } of nodeTypes) expect(type?.description).toContain(summary);
  });

  it.each(nodeTypes.map((type) => [type.type, type] as const))(
    'the schema completes the config of %s',
    (name, type) => {
      const own = (node.allOf ?? []).filter(
        (rule) => violations(rule['if'] as AnnotatedSchema, { type: name }).length === 0,
      );
      expect(own).toHaveLength(1);
      const rules = (own[0]?.['then'] ?? {}) as AnnotatedSchema;
      const config = rules.properties?.['config'];
      // Whether a field is required depends on whether a shared part may contain its default.
      const { required: _required, ...fieldsOfType } = configSchemaOf(type);
      expect(config).toEqual(fieldsOfType);
      expect(config?.additionalProperties).toBe(false);
    },
  );

  it('the schema describes every field of a config', () => {
    for (const type of nodeTypes) {
      for (const [name, field] of Object.entries(configSchemaOf(type).properties ?? {})) {
        expect(field.description, `${type.type}.${name}`).toMatch(/\S/);
      }
    }
  });

  it('the schema contains every description of a field', () => {
    const said = [...descriptionsIn(schema)].join('\n');
    const configs = nodeTypes.map(({ config }) => jsonSchemaOf(config));
    // The general description of a connector is replaced by that of its type.
    const connectors = connectorTypes.map((type) => jsonSchemaOf(schemaOf(type)));
    const parts = [jsonSchemaOf(Pipeline.omit({ connectors: true })), ...connectors, ...configs];
    for (const text of parts.flatMap((part) => [...descriptionsIn(part)])) {
      expect(said).toContain(text);
    }
  });

  it('the schema describes every field of a file and of a node', () => {
    const [schedule] = fields['schedule']?.anyOf ?? [];
    const named = { ...fields, ...node.properties, ...schedule?.properties };
    for (const [name, field] of Object.entries(named)) {
      expect(field.description, name).toMatch(/\S/);
    }
  });

  it('the schema contains the defaults', () => {
    expect(fields['batchSize']?.default).toBe(50);
    expect(fields['maxRetries']?.default).toBe(2);
  });

  it('the schema contains no internal marks and no meaningless bounds', () => {
    const text = JSON.stringify(schema);
    expect(text).not.toMatch(/"(?:reference|language)":/);
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });
});
