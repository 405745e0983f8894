// Builds the plan of a checked pipeline. Nodes become steps, connector names become specs, and the plan is hashed.

import { join, posix, resolve } from 'node:path';
import { findFolderField } from '../connectors/connector-type.ts';
import { findConnectorType } from '../connectors/index.ts';
import type { StepDraft } from '../engine/node-type.ts';
import { findStepType } from '../features/index.ts';
import { setPropertiesNode } from '../features/set-properties/set-properties.ts';
import { toDurationMs } from '../language/duration.ts';
import { findProperties } from '../language/expressions.ts';
import { computeShortSha256 } from '../language/hash.ts';
import { formatManifest } from '../plan/delivery-manifests.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { findUnconditionalSteps } from '../plan/run/deliveries.ts';
import { defaultInFlight } from '../plan/shard/window.ts';
import {
  type ConnectorSpec,
  type NamedOperation,
  type NameLookup,
  type Plan,
  planSchema,
  type Step,
} from '../plan/types.ts';
import type { CheckedDocument } from './checks/check.ts';
import { hostsOf } from './checks/check-connector-access.ts';
import { compileManifests, compileWithdrawalRules, withDeliveries } from './exports.ts';
import { withDemands } from './file-demands.ts';
import { freshnessOf } from './freshness.ts';
import { withChains } from './graph/chains.ts';
import type { NodeGraph } from './graph/node-graph.ts';
import { NodePaths } from './graph/node-paths.ts';
import { computeGridShardSize, lookUpConfigsOf, plannedGridOf, withSharing } from './grid.ts';
import { findConnector, isExportNode, type NodeDraft } from './node-draft.ts';
import type { Pipeline } from './pipeline.ts';
import { recipeOf } from './recipe.ts';
import { buildTablePlan } from './rows.ts';
import { pathKeyOf } from './yaml/document.ts';
import { findOnlyParameter } from './yaml/interpolation.ts';

/** 250 assets with ids of about 300 bytes fit in a payload of 100 KB and fill five calls of 50. */
const shardSize = 250;
/** Number of shards that may make calls at once. With 4,000 assets, one platform stage works while another finishes. */
const maxActiveShards = 16;
/** Maximum batch size of an API call. A step whose profile has a larger batch is not one API call. */
const maxCallBatch = 100;

interface Folders {
  cwd: string;
  fileFolder: string;
}

/** Builds the plan of a document that has no errors and whose parameters all have values. */
export function buildPlan(
  document: CheckedDocument & { pipeline: Pipeline },
  file: string,
  folders: Folders,
): Plan {
  const { pipeline, parameters, graph } = document;
  const order = graph.order();
  const [root] = order;
  if (root === undefined) throw new RangeError('a plan needs a root node');
  const connectors = connectorsOf(document, folders);
  const { steps: stepsOfNodes, route } = compileSteps(order, graph, pipeline);
  const exporter = order.find(isExportNode);
  const destination = connectors[(exporter && findConnector(exporter)) ?? ''] ?? null;
  const records = findRecords(pipeline, connectors) ?? destination;
  if (records === null) throw new RangeError('a plan needs a location for its records');
  const { recipe, stages, readsCellNames } = recipeOf(order, document);
  const grid = plannedGridOf(order);
  const steps = withSharing(withDeliveries(withDemands(stepsOfNodes, order), stages), grid, graph);
  const rows = buildTablePlan(pipeline, order, (id) => graph.ancestorsOf(id), steps);
  const manifests = compileManifests(order, stages, rows);
  const { inFlight = defaultInFlight } = pipeline.limits;
  const plan: Omit<Plan, 'hash'> = {
    schema: planSchema,
    pipeline: pipeline.name,
    file,
    parameters: Object.fromEntries(parameters.values),
    connectors,
    records,
    destination,
    recipe,
    stages,
    discovery: {
      node: root.id,
      activity: root.typeName,
      config: root.config,
      key: pipeline.key ?? null,
      ...omitUndefined({
        lookUps: unlessEmpty(lookUpsOf(steps, order)),
        grid: unlessEmpty(grid),
        readsCellNames: (grid.length > 0 && readsCellNames) || undefined,
        rows: rows ?? undefined,
      }),
    },
    steps: withChains(steps),
    shardSize: Math.min(grid.length > 0 ? computeGridShardSize(order) : shardSize, inFlight),
    window: maxActiveShards,
    inFlight,
    ...omitUndefined({
      eventTrigger: eventTriggerOf(root, pipeline),
      tolerate: toleranceOf(pipeline, steps),
      supersede: pipeline.supersede === 'delete-after-success' ? pipeline.supersede : undefined,
      freshness: freshnessOf(order),
      withdrawn: compileWithdrawalRules(order, stages, pipeline),
      manifests: unlessEmpty(manifests),
      canary: canaryOf(pipeline, root),
      deadline: deadlineOf(pipeline),
      renderQuota: renderQuotaOf(pipeline),
      notify: unlessEmpty(pipeline.notify),
      operations: operationsOf(pipeline),
      host: hostsOf(pipeline)[0]?.host,
      priority: pipeline.priority,
      report: pipeline.report,
    }),
    route: [...route, ...manifests.map(formatManifest)],
  };
  return { ...plan, hash: computeShortSha256(JSON.parse(JSON.stringify(plan))) };
}

function unlessEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

function toleranceOf({ tolerate }: Pipeline, steps: readonly Step[]): Plan['tolerate'] {
  if (tolerate === undefined) return undefined;
  const { failures, onBreach } = tolerate;
  return {
    failures: typeof failures === 'number' ? failures : Number(failures.replace('%', '')),
    of: typeof failures === 'number' ? 'count' : 'percent',
    onBreach,
    submits: steps.filter(({ activity }) => findStepType(activity)?.submits).map(({ id }) => id),
  };
}

function canaryOf({ canary }: Pipeline, { when }: NodeDraft): Plan['canary'] {
  if (canary === undefined) return undefined;
  const { assets, timeout } = canary;
  return { assets, timeoutMs: toDurationMs(timeout), ...(when === null ? {} : { when }) };
}

function deadlineOf({ deadline }: Pipeline): Plan['deadline'] {
  if (deadline === undefined) return undefined;
  const { at, within, timezone = 'UTC' } = deadline;
  if (at === undefined) return { withinMs: toDurationMs(within ?? '') };
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  return { at: 60 * hours + minutes, timezone };
}

function renderQuotaOf({ limits: { renders } }: Pipeline): Plan['renderQuota'] {
  if (typeof renders !== 'object') return undefined;
  const { perMonth, per, timezone, onBreach, at } = renders;
  return { perMonth, per, timezone, onBreach, ...omitUndefined({ at }) };
}

/** Returns the lookups of names: those in steps that every asset reaches, and the properties in all conditions. */
function lookUpsOf(steps: readonly Step[], order: readonly NodeDraft[]): NameLookup[] {
  const unconditionalSteps = findUnconditionalSteps(steps);
  const lookUpConfigs = lookUpConfigsOf(order);
  const lookUps = steps.flatMap(({ id, node, activity, config }): NameLookup[] => {
    if (!unconditionalSteps.has(id) || findStepType(activity)?.lookUp === undefined) return [];
    return [{ node, activity, config: lookUpConfigs.get(node) ?? config }];
  });
  return [...lookUps, ...findPropertyLookUps(steps)];
}

/** Returns the lookups of the properties that conditions read, using the activity of `set_properties`. */
function findPropertyLookUps(steps: readonly Step[]): NameLookup[] {
  return steps.flatMap(({ node, when }) => {
    const names = when === null ? [] : findProperties(when);
    if (names.length === 0) return [];
    const values = Object.fromEntries(names.map((name) => [name, null]));
    return [{ node, activity: setPropertiesNode.type, config: { values } }];
  });
}

function eventTriggerOf({ type, config }: NodeDraft, { batchSize }: Pipeline) {
  const rules = config === null ? null : type?.root?.eventTrigger?.(config);
  return rules ? { ...rules, batchSize } : undefined;
}

function connectorsOf(
  { pipeline, parameters, filled }: CheckedDocument & { pipeline: Pipeline },
  { cwd, fileFolder }: Folders,
): Record<string, ConnectorSpec> {
  return Object.fromEntries(
    Object.entries(pipeline.connectors).map(([name, connector]): [string, ConnectorSpec] => {
      // The conversion drops fields that were not set, because a plan is plain JSON.
      if (connector.type !== 'local') return [name, JSON.parse(JSON.stringify(connector))];
      const { type } = connector;
      const path = String(connector['path']);
      const text = filled.texts.get(pathKeyOf(['connectors', name, 'path']));
      const first = text === undefined ? null : findLeadingParameter(text.original);
      // A path that a person typed is relative to their folder, a path in the file to the file's folder.
      const base = first !== null && parameters.givenNames.has(first) ? cwd : fileFolder;
      return [name, { type, path: resolve(base, path) }];
    }),
  );
}

