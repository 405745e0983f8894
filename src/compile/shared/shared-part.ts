// What a shared part may contain: named things, some fields of the file, and defaults for nodes by their type.
import { z } from 'zod';
import { anyJson } from '../../api/contract/schemas.ts';
import type { Json } from '../../plan/types.ts';
import { Pipeline, PipelineNode, pipelineFields, sharedFileName } from '../pipeline.ts';
import { usesParameter, usesReference, usesTable } from './used-names.ts';

/**
 * Mappings whose entries merge by name. A pipeline takes all operations, but only those other entries that it uses: the
 * rest can change without effect. The order matters: `data` may use connectors, and any mapping may use parameters.
 */
export const namedMaps: readonly { field: string; usedIn: UsedIn }[] = [
  { field: 'operations', usedIn: () => () => true },
  { field: 'data', usedIn: usesTable },
  { field: 'channels', usedIn: (fields) => usesReference(fields, 'channel') },
  { field: 'connectors', usedIn: (fields) => usesReference(fields, 'connector') },
  { field: 'parameters', usedIn: usesParameter },
];
type UsedIn = (fields: Readonly<Record<string, Json>>) => (name: string) => boolean;

/** Fields that a pipeline takes as a whole, unless it has them itself. */
export const wholeFields = ['deadline', 'limits', 'notify', 'tolerate'] as const;

/** Fields of a node that may have a default, besides those of its `config`. */
export const nodeFields = ['redo', 'retry', 'timeout'] as const;

const NodeDefaults = PipelineNode.pick({ redo: true, retry: true, timeout: true })
  .extend({ config: z.record(z.string(), anyJson).optional().describe('Fields of the node type.') })
  .describe('Fields for all nodes of this type that do not have them.');

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

/** The fields of a shared part, with the connector types that this process has loaded so far. */
export function sharedPartFields() {
  return SharedPart.extend({ connectors: pipelineFields().shape.connectors });
}

/** True for the name of a file that holds a shared part. */
export function isSharedFile(file: string): boolean {
  return sharedFileName.test(file);
}
