// The recipe: hashes, in total and by stage, of everything in a file that decides how outputs look and where they go.

import { compileExpression } from '../language/expressions.ts';
import { computeShortSha256 } from '../language/hash.ts';
import { findExpressions } from '../language/value-template.ts';
import type { DeliveryStage, Json, Stage, Stages } from '../plan/types.ts';
import type { CheckedDocument } from './checks/check.ts';
import {
  findConnector,
  isDescriptiveNode,
  isExportNode,
  modelFilesOf,
  type NodeDraft,
  toFields,
} from './node-draft.ts';
import { findAnnotatedTexts, isCelLanguage, jsonSchemaOf } from './yaml/annotations.ts';

interface OutputSettings {
  value: Json;
  /** Parameters that the expressions in `value` read. */
  reads: ReadonlySet<string>;
  /** True if `value` compares keys or names of grid positions. */
  readsCellNames: boolean;
}

/**
 * Computes a pipeline's recipe, without ids, the order of independent nodes, timeouts, batch sizes, comments, side
 * steps, and nodes that only wait. Locations do not count, because files may be moved: a connector counts by its name.
 */
export function recipeOf(order: readonly NodeDraft[], document: CheckedDocument) {
  const exports = order.filter((node) => isExportNode(node) && node.type !== null);
  const deliveries = exports.map((node): [node: string, delivery: DeliveryStage] => {
    const { value, reads } = outputSettingsOf(node) ?? nothing;
    const connector = findConnector(node) ?? '';
    const fingerprint = computeShortSha256([value, readBy(reads, document), connector]).slice(0, 8);
    return [node.id, { fingerprint, connector }];
  });
  const sheets = exports.flatMap(sheetOf);
  const isOfSheet = ({ type }: NodeDraft) => type?.stage === 'sheet';
  const describingNodes = order.filter(isDescriptiveNode);
  const producingNodes = order.filter((node) => !isExportNode(node) && !isDescriptiveNode(node));
  // A node that changes only production files does not affect the renders after it.
  const creatingNodes = producingNodes.filter((node) => !isOfSheet(node));
  const sheetNodes = producingNodes.filter(isOfSheet);
  const ofStage = (...stages: Stage[]) =>
    creatingNodes.filter(({ type }) => stages.includes(type?.stage ?? 'composition'));
  const source = hashChain(ofStage('source'), document);
  const composition = hashChain(ofStage('source', 'composition'), document);
  const render = hashChain(creatingNodes, document, new Set(ofStage('render')));
  const sheet = computeShortSha256([
    ...sheets.map((value) => computeShortSha256(value)).sort(),
    ...(sheetNodes.length > 0 ? [hashChain(producingNodes, document, new Set(sheetNodes))] : []),
  ]);
  // If a condition decides which assets reach the export, it is not known which of them have files.
  const { graph } = document;
  const isUnconditional = ({ id }: NodeDraft) =>
    [id, ...graph.ancestorsOf(id)].every((nodeId) => graph.node(nodeId)?.when === null);
  const models = [...new Set(exports.filter(isUnconditional).flatMap(modelFilesOf))].sort();
  const stages: Stages = {
    source,
    composition,
    render,
    sheet,
    deliveries: Object.fromEntries(deliveries),
    ...(models.length > 0 ? { models } : {}),
  };
  const fingerprints = deliveries.map(([, { fingerprint }]) => fingerprint).sort();
  // Property values belong to no stage, so changing them does not repeat other work.
  const descriptionHashes =
    describingNodes.length > 0 ? [hashChain(describingNodes, document)] : [];
  return {
    recipe: computeShortSha256([composition, render, sheet, ...fingerprints, ...descriptionHashes]),
    stages,
    readsCellNames: producingNodes.some((node) => outputSettingsOf(node)?.readsCellNames),
  };
}

const nothing: OutputSettings = { value: null, reads: new Set(), readsCellNames: false };
/** The key of a cell contains names of positions only in its last part: `shoes/mug@Navy`. */
const anyLastPart = /(^|\/)\*\*?$/;
const cellNames = new Set(['asset.key', 'asset.colorway', 'asset.view', 'asset.*']);

function sheetOf({ type, config }: NodeDraft): Json[] {
  const sheet = config === null ? null : (type?.sheet?.(config) ?? null);
  return sheet === null ? [] : [sheet];
}

/** Hashes the settings of nodes, each with the nodes before it. @param countedNodes nodes to include (default: all) */
function hashChain(
  order: readonly NodeDraft[],
  document: CheckedDocument,
  countedNodes: ReadonlySet<NodeDraft> = new Set(order),
): string {
  const hashes = new Map<string, string>();
  for (const node of order) {
    const settings = outputSettingsOf(node);
    if (settings === null) continue;
    const { value, reads } = settings;
    const ancestors = [...document.graph.ancestorsOf(node.id)];
    const ancestorHashes = ancestors.flatMap((id) => hashes.get(id) ?? []).sort();
    hashes.set(node.id, computeShortSha256([value, readBy(reads, document), ancestorHashes]));
  }
  const counted = order.filter((node) => countedNodes.has(node));
  return computeShortSha256(counted.flatMap(({ id }) => hashes.get(id) ?? []).sort());
}

function readBy(reads: ReadonlySet<string>, { parameters }: CheckedDocument): Json {
  // An expression may compute the name of the parameter that it reads.
  const isRead = (name: string) => reads.has(name) || reads.has('*');
  return Object.fromEntries([...parameters.values].filter(([name]) => isRead(name)));
}

/** Extracts the part of a config that affects outputs, with the parameters that its expressions read. Null if none. */
function outputSettingsOf({ type, config, when }: NodeDraft): OutputSettings | null {
  if (type === null || type.isSideStep || (type.recipe.length === 0 && when === null)) return null;
  const configFields = toFields(config ?? {}) ?? {};
  const optional = (type.optionalRecipe ?? []).filter((name) => configFields[name] !== undefined);
  const names = [...type.recipe, ...optional];
  const fields = Object.fromEntries(names.map((name) => [name, configFields[name] ?? null]));
  const expressions = when === null ? [] : [when];
  let matchesKeys = false;
  for (const { value, language } of findAnnotatedTexts(jsonSchemaOf(type.config), fields)) {
    if (isCelLanguage(language)) expressions.push(value);
    if (language === 'regex' || (language === 'glob' && !anyLastPart.test(value)))
      matchesKeys = true;
    if (language === 'value')
      expressions.push(...findExpressions(value).map(({ source }) => source));
  }
  const extraRecipe = config === null ? null : (type.extraRecipe?.(config) ?? null);
  const more = extraRecipe === null ? {} : { more: extraRecipe };
  const value = { type: type.type, fields, when, ...more };
  const variables = expressions.flatMap(variablesOf);
  const readsCellNames = matchesKeys || variables.some((name) => cellNames.has(name));
  return { value, reads: new Set(variables.flatMap(parameterOf)), readsCellNames };
}

/** Returns what an expression reads. Parameters that are interpolated with ${{ }} are already in the fields. */
function variablesOf(expression: string): readonly string[] {
  const compiled = compileExpression(expression);
  return compiled.ok ? compiled.reads : [];
}

function parameterOf(variable: string): string[] {
  return variable.startsWith('params.') ? [variable.slice('params.'.length)] : [];
}
