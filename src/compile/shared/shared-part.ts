// Defines what a shared part may contain: named items, some fields of the file, and defaults for nodes by type.
// Also determines which named items a pipeline uses.
import { z } from 'zod';
import { anyJson } from '../../api/contract/schemas.ts';
import { findNodeType } from '../../features/index.ts';
import type { Json } from '../../plan/types.ts';
import { toFields } from '../node-draft.ts';
import {
  createPipelineFields,
  Pipeline,
  PipelineNode,
  parameterName,
  sharedFileName,
} from '../pipeline.ts';
import { findAnnotatedTexts, jsonSchemaOf } from '../yaml/annotations.ts';

/**
 * Mappings whose entries merge by name. A pipeline takes all operations, but only those other entries that it uses, so
 * the rest can change without effect. The order matters: `data` may use connectors, and any mapping may use parameters.
 */
export const namedMaps: readonly { field: string; usedIn: UsedIn }[] = [
  { field: 'operations', usedIn: () => () => true },
  { field: 'data', usedIn: createTableTest },
  { field: 'channels', usedIn: (fields) => createReferenceTest(fields, 'channel') },
  { field: 'connectors', usedIn: (fields) => createReferenceTest(fields, 'connector') },
  { field: 'parameters', usedIn: createParameterTest },
];
type UsedIn = (fields: Readonly<Record<string, Json>>) => (name: string) => boolean;

/** Fields that a pipeline takes over as a whole, unless it has them itself. */
export const wholeFields = ['deadline', 'limits', 'notify', 'tolerate'] as const;

/** Fields of a node that may have a default, in addition to those of its `config`. */
export const nodeFields = ['redo', 'retry', 'timeout'] as const;

const NodeDefaults = PipelineNode.pick({ redo: true, retry: true, timeout: true })
  .extend({ config: z.record(z.string(), anyJson).optional().describe('Fields of the node type.') })
  .describe('Defaults for the fields of all nodes of this type.');

const { channels, connectors, data, deadline, limits, notify, operations, parameters, tolerate } =
  Pipeline.shape;

export const SharedPart = z.strictObject({
  description: z.string().optional().describe('For people.'),
  parameters,
  connectors,
  operations,
  data,
  channels,
  limits: limits.unwrap().optional(),
  notify: notify.unwrap().optional(),
  deadline,
  tolerate,
  defaults: z
    .record(z.string(), NodeDefaults)
    .optional()
    .describe('Defaults for the nodes of the pipelines, by node type.'),
});

/** Creates the fields of a shared part, using the connector types that this process has loaded so far. */
export function createSharedFields() {
  return SharedPart.extend({ connectors: createPipelineFields().shape.connectors });
}

/** True for the name of a file that contains a shared part. */
export function isSharedFile(file: string): boolean {
  return sharedFileName.test(file);
}

type Fields = Readonly<Record<string, Json>>;

/** Returns a test of whether a field with this annotation has this name. Always true if a parameter sets the name. */
function createReferenceTest(fields: Fields, reference: string): (name: string) => boolean {
  const names = new Set<string>();
  for (const text of textsOf(fields)) {
    if (text.reference === reference) names.add(text.value);
  }
  const isAny = [...names].some((name) => name.includes('${{'));
  return (name) => isAny || names.has(name);
}

function* textsOf(fields: Fields) {
  yield* findAnnotatedTexts(jsonSchemaOf(Pipeline), { ...fields });
  const { nodes } = fields;
  for (const node of Array.isArray(nodes) ? nodes : []) {
    const { type, config = {} } = toFields(node) ?? {};
    const nodeType = typeof type === 'string' ? findNodeType(type) : undefined;
    if (nodeType !== undefined) yield* findAnnotatedTexts(jsonSchemaOf(nodeType.config), config);
  }
}

/** Returns a test of whether the table is used, or any text reads a row, whose columns may be from any table. */
function createTableTest({ data: _own, ...fields }: Fields): (name: string) => boolean {
  const readsRow = /\brow\s*[.[]/.test(JSON.stringify(fields));
  const isNamed = createReferenceTest(fields, 'table');
  return (name) => readsRow || isNamed(name);
}

/** Returns a test of whether any text reads this parameter, or whether a schedule sets its value. */
function createParameterTest({ parameters: _own, ...fields }: Fields): (name: string) => boolean {
  const text = JSON.stringify(fields);
  const { schedule } = fields;
  const schedules = Array.isArray(schedule) ? schedule : [schedule];
  const givenNames = schedules.flatMap((entry) =>
    Object.keys(toFields(toFields(entry)?.['parameters']) ?? {}),
  );
  return (name) =>
    // An invalid name is included, so that it is reported.
    !parameterName.test(name) ||
    givenNames.includes(name) ||
    new RegExp(`\\bparams\\W{1,4}${name}\\b`).test(text);
}
