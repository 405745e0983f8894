// JSON Schemas for pipeline and test files, generated from the zod schemas. Editors use them for completion and checks.

import type { z } from 'zod';
import { type ConnectorType, schemaOf } from '../connectors/connector-type.ts';
import { connectorTypes } from '../connectors/index.ts';
import type { NodeType } from '../engine/node-type.ts';
import { nodeTypes } from '../features/index.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { Pipeline, parameterName } from './pipeline.ts';
import { SharedPart } from './shared/shared-part.ts';
import { TestFile } from './test-file/test-file.ts';
import { type AnnotatedSchema, jsonSchemaOf } from './yaml/annotations.ts';

/** Text that contains a parameter. It is allowed wherever a value is. */
const interpolatedText: AnnotatedSchema = { type: 'string', pattern: '\\$\\{\\{.*\\}\\}' };

const literalFields = new Set([
  'name',
  'include',
  'id',
  'type',
  'parentIds',
  'parameters',
  'schedule',
  'start',
]);

/** Creates the schema of a pipeline file, draft-07. It accepts every file that `validate` accepts. */
export function createPipelineSchema(): AnnotatedSchema {
  const { properties = {}, required = [] } = jsonSchemaOf(Pipeline);
  const fields = allowInterpolation(cleanSchema({ properties })).properties ?? {};
  const { nodes, ...others } = fields;
  return createFileSchema(
    others,
    { nodes: { ...nodes, items: createNodeSchema(nodes?.items ?? {}) } },
    {
      required: required.filter((name) => properties[name]?.default === undefined),
      if: { required: ['include'] },
      else: { properties: { nodes: { items: { allOf: nodeTypes.flatMap(ownFieldRules) } } } },
    },
  );
}

function createFileSchema(
  { parameters, connectors, ...others }: Record<string, AnnotatedSchema>,
  extraFields: Record<string, AnnotatedSchema>,
  { required, ...rules }: AnnotatedSchema = {},
): AnnotatedSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      ...others,
      parameters: { ...parameters, propertyNames: { pattern: parameterName.source } },
      connectors: { ...connectors, additionalProperties: createConnectorSchema() },
      ...extraFields,
    },
    ...omitUndefined({ required }),
    additionalProperties: false,
    ...rules,
    definitions: { interpolated: interpolatedText },
  };
}

/** Creates the schema of a shared part, draft-07. */
export function createSharedSchema(): AnnotatedSchema {
  const { properties: partProperties = {} } = jsonSchemaOf(SharedPart);
  const fields = allowInterpolation(cleanSchema({ properties: partProperties })).properties ?? {};
  const { defaults, ...others } = fields;
  const { additionalProperties, ...defaultsSchema } = defaults ?? {};
  const nodeSchema = typeof additionalProperties === 'object' ? additionalProperties : {};
  const byType = nodeTypes.map((type): [string, AnnotatedSchema] => {
    // A default sets only some fields of the config, so no field is required.
    const { required: _required, ...config } = configSchemaOf(type);
    const node = { ...nodeSchema, properties: { ...nodeSchema.properties, config } };
    return [type.type, { ...node, description: type.summary }];
  });
  const properties = Object.fromEntries(byType);
  return createFileSchema(others, {
    defaults: { ...defaultsSchema, properties, additionalProperties: false },
  });
}

