// Reads the nodes of a file as far as possible, so that one invalid field does not hide other problems.

import type { Dimension } from '../engine/grid/dimension.ts';
import type { NodeType, Resource } from '../engine/node-type.ts';
import { findNodeType, nodeTypes } from '../features/index.ts';
import { parseDurationMs } from '../language/duration.ts';
import { formatSuggestion } from '../language/format-suggestion.ts';
import type { Json } from '../plan/types.ts';
import type { LocatedDocument, Path } from './yaml/document.ts';
import { formatPath, parseShape } from './yaml/shape.ts';

export interface NodeDraft {
  path: Path;
  /** Id of the node. Empty if it is missing. */
  id: string;
  typeName: string;
  type: NodeType | null;
  enabled: boolean;
  /** Parents as listed in the file, including ids that no node has. */
  parentIds: string[];
  when: string | null;
  timeoutMs: number | null;
  retryMax: number | null;
  /** Maximum age of what the node has created. Null for no limit. */
  olderThanMs: number | null;
  /** The config as written in the file, with parameters filled in. */
  rawConfig: Json;
  /** The config with defaults. Null if it does not match the type, or if the type is unknown. */
  config: Json | null;
}

export interface DraftScope {
  document: LocatedDocument;
  pendingParameter(path: Path): string | null;
}

interface NodeScope extends DraftScope {
  /** Channels of the file and of the settings, by name. */
  channels: Readonly<Record<string, Json>>;
}

/** Reads `nodes:`. Reports unknown types and invalid configs. */
export function readNodes(nodes: Json | undefined, scope: NodeScope): NodeDraft[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node, index) => {
    const fields = toFields(node);
    return fields === null ? [] : [readNode(fields, ['nodes', index], scope)];
  });
}

function readNode(fields: Record<string, Json>, path: Path, scope: NodeScope): NodeDraft {
  const typeName = textOf(fields['type']) ?? '';
  const enabled = fields['enabled'] !== false;
  const type = findNodeType(typeName) ?? null;
  if (type === null && typeName !== '') reportType(typeName, path, scope);
  const rawConfig = fields['config'] ?? {};
  const timeout = textOf(fields['timeout']);
  const retryMax = toFields(fields['retry'])?.['max'];
  const olderThan = textOf(toFields(fields['redo'])?.['olderThan'] ?? null);
  return {
    path,
    id: textOf(fields['id']) ?? '',
    typeName,
    type,
    enabled,
    parentIds: Array.isArray(fields['parentIds'])
      ? fields['parentIds'].filter((id) => typeof id === 'string')
      : [],
    when: textOf(fields['when']),
    timeoutMs: timeout === null ? null : parseDurationMs(timeout),
    retryMax: typeof retryMax === 'number' ? retryMax : null,
    olderThanMs: olderThan === null ? null : parseDurationMs(olderThan),
    rawConfig,
    config: type === null ? null : readConfig(type, rawConfig, [...path, 'config'], scope),
  };
}

function reportType(name: string, path: Path, scope: DraftScope): void {
  // A parameter in place of the type is skipped, because it has already been refused.
  if (scope.pendingParameter([...path, 'type']) !== null) return;
  const typeNames = nodeTypes.map(({ type }) => type);
  const hint = formatSuggestion(name, typeNames);
  scope.document.error('RL301', [...path, 'type'], `the node type "${name}" does not exist`, hint);
}

function readConfig(type: NodeType, raw: Json, configPath: Path, scope: NodeScope): Json | null {
  const fields = toFields(raw);
  // A config that is not a mapping is skipped, because it is reported with the other fields of the node.
  if (fields === null) return null;
  const unchanged = { config: fields, problems: [] };
  const { config, problems } = type.complete?.(fields, scope.channels) ?? unchanged;
  for (const { path, message, fix } of problems) {
    const problemPath = [...configPath, ...path];
    scope.document.error('RL204', problemPath, `${formatPath(problemPath)} ${message}`, fix);
  }
  return parseShape(type.config, config, { ...scope, basePath: configPath }) as Json | null;
}

/** Returns the resources that a node needs from the nodes before it, as far as its config shows. */
export function needsOf({ type, config }: NodeDraft): readonly Resource[] {
  if (type === null) return [];
  if (type.needsFor === undefined) return type.needs;
  return config === null ? [] : type.needsFor(config);
}

/** Returns the dimensions of a node, outermost first. Empty if the config is invalid. */
export function dimensionsOf({ type, config }: NodeDraft): { dimension: Dimension; spec: Json }[] {
  const { dimensions = [] } = type ?? {};
  if (config === null) return [];
  return dimensions.flatMap(({ dimension, specOf }) => {
    const spec = specOf(config);
    return spec === null ? [] : [{ dimension, spec: JSON.parse(JSON.stringify(spec)) as Json }];
  });
}

/** Returns the kinds of files that a node delivers per model. */
export function modelFilesOf({ type, config }: NodeDraft): readonly string[] {
  return config === null ? [] : (type?.modelFiles?.(config) ?? []);
}

/** Finds the table whose rows are the assets, and the heading of its file column. Null if there is none. */
export function findSourceTable({ type, config }: NodeDraft) {
  return config === null ? null : (type?.root?.listedBy?.(config) ?? null);
}

/** True for nodes that write files to a connector at the end of the pipeline. */
export function isExportNode({ type }: NodeDraft): boolean {
  return type?.delivers === true;
}

/** True for nodes that only describe what other nodes create, such as `set_properties`. */
export function isDescriptiveNode({ type }: NodeDraft): boolean {
  return type?.describes === true;
}

export function findConnector({ config }: NodeDraft): string | null {
  const name = toFields(config ?? undefined)?.['connector'];
  return typeof name === 'string' ? name : null;
}

export function toFields(value: Json | undefined): Record<string, Json> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
