// Converts a pipeline file to the form of the platform's own pipelines, and lists what cannot be converted.
import { pipelineNodeTypes } from '../api/operations/pipelines.ts';
import type { Json } from '../plan/types.ts';
import type { Pipeline } from './pipeline.ts';

type PlatformNodeType = (typeof pipelineNodeTypes)[number];

interface PlatformNode {
  /** The id in the file. The platform assigns an id of its own. */
  id: string;
  type: PlatformNodeType;
  enabled: boolean;
  config: Record<string, Json>;
  parentIds: string[];
}

export interface PlatformShape {
  name: string;
  batchSize: number;
  maxRetries: number;
  nodes: PlatformNode[];
  /** Connectors that nodes refer to. The platform must have connectors with the same names. */
  connectors: string[];
}

export interface PlatformConversion {
  shape: PlatformShape;
  /** Fields that the platform does not support, such as `nodes[2].when`. They stay in the file. */
  unmapped: string[];
  /** Nodes of types that the platform does not support, such as `library (library_import)`. They are not in `shape`. */
  foreign: string[];
}

const mappedFields: readonly (keyof Pipeline)[] = ['name', 'batchSize', 'maxRetries', 'nodes'];

/** Converts a checked file, with its parameter values filled in. */
export function fitToPlatform(pipeline: Pipeline): PlatformConversion {
  const unmapped = Object.entries(pipeline)
    .filter(
      ([name, value]) => !mappedFields.includes(name as keyof Pipeline) && isNonEmptyValue(value),
    )
    .map(([name]) => name);
  const foreign: string[] = [];
  const nodes: PlatformNode[] = [];
  for (const [index, node] of pipeline.nodes.entries()) {
    const type = pipelineNodeTypes.find((candidate) => candidate === node.type);
    if (type === undefined) {
      foreign.push(`${node.id} (${node.type})`);
      continue;
    }
    for (const name of ['when', 'timeout', 'retry', 'redo'] as const) {
      if (node[name] !== undefined) unmapped.push(`nodes[${index}].${name}`);
    }
    const { id, enabled, config, parentIds } = node;
    nodes.push({ id, type, enabled, config, parentIds });
  }
  const { name, batchSize, maxRetries } = pipeline;
  const names = pipeline.nodes.map(({ config }) => config['connector']);
  const connectors = [...new Set(names.filter((connector) => typeof connector === 'string'))];
  return { shape: { name, batchSize, maxRetries, nodes, connectors }, unmapped, foreign };
}

function isNonEmptyValue(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0);
}
