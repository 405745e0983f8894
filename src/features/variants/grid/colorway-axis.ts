// The colorways of models, from a list or a table.
import { suggestName } from '../../../api/requests/nearest-name.ts';
import { RunCauseError } from '../../../engine/engine-errors.ts';
import type { Axis, GridContext } from '../../../engine/grid/dimension.ts';
import { findDuplicateName } from '../../../engine/grid/position-name.ts';
import { failSource } from '../../../failures/fail.ts';
import { compileExpression, toExpressionScope } from '../../../language/expressions.ts';
import { GlobSet } from '../../../language/glob-set.ts';
import { findGlobProblem } from '../../../language/read-glob.ts';
import { findPosition } from '../../../plan/grid.ts';
import { formatLines } from '../../../plan/helpers/format-first.ts';
import { groupBy } from '../../../plan/helpers/group-by.ts';
import type { Failure } from '../../../plan/types.ts';
import { TableError } from '../../../tables/table-error.ts';
import { type SwapRule, toRulesPayload } from '../../slots/swap-rule.ts';
import { colorwayCauses, variantFailures } from '../failures.ts';
import type { ColorwaySpec } from './colorway-spec.ts';
import { readColorwayTable, type TableRow } from './colorway-table.ts';

const maxLinesShown = 5;
/** Maximum number of unknown models with a suggestion. Each unknown name is compared with every model. */
const maxHints = 20;
export const tableBytes = 64 * 1024 * 1024;
/** Maximum number of distinct globs in the column `model`. */
export const maxTableGlobs = 200;
/**
 * Maximum number of expanded rules. Rows with globs and tags apply to many models, and the rules of all models are in
 * memory at once.
 */
export const maxRules = 5_000_000;

/** @throws RunCauseError if the table does not exist or cannot be read */
export function openColorways(spec: ColorwaySpec, context: GridContext): Axis | Promise<Axis> {
  return spec.from === 'list' ? openListAxis(spec, context) : openTableAxis(spec, context);
}

function openListAxis(
  { colorways }: Extract<ColorwaySpec, { from: 'list' }>,
  { parameters }: GridContext,
): Axis {
  const compiledColorways = colorways.map(({ where, name, rules }) => {
    const compiled = where === null ? null : compileExpression(where);
    if (compiled?.ok === false) throw new TypeError(`where of ${name}: ${where}`);
    return { position: { name, payload: toRulesPayload(rules) }, compiled };
  });
  const names = colorways.map(({ name }) => name);
  return {
    namesOf: () => names,
    positionsOf(model, source) {
      const scope = toExpressionScope({ key: model, source, platformIds: {} }, parameters);
      return compiledColorways
        .filter(({ compiled }) => !compiled || compiled.evaluate(scope) === true)
        .map(({ position }) => position);
    },
  };
}

async function openTableAxis(
  { connector: name, path, matchMode, tags, columns }: Extract<ColorwaySpec, { from: 'table' }>,
  { getConnector }: GridContext,
): Promise<Axis> {
  const connector = getConnector(name);
  const location = `${path} in ${connector.describe()}`;
  if ((await connector.stat(path)) === null) {
    const fix = 'correct `path` of the table, or add the file';
    throw tableCauseError(`${location} does not exist; ${fix}`);
  }
  const bytes = await connector.read(path, tableBytes);
  const rows = await readColorwayTable({ bytes, path }, columns).catch((error: unknown) => {
    throw error instanceof TableError ? tableCauseError(`${location}: ${error.message}`) : error;
  });
  const rowsForAll = rowsOfTags(rows, tags, location);
  const modelRows = rows.filter(({ tag }) => tag === undefined);
  const byModel = groupBy(modelRows, ({ model }) => model);
  const globs = compileGlobs([...byModel.keys()], location);
  let rules = 0;
  const rowsForModel = (model: string) => [
    ...(byModel.get(model) ?? []),
    ...globs.matching(model).flatMap((glob) => byModel.get(glob) ?? []),
    ...rowsForAll,
  ];
  return {
    namesOf: (model) => [...new Set(rowsForModel(model).map(({ colorway }) => colorway))],
    positionsOf(model) {
      const ofModel = rowsForModel(model);
      rules += ofModel.length;
      if (rules > maxRules) {
        throw tableCauseError(
          `${location}: its rows assign more than ${maxRules} materials to the models that are listed at once; match fewer models with each glob or tag, or split the table`,
        );
      }
      return toPositions(ofModel, matchMode, location);
    },
    failuresOf: (models, node) => failUnknownModels(modelRows, globs, models, { node, path }),
    locate(searchedName, cell) {
      const { name: colorway } = (cell && findPosition({ cell }, 'colorway')) ?? {};
      const naming =
        cell === undefined
          ? rows.filter(({ material }) => material === searchedName)
          : rowsForModel(cell.group).filter(
              (row) => row.colorway === colorway && row.slot === searchedName,
            );
      return formatLocation(naming, path);
    },
  };
}

/**
 * Returns the rows that use a tag. No operation reads the tags of a model, so such rows are allowed only if
 * `modelScope` is exactly this tag. They then apply to all listed models.
 * @throws RunCauseError for a tag whose models cannot be determined
 */
