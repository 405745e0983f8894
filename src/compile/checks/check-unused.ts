// Finds declarations that are never used, and pipelines that do not specify where asset records are stored.
import type { Json } from '../../plan/types.ts';
import type { NodeGraph } from '../graph/node-graph.ts';
import { isExportNode } from '../node-draft.ts';
import type { Parameters } from '../yaml/parameters.ts';
import type { AnnotationScope } from './check-annotations.ts';

interface UnusedScope extends Omit<AnnotationScope, 'knownResources'> {
  parameters: Parameters;
  graph: NodeGraph;
  fields: Readonly<Record<string, Json>>;
}

/** Reports unused names, and reports and records without a location. The checks of all texts must run first. */
export function checkUnused(scope: UnusedScope): void {
  const { document, parameters, usage, connectors, filled } = scope;
  const { findings } = document;
  // A reference whose name is known only when a run starts may refer to any connector.
  const hasPending = [...filled.texts.values()].some((text) => text.pending);
  for (const name of connectors) {
    // A misspelled reference elsewhere was probably meant to refer to this connector.
    if (usage.connectors.has(name) || hasPending || findings.has('RL303')) continue;
    document.warningAtKey('RL307', ['connectors', name], `the connector "${name}" is never used`);
  }
  for (const name of parameters.names) {
    if (usage.parameters.has(name) || findings.has('RL304')) continue;
    document.warningAtKey('RL307', ['parameters', name], `the parameter "${name}" is never used`);
  }
  checkLocations(scope);
}

/** Checks where records and reports are stored in a pipeline without an export. */
function checkLocations({ document, graph, fields }: UnusedScope): void {
  // A node of an unknown type counts as an export, because it may deliver files.
  const mayExport = graph.nodes.some((node) => node.type === null || isExportNode(node));
  if (mayExport || graph.nodes.length === 0) return;
  if (fields['records'] === undefined) {
    const message = 'without an export node the file must say where asset records are stored';
    const hint = 'Add `records:` with the name of a connector.';
    document.errorAtKey('RL409', ['nodes'], message, hint);
  }
  if (fields['report'] !== undefined) {
    const message =
      '`report` is a folder on the connector of an export, but the pipeline has no export';
    document.errorAtKey('RL416', ['report'], message, 'Add an export node.');
  }
}
