// The tables of a plan, and which stages read which of their columns.
import { compileExpression } from '../language/expressions.ts';
import { columnsOfTemplate } from '../language/naming/naming.ts';
import { findExpressions } from '../language/value-template.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { deliveryStageOf, type PlannedTable, type TablePlan } from '../plan/rows.ts';
import type { Step } from '../plan/types.ts';
import { findSourceTable, isDescriptiveNode, isExportNode, type NodeDraft } from './node-draft.ts';
import type { Pipeline } from './pipeline.ts';
import {
  type AnnotatedText,
  findAnnotatedTexts,
  isCelLanguage,
  jsonSchemaOf,
} from './yaml/annotations.ts';

/**
 * Returns the tables of a plan and the columns that are read, or null if the file has no tables.
 * @param ancestorsOf returns the nodes before a node
 * @param steps as `withSharing` returns them
 */
export function buildTablePlan(
  { data, key }: Pick<Pipeline, 'data' | 'key'>,
  order: readonly NodeDraft[],
  ancestorsOf: (node: string) => ReadonlySet<string>,
  steps: readonly Step[],
): TablePlan | null {
  const [list] = order.flatMap((node) => findSourceTable(node) ?? []);
  const tables = Object.entries(data).map(([name, table]) => ({
    ...planTable(name, table),
    ...(list?.table === name ? { file: list.file } : {}),
  }));
  if (tables.length === 0) return null;
  const ofNodes = new Map(order.map((node) => [node.id, columnsOfNode(node, isDecisiveText)]));
  const columnsOf = (nodes: Iterable<string>) =>
    removeDuplicates([...nodes].flatMap((id) => ofNodes.get(id) ?? []));
  const ofKey = key === undefined ? [] : columnsOfKey(key);
  const shownColumns = order.flatMap((node) => columnsOfNode(node, isDisplayText));
  const shared = steps.flatMap(({ node, cells }) => {
    const columns = ofNodes.get(node) ?? [];
    return cells === undefined || columns.length === 0
      ? []
      : [{ node, dimensions: cells.work, columns }];
  });
  return {
    tables,
    reads: removeDuplicates([...ofKey, ...[...ofNodes.values()].flat(), ...shownColumns]),
    stages: findReadingStages(order, ancestorsOf, columnsOf),
    shared,
    ...(ofKey.length > 0 ? { forKeys: [...ofKey] } : {}),
  };
}

function planTable(name: string, table: Pipeline['data'][string]): PlannedTable {
  const { connector, path, sheet, key, match, columns, withoutRow } = table;
  return {
    name,
    connector,
    path,
    ...omitUndefined({ sheet }),
    key: typeof key === 'string' ? { model: key } : key,
    match,
    columns: Object.fromEntries(
      Object.entries(columns).map(([columnName, column]) => {
        if (typeof column === 'string') return [columnName, { heading: column, type: 'text' }];
        return [columnName, { heading: column.column, type: column.type }];
      }),
    ),
    withoutRow,
  };
}

/** Returns columns by stage. A stage is repeated if it, or a stage whose result it needs, reads a changed column. */
function findReadingStages(
  order: readonly NodeDraft[],
  ancestorsOf: (node: string) => ReadonlySet<string>,
  columnsOf: (nodes: Iterable<string>) => string[],
): TablePlan['stages'] {
  const countedNodes = order.filter(({ type }) => type !== null && !type.isSideStep);
  const producingNodes = countedNodes.filter(
    (node) => !isExportNode(node) && !isDescriptiveNode(node),
  );
  const withStage = (...stages: string[]) =>
    producingNodes
      .filter(({ type }) => stages.includes(type?.stage ?? 'composition'))
      .map(({ id }) => id);
  const rendered = new Set(withStage('source', 'composition', 'render'));
  const beforeRenders = withStage('render').flatMap((id) => [id, ...ancestorsOf(id)]);
  const ofRenders = beforeRenders.filter((id) => rendered.has(id));
  const describing = countedNodes.filter(isDescriptiveNode).map(({ id }) => id);
  const stages: [string, string[]][] = [
    ['source', columnsOf(withStage('source'))],
    ['composition', columnsOf(withStage('source', 'composition'))],
    ['render', columnsOf(new Set(ofRenders))],
    ['sheet', columnsOf(withStage('sheet'))],
    // `properties` is not a stage of work, so a changed column only makes the next run process the asset.
    ['properties', columnsOf(describing)],
    ...countedNodes
      .filter(isExportNode)
      .map(({ id }): [string, string[]] => [deliveryStageOf(id), columnsOf([id])]),
  ];
  return Object.fromEntries(stages.filter(([, columns]) => columns.length > 0));
}

export function columnsOfKey(key: string): readonly string[] {
  return columnsOfText({ value: key, language: 'key' });
}

type LanguageText = Pick<AnnotatedText, 'value' | 'language'>;

/** True for texts of a manifest. Their columns are only displayed, so a changed value does not repeat work. */
const isDisplayText = ({ language }: LanguageText) => language === 'manifest';
const isDecisiveText = (text: LanguageText) => !isDisplayText(text);

/** Returns the columns that a node reads in its condition, values, file names and manifest, limited by `isCounted`. */
function columnsOfNode(
  { type, config, when }: NodeDraft,
  isCounted: (text: LanguageText) => boolean,
): string[] {
  const texts =
    type === null ? [] : [...findAnnotatedTexts(jsonSchemaOf(type.config), config ?? {})];
  const condition = when === null ? [] : [{ value: when, language: 'cel' }];
  return removeDuplicates([...condition, ...texts].filter(isCounted).flatMap(columnsOfText));
}

function columnsOfText({ value, language }: LanguageText): readonly string[] {
  const isTemplate = language === 'key' && value.includes('{{');
  if (isTemplate || language === 'naming' || language === 'manifest')
    return columnsOfTemplate(value);
  if (isCelLanguage(language) || language === 'key') return columnsOfExpression(value);
  if (language !== 'value') return [];
  return findExpressions(value).flatMap(({ source }) => columnsOfExpression(source));
}

function columnsOfExpression(source: string): readonly string[] {
  const compiled = compileExpression(source);
  return compiled.ok ? compiled.columns : [];
}

function removeDuplicates(names: Iterable<string>): string[] {
  return [...new Set(names)].sort();
}
