// Runs every check of a pipeline file that is possible without a run, and collects all problems.

import { type ConnectorType, schemaOf } from '../../connectors/connector-type.ts';
import { findLoginProblem } from '../../connectors/login-address.ts';
import type { Resource } from '../../engine/node-type.ts';
import type { Json } from '../../plan/types.ts';
import { NodeGraph } from '../graph/node-graph.ts';
import { NodePaths } from '../graph/node-paths.ts';
import { type NodeDraft, readNodes, toFields } from '../node-draft.ts';
import { createPipelineFields, maxNodes, Pipeline } from '../pipeline.ts';
import { checkSchedules } from '../schedule/check-schedule.ts';
import type { ScheduleDeclaration } from '../schedule.ts';
import { jsonSchemaOf } from '../yaml/annotations.ts';
import { type LocatedDocument, type Path, pathKeyOf } from '../yaml/document.ts';
import { fillParameters } from '../yaml/fill-parameters.ts';
import type { FilledValue } from '../yaml/interpolation.ts';
import { type Parameters, readParameters } from '../yaml/parameters.ts';
import { parseShape } from '../yaml/shape.ts';
import { type AnnotationScope, asSentence, checkAnnotations } from './check-annotations.ts';
import { checkCompatibility } from './check-compatibility.ts';
import { checkConnectorAccess, checkHosts, typeOfConnector } from './check-connector-access.ts';
import { checkData, findColumnTypes } from './check-data.ts';
import { checkDuplicates } from './check-duplicates.ts';
import { checkApprovalTime, checkDeadline, checkNodeDurations } from './check-durations.ts';
import { checkManifests, readChannels } from './check-exports.ts';
import { checkGraph } from './check-graph.ts';
import { checkGrid } from './check-grid.ts';
import { checkNames } from './check-names.ts';
import { checkNeeds } from './check-needs.ts';
import { checkNodeOrder } from './check-node-order.ts';
import { checkOperations } from './check-operations.ts';
import { checkPropertyConditions } from './check-property-conditions.ts';
import { checkRenderQuota } from './check-render-quota.ts';
import { checkSupersede, checkWithdrawn } from './check-source-options.ts';
import { checkUnknownFields } from './check-unknown-fields.ts';
import { checkUnused } from './check-unused.ts';

export interface CheckedDocument {
  /** The fields of the file. Null if they are invalid. */
  pipeline: Pipeline | null;
  parameters: Parameters;
  filled: FilledValue;
  graph: NodeGraph;
  /** Empty if the file has no schedule, or if one is invalid. */
  schedules: ScheduleDeclaration[];
}

export interface CheckOptions {
  /** Values by parameter name. Null if the file is only checked. */
  givenValues: Readonly<Record<string, unknown>> | null;
  cwd: string;
  fileFolder: string;
  channels: Readonly<Record<string, unknown>>;
  /** What files may refer to, as configured by the operator in the environment of the process. */
  allowed: AnnotationScope['allowed'];
}