/** Formats the schema as the text of a file for editors. */
export function formatSchema(schema: AnnotatedSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function createConnectorSchema(): AnnotatedSchema {
  const typeLines = connectorTypes.map(({ type, summary }) => `- ${type}: ${summary}`);
  return {
    description:
      'Where files are read from or written to; docs/connectors.md lists the fields of each type.',
    type: 'object',
    properties: {
      type: {
        enum: connectorTypes.map(({ type }) => type),
        description: ['Type of the connector.', ...typeLines].join('\n'),
      },
    },
    required: ['type'],
    allOf: connectorTypes.map((type) => createTypeRule(type.type, connectorFieldsOf(type))),
  };
}

export function connectorFieldsOf(type: ConnectorType): AnnotatedSchema {
  return toFieldsSchema(schemaOf(type));
}

export function configSchemaOf(type: NodeType): AnnotatedSchema {
  return toFieldsSchema(type.config);
}

function toFieldsSchema(fields: z.ZodType): AnnotatedSchema {
  const { $schema: _draft, ...schema } = jsonSchemaOf(fields);
  return allowInterpolation(cleanSchema(schema));
}

function createNodeSchema(node: AnnotatedSchema): AnnotatedSchema {
  const typeLines = nodeTypes.map(({ type, summary }) => `- ${type}: ${summary}`);
  return {
    ...node,
    properties: {
      ...node.properties,
      type: {
        enum: nodeTypes.map(({ type }) => type),
        description: ['Type of the node.', ...typeLines].join('\n'),
      },
      config: { type: 'object', description: 'Fields of the node type.' },
    },
    allOf: nodeTypes.map((type) => createTypeRule(type.type, nodeTypeRulesOf(type))),
  };
}

function nodeTypeRulesOf(type: NodeType): AnnotatedSchema {
  const { required: _required, ...config } = configSchemaOf(type);
  const needsParents = type.root === undefined;
  return {
    description: type.summary,
    properties: { config, ...(needsParents ? parentsRule.properties : {}) },
    ...(needsParents ? { required: ['parentIds'] } : {}),
  };
}

const parentsRule: AnnotatedSchema = {
  properties: { parentIds: { minItems: 1 } },
  required: ['parentIds'],
};

/** Returns rules for the `config` fields that a node in a file without `include` must set itself. */
function ownFieldRules(type: NodeType): AnnotatedSchema[] {
  const { required = [] } = configSchemaOf(type);
  const requireFields = (fields: string[]): AnnotatedSchema => ({
    properties: { config: { required: fields } },
    required: ['config'],
  });
  const roots = (type.root?.by ?? []).map((field) => requireFields([field]));
  const rules = {
    ...(required.length > 0 ? requireFields(required) : {}),
    ...(roots.length > 0 ? { anyOf: [parentsRule, ...roots] } : {}),
  };
  return Object.keys(rules).length > 0 ? [createTypeRule(type.type, rules)] : [];
}

function createTypeRule(type: string, rules: AnnotatedSchema): AnnotatedSchema {
  return {
    // `enum` is not used, because while a person types, editors would match `render` for `render_complete`.
    if: { properties: { type: { type: 'string', pattern: `^${type}$` } }, required: ['type'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: rules,
  };
}

/** Removes our own annotations, and the bounds that zod adds to every integer. */
function cleanSchema(schema: AnnotatedSchema): AnnotatedSchema {
  const { reference: _reference, language: _language, ...rest } = schema;
  if (rest['minimum'] === Number.MIN_SAFE_INTEGER) delete rest['minimum'];
  if (rest['maximum'] === Number.MAX_SAFE_INTEGER) delete rest['maximum'];
  return mapSubschemas(rest, (_name, child) => cleanSchema(child));
}

/** Allows `${{ params.NAME }}` in place of numbers, booleans and restricted strings. */
function allowInterpolation(schema: AnnotatedSchema): AnnotatedSchema {
  const inner = mapSubschemas(schema, (name, child) =>
    literalFields.has(name) ? child : allowInterpolation(child),
  );
  if (!isRestrictedScalar(inner)) return inner;
  const { description, default: preset, ...shape } = inner;
  return {
    ...omitUndefined({ description, default: preset }),
    anyOf: [shape, { $ref: '#/definitions/interpolated' }],
  };
}

function isRestrictedScalar({ type, ...rest }: AnnotatedSchema): boolean {
  if (type === 'string') return ['pattern', 'format', 'enum'].some((name) => name in rest);
  return type === 'integer' || type === 'number' || type === 'boolean';
}

/** Applies a change to the direct subschemas of a schema. `name` is empty if the subschema is not a field. */
function mapSubschemas(
  schema: AnnotatedSchema,
  change: (name: string, child: AnnotatedSchema) => AnnotatedSchema,
): AnnotatedSchema {
  const result: AnnotatedSchema = { ...schema };
  const { properties, items, additionalProperties, anyOf } = schema;
  if (properties !== undefined) {
    const entries = Object.entries(properties);
    result.properties = Object.fromEntries(
      entries.map(([name, child]) => [name, change(name, child)]),
    );
  }
  if (items !== undefined) result.items = change('', items);
  if (typeof additionalProperties === 'object') {
    result.additionalProperties = change('', additionalProperties);
  }
  if (anyOf !== undefined) result.anyOf = anyOf.map((branch) => change('', branch));
  return result;
}

/** Creates the schema of a test file, draft-07. It accepts every file that `test` accepts. */
export function testSchema(): AnnotatedSchema {
  const { $schema: _draft, ...schema } = cleanSchema(jsonSchemaOf(TestFile));
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
}