function rowsOfTags(
  rows: readonly TableRow[],
  tags: readonly string[] | undefined,
  location: string,
): TableRow[] {
  return rows.filter(({ tag, line }) => {
    if (tag === undefined) return false;
    const tagLocation = `${location}, line ${line}: tag "${tag}"`;
    if (tags === undefined) {
      throw tableCauseError(
        `${tagLocation}: the pipeline does not start with the models of a tag (\`modelScope: { type: tag }\`), so the models of the tag are unknown; name the model in the row`,
      );
    }
    if (!tags.includes(tag)) {
      const suggestion = suggestName(tag, tags);
      const hint = suggestion === null ? '' : `; ${suggestion}`;
      throw tableCauseError(`${tagLocation}: the tag is not in \`tagIds\` of the pipeline${hint}`);
    }
    if (tags.length > 1) {
      throw tableCauseError(
        `${tagLocation}: \`tagIds\` has ${tags.length} tags, and the platform does not show which of them a model has; use only one tag, or name the model in the row`,
      );
    }
    return true;
  });
}

function formatLocation(rows: readonly TableRow[], path: string): string {
  const lines = rows.map(({ line }) => line).toSorted((a, b) => a - b);
  return lines.length === 0 ? '' : `${path}, ${formatLines(lines, maxLinesShown)}`;
}

type Globs = ReturnType<typeof compileGlobs>;

/** A row with a glob applies to all models whose keys match. @throws RunCauseError if there are too many globs */
function compileGlobs(models: readonly string[], location: string) {
  // A text that is not a valid glob counts as a key, because it can still be the exact key of a model.
  const isGlob = (model: string) => /[*?[{]/.test(model) && findGlobProblem(model) === null;
  const patterns = models.filter(isGlob);
  if (patterns.length > maxTableGlobs) {
    const problem = `uses ${patterns.length} globs for models, but the maximum is ${maxTableGlobs}`;
    throw tableCauseError(`${location}: ${problem}`);
  }
  const set = new GlobSet(patterns, { style: 'name' });
  return {
    all: new Set(patterns),
    matching: (model: string) => set.matching(model).map((index) => patterns[index] ?? ''),
  };
}

function tableCauseError(message: string): RunCauseError {
  return new RunCauseError(colorwayCauses.COLORWAY_TABLE, message);
}

/** Returns one model's colorways in table order. @throws RunCauseError if two rows contradict each other */
function toPositions(
  rows: readonly TableRow[],
  matchMode: SwapRule['matchMode'],
  location: string,
) {
  const byName = new Map<string, Map<string, TableRow>>();
  for (const row of rows.toSorted((a, b) => a.line - b.line)) {
    const slots = byName.get(row.colorway) ?? new Map<string, TableRow>();
    const earlierRow = slots.get(row.slot);
    if (earlierRow && earlierRow.material !== row.material) {
      const lines = `lines ${earlierRow.line} and ${row.line}`;
      const problem = `assign different materials to "${row.slot}" in ${row.colorway}`;
      throw tableCauseError(`${location}: ${lines} ${problem}`);
    }
    slots.set(row.slot, earlierRow ?? row);
    byName.set(row.colorway, slots);
  }
  const duplicateName = findDuplicateName([...byName.keys()]);
  if (duplicateName !== null) {
    const [line] = [...(byName.get(duplicateName)?.values() ?? [])].map((row) => row.line);
    const problem = `"${duplicateName}" differs only in case from another colorway of the same model; use the same spelling in all rows`;
    throw tableCauseError(`${location}: line ${line}: ${problem}`);
  }
  return [...byName].map(([name, slots]) => {
    const rules = [...slots.values()].map(({ slot, material }) => {
      return { matchText: slot, matchMode, ...parseMaterial(material) };
    });
    return { name, payload: toRulesPayload(rules) };
  });
}

function parseMaterial(text: string): Pick<SwapRule, 'material' | 'materialId'> {
  return text.startsWith('id:') ? { materialId: text.slice('id:'.length) } : { material: text };
}

/** Returns failures for rows that match no model, one per name. */
function failUnknownModels(
  rows: readonly TableRow[],
  globs: Globs,
  models: readonly string[],
  { node, path }: { node: string; path: string },
): Failure[] {
  const modelKeys = new Set(models);
  const matchedGlobs = new Set(models.flatMap((model) => globs.matching(model)));
  const failureByModel = new Map<string, Failure>();
  for (const { model, line } of rows) {
    if (modelKeys.has(model) || failureByModel.has(model) || matchedGlobs.has(model)) continue;
    const { COLORWAY_UNKNOWN_MODEL } = variantFailures;
    const isGlob = globs.all.has(model);
    const mayHint = !isGlob && failureByModel.size < maxHints;
    const suggestion = mayHint ? suggestName(model, models) : null;
    const hint = suggestion === null ? '' : `; ${suggestion}`;
    const problem = isGlob ? 'no model matches this glob' : 'this model does not exist';
    const message = `${path}, line ${line}: "${model}": ${problem}${hint}`;
    failureByModel.set(model, failSource(COLORWAY_UNKNOWN_MODEL, model, node, message));
  }
  return [...failureByModel.values()];
}