/** Finds every problem of a document. Returns null if the document is not a mapping or has too many nodes. */
export function checkDocument(
  document: LocatedDocument,
  options: CheckOptions,
): CheckedDocument | null {
  const raw = toFields(document.value);
  if (raw === null) {
    const message = 'a pipeline must be a mapping that begins with `name:`';
    document.error('RL203', [], message, 'Start from `renderline init`.');
    return null;
  }
  const parameters = readParameters(raw['parameters'], { ...options, document });
  const filled = fillParameters(raw, parameters, document);
  const pendingParameter = (path: Path) => {
    const text = filled.texts.get(pathKeyOf(path));
    if (text?.pending !== true) return null;
    const waits = (name: string) => parameters.byName.has(name) && !parameters.values.has(name);
    return text.parameters.find(waits) ?? '';
  };
  const shape = { document, pendingParameter };
  const fields = toFields(filled.value) ?? {};
  const pipeline = parseShape(createPipelineFields(), fields, { ...shape, basePath: [] });
  const schedules = checkSchedules(fields, { ...shape, parameters });
  checkOperations(fields['operations'], shape);

  const rawNodes = Array.isArray(fields['nodes']) ? fields['nodes'] : [];
  // Too many nodes are not checked, because the schema has already reported them.
  if (rawNodes.length > maxNodes) return null;
  const channels = readChannels(fields['channels'], options.channels, document);
  const drafts = readNodes(rawNodes, { ...shape, channels });
  const graph = new NodeGraph(drafts);
  const scope = { document, drafts, graph };
  checkGraph(scope);
  const paths = graph.order().length === graph.nodes.length ? new NodePaths(graph) : null;
  if (paths !== null) {
    const pathScope = { ...scope, paths };
    checkNeeds(pathScope);
    checkDuplicates(pathScope);
    const namedOperations = Object.keys(toFields(fields['operations']) ?? {});
    checkNodeOrder(pathScope, namedOperations);
    checkGrid(scope);
    checkNames({ ...pathScope, filled });
    checkCompatibility(pathScope);
    checkPropertyConditions(pathScope);
  }
  checkNodeDurations(scope);
  checkConnectorAccess(scope, fields);
  if (pipeline !== null) {
    checkApprovalTime(pipeline, document);
    checkDeadline(pipeline, document);
    checkRenderQuota(pipeline, scope, paths);
    checkHosts(pipeline, document);
    if (paths !== null) checkData(pipeline, scope);
  }

  // Invalid connectors are included, so that a reference to one of them is not reported as a second error.
  const connectors = new Set(Object.keys(toFields(raw['connectors']) ?? {}));
  const usage = {
    expressions: 0,
    connectors: new Set<string>(),
    parameters: new Set([...filled.texts.values()].flatMap((text) => text.parameters)),
  };
  const { celTypes } = parameters;
  const [root] = graph.roots();
  const from = root?.type?.root?.from ?? 'files';
  checkSupersede(fields, root, document);
  checkWithdrawn(drafts, root, document);
  const tables = toFields(fields['data']) ?? {};
  checkManifests(drafts, tables, document);
  const { allowed } = options;
  const hasTables = Object.keys(tables).length > 0;
  const columnTypes = hasTables ? findColumnTypes(tables) : undefined;
  const context = { connectors, allowed, celTypes, hasTables, columnTypes, from };
  const annotations = { document, filled, usage, ...context };
  checkFields(fields, annotations);
  for (const node of drafts) {
    const isSound = graph.node(node.id) === node;
    const knownResources = (isSound ? paths?.resourcesBefore(node.id) : null) ?? allResources;
    const rawNode = rawNodes[Number(node.path[1])] ?? null;
    checkNode(node, rawNode, { ...annotations, knownResources });
  }
  checkUnused({ ...annotations, parameters, graph, fields });
  return { pipeline, parameters, filled, graph, schedules };
}

/** Used for nodes outside the graph, and for graphs with cycles, where the resources at a node are unknown. */
const allResources: ReadonlySet<Resource> = new Set<Resource>(['model', 'template', 'project']);

function checkFields(
  fields: Readonly<Record<string, Json>>,
  scope: Omit<AnnotationScope, 'knownResources'>,
) {
  const schema = jsonSchemaOf(Pipeline);
  // Nodes are checked with the resources known at their position. Parameters were checked with their declarations.
  const { nodes: _nodes, parameters: _parameters, connectors, ...others } = fields;
  const outside = { ...scope, knownResources: null };
  checkAnnotations(schema, others, [], outside);
  for (const [name, spec] of Object.entries(toFields(connectors) ?? {})) {
    const type = typeOfConnector(spec);
    if (type === null) continue;
    const specPath = ['connectors', name];
    checkAnnotations(jsonSchemaOf(schemaOf(type)), spec, specPath, outside);
    checkLogin(type, toFields(spec) ?? {}, specPath, scope);
  }
}

/** Refuses to send credentials to an address that appears only in the file. */
function checkLogin(
  type: ConnectorType,
  spec: Readonly<Record<string, Json>>,
  specPath: Path,
  { document, filled, allowed }: Omit<AnnotationScope, 'knownResources'>,
): void {
  if (allowed.isAnyLogin) return;
  const isPending = (field: PropertyKey) =>
    filled.texts.get(pathKeyOf([...specPath, String(field)]))?.pending === true;
  const { error } = schemaOf(type).safeParse(spec);
  // Invalid connectors and refused addresses are skipped, because they are reported elsewhere.
  if (error?.issues.some(({ path: [field = ''] }) => !isPending(field))) return;
  const refusal = findLoginProblem(type, spec, allowed.hosts);
  if (refusal?.code !== 'ENDPOINT_NOT_ALLOWED' || isPending(refusal.field)) return;
  const path = [...specPath, refusal.field];
  document.error('RL317', path, refusal.what, asSentence(refusal.fix));
}

function checkNode(node: NodeDraft, raw: Json, scope: AnnotationScope): void {
  const schema = jsonSchemaOf(Pipeline).properties?.['nodes']?.items;
  if (schema !== undefined) checkAnnotations(schema, raw, node.path, scope);
  if (node.type === null) return;
  const configPath = [...node.path, 'config'];
  const configSchema = jsonSchemaOf(node.type.config);
  checkAnnotations(configSchema, node.config ?? node.rawConfig, configPath, scope);
  checkUnknownFields(configSchema, node.rawConfig, configPath, scope.document);
}