function findLeadingParameter(text: string): string | null {
  const end = text.indexOf('}}');
  return text.startsWith('${{') ? findOnlyParameter(text.slice(0, end + 2)) : null;
}

function findRecords(
  { records }: Pipeline,
  connectors: Record<string, ConnectorSpec>,
): ConnectorSpec | null {
  if (records === undefined) return null;
  if (typeof records === 'string') return connectors[records] ?? null;
  const spec = connectors[records.connector];
  if (spec === undefined || records.folder === undefined) return spec ?? null;
  const type = findConnectorType(spec.type);
  const field = (type && findFolderField(type)) ?? 'prefix';
  const baseFolder = typeof spec[field] === 'string' ? spec[field] : '';
  const folder = (field === 'path' ? { join } : posix).join(baseFolder, records.folder);
  return { ...spec, [field]: folder };
}

function compileSteps(
  order: readonly NodeDraft[],
  graph: NodeGraph,
  pipeline: Pipeline,
): { steps: Step[]; route: string[] } {
  const paths = new NodePaths(graph);
  const lastSteps = new Map<string, string[]>();
  const steps: Step[] = [];
  const route: string[] = [];
  for (const node of order) {
    let parents = graph.parentsOf(node.id).flatMap((parent) => lastSteps.get(parent) ?? parent);
    const drafts = paths.draftsOf(node);
    if (drafts.length === 0) route.push(`${node.id}: ${node.type?.route(node.config, 0) ?? ''}`);
    // The node's timeout applies to its wait or, if the node has no wait, to its own step.
    const timed =
      drafts.find(({ mode }) => mode === 'wait') ?? drafts.find(({ part }) => part === '');
    for (const [index, draft] of drafts.entries()) {
      const step = compileStep(node, draft, parents, index === 0, pipeline);
      if (draft === timed && node.timeoutMs !== null) step.timeoutMs = node.timeoutMs;
      const { retryAt } = draft;
      if (retryAt !== undefined) {
        const maxRetries =
          node.retryMax ?? graph.node(retryAt.node)?.retryMax ?? pipeline.maxRetries;
        step.retry = { step: stepId(retryAt.node, retryAt.part), max: maxRetries };
      }
      steps.push(step);
      route.push(routeOf(draft, step));
      parents = [step.id];
    }
    // If a node has no steps, its children follow the steps of its parents.
    lastSteps.set(node.id, [...new Set(parents)]);
  }
  return { steps, route };
}

function compileStep(
  node: NodeDraft,
  draft: StepDraft,
  parents: string[],
  isFirstStep: boolean,
  { batchSize }: Pipeline,
): Step {
  const { part, activity, mode, config, profile, onFailure } = draft;
  const perCall = mode === 'call' && profile.batch <= maxCallBatch;
  return {
    id: stepId(node.id, part),
    node: node.id,
    activity,
    mode,
    parents,
    // An asset that skips the first step of a node never reaches the node's other steps.
    when: isFirstStep ? node.when : null,
    config,
    batch: perCall ? Math.min(batchSize, profile.batch) : profile.batch,
    startToCloseMs: toDurationMs(profile.startToClose),
    heartbeatMs: profile.heartbeat === undefined ? null : toDurationMs(profile.heartbeat),
    timeoutMs: toDurationMs(profile.timeout),
    retry: null,
    ...(findStepType(activity)?.asksPeople ? { asksPeople: true as const } : {}),
    ...(node.type?.isSideStep ? { isSideStep: true as const } : {}),
    ...omitUndefined({ onFailure }),
  };
}

function stepId(node: string, part: string): string {
  return part === '' ? node : `${node}.${part}`;
}

function routeOf(draft: StepDraft, step: Step): string {
  const type = findStepType(draft.activity);
  const config = type?.config.safeParse(draft.config);
  const description = config?.success ? type?.route(config.data, step.batch) : undefined;
  return `${step.id}: ${description ?? draft.activity}`;
}

/** Returns the operations of a plan. Undefined if the file defines none, so that such plans keep their hash. */
export function operationsOf({ operations }: Pipeline): Plan['operations'] {
  const entries = Object.entries(operations).map(([id, operation]): [string, NamedOperation] => {
    if (typeof operation === 'string') return [id, { route: operation }];
    const { route, body } = operation;
    return [id, { route, ...omitUndefined({ body }) }];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
