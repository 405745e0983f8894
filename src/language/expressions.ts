// CEL over an asset: its variables, the allowed syntax, and evaluation in bounded time.
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { findNearestName } from '../api/requests/nearest-name.ts';
import { asRecord } from '../api/unknown-values.ts';
import { assetFailures } from '../failures/assets.ts';
import type { CellSource } from '../plan/grid.ts';
import { memoize, memoizeByObject } from '../plan/helpers/memoize.ts';
import type { RowValue } from '../plan/rows.ts';
import type { Json, Plan, StepAsset } from '../plan/types.ts';
import { labelsOf, mapDimensions } from './dimension-names.ts';
import {
  childrenOf,
  type ExpressionProblem,
  findExpressionProblem,
} from './expressions/expression-limits.ts';
import { limitProgram } from './expressions/expression-work.ts';
import { findReadNames, findReadPart, findUnnamedRead } from './expressions/named-reads.ts';
import {
  type ColumnTypes,
  registerColumns,
  suggestConversion,
} from './expressions/typed-columns.ts';
import type { ProblemCode } from './problem-codes.ts';

/** Types of `params.NAME` in CEL. All numbers are doubles, so 1/2 is 0.5. */
export type CelParameters = Readonly<Record<string, 'string' | 'double' | 'bool' | 'dyn'>>;

/** Value of a property: a list for several options, a string such as 2026-03-01 for a date. Null if there is none. */
export type PropertyScalar = string | number | readonly string[] | null;

export interface ExpressionScope {
  asset: Record<string, Json | Date>;
  params: Record<string, Json>;
  /** `properties` contains values by their names in the expression, but only those that a condition reads. */
  model: { id: string; category: string; properties: Readonly<Record<string, PropertyScalar>> };
  template: { id: string };
  project: { id: string };
  /** Values of the asset's row by column. Empty if the pipeline has no tables. */
  row: Record<string, RowValue>;
  /** The variant being tested, only where variants are chosen. */
  variant?: { id: string; name: string; isNew: boolean };
}

export type CompiledExpression =
  | {
      ok: true;
      /** `bool`, `string`, `double`, `int`, `dyn` … */
      type: string;
      /**
       * Variables and their parts that the expression reads: `asset.key`, `model`, or `params.*` if it may be any
       * parameter.
       */
      reads: readonly string[];
      /** Columns of the row that the expression reads: `row.sku`, `row["sku"]`. */
      columns: readonly string[];
      /** Properties of the model that the expression reads: `model.properties.approved`. */
      properties: readonly string[];
      /** @throws ExpressionError if the expression fails on this asset */
      evaluate(scope: ExpressionScope): boolean | string | number;
      steps(): number;
    }
  | { ok: false; problem: ExpressionProblem };

/** Thrown if an expression is invalid or fails on an asset, as when it reads the fourth part of a name with three. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
  readonly failure = assetFailures.EXPRESSION_FAILED;
  readonly expression: string;
  constructor(expression: string, reason: string) {
    super(`the expression "${expression}" failed: ${reason}`);
    this.expression = expression;
  }
}

/** Variables with their fields. `params` and `row` depend on the file. */
const schemas = {
  asset: {
    key: 'string',
    path: 'string',
    name: 'string',
    extension: 'string',
    folder: 'string',
    id: 'string',
    bytes: 'double',
    modifiedAt: 'google.protobuf.Timestamp',
    ...mapDimensions(() => 'string' as const),
  },
  model: { id: 'string', category: 'string', properties: 'map<string, dyn>' },
  template: { id: 'string' },
  project: { id: 'string' },
  variant: { id: 'string', name: 'string', isNew: 'bool' },
} as const;

/** Types that have a text. `[object Map]`, or the items of a list with commas, is not what anybody means. */
const textTypes =
  /^(?:string|double|int|uint|bool|null|dyn|google\.protobuf\.(?:Timestamp|Duration))$/;

/** True if the result of an expression of this type can become text. */
export function isTextType(type: string): boolean {
  return textTypes.test(type);
}

const arithmetic: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

export const expressionLimits = {
  maxAstNodes: 200,
  maxDepth: 24,
  maxListElements: 100,
  maxMapEntries: 50,
  maxCallArguments: 8,
} as const;

const base = createEnvironment();
for (const [name, schema] of Object.entries(schemas)) base.registerVariable({ name, schema });
/** A file has one set of parameters and many expressions, so environments are cached. */
const typedEnvironmentOf = memoizeByObject((parameters: CelParameters) =>
  withParameters(parameters).registerVariable('row', 'map<string, dyn>'),
);
const untyped = withParameters(undefined).registerVariable('row', 'map<string, dyn>');

/** Creates a CEL environment without variables, with bounded time and mixed number types. */
export function createEnvironment(): Environment {
  const environment = new Environment({ limits: expressionLimits });
  // CEL does not mix integers and fractions, but people who write YAML do.
  for (const [operator, apply] of Object.entries(arithmetic)) {
    const mixed = (a: bigint | number, b: bigint | number) => apply(Number(a), Number(b));
    environment.registerOperator(`double ${operator} int: double`, mixed);
    environment.registerOperator(`int ${operator} double: double`, mixed);
  }
  environment.registerOperator('double % double', (a: number, b: number) => a % b);
  // This operator also covers `int == double` and both forms of `!=`.
  environment.registerOperator('double == int', (a: number, b: bigint) => a === Number(b));
  return environment;
}

/** Compiles CEL. Uses of parameters and columns are checked only if their types are given. */
export function compileExpression(
  source: string,
  parameters?: CelParameters,
  columnTypes?: ColumnTypes,
): CompiledExpression {
  const environment = environmentOf(parameters);
  const refusal = findExpressionProblem(source, null);
  if (refusal !== null) return { ok: false, problem: refusal };
  try {
    const program = environment.parse(source);
    const unbounded = findExpressionProblem(source, program.ast);
    if (unbounded !== null) return { ok: false, problem: unbounded };
    const unnamed = findUnnamedRead(program.ast);
    if (unnamed !== null) return { ok: false, problem: unnamed };
    const columns = [...new Set(findReadNames('row', program.ast))];
    const isTyped = columnTypes !== undefined && columns.length > 0;
    const checkResult = isTyped
      ? registerColumns(withParameters(parameters), columns, columnTypes).check(source)
      : program.check();
    if (!checkResult.valid) {
      const problem = toProblem(checkResult.error, source, parameters);
      const isOfText = /^no such overload: .*\bstring\b/.test(problem.message);
      const hint = isTyped && isOfText ? suggestConversion(columns, columnTypes) : undefined;
      return { ok: false, problem: hint === undefined ? problem : { ...problem, hint } };
    }
    const boundedProgram = limitProgram(program);
    return {
      ok: true,
      type: checkResult.type ?? 'dyn',
      reads: [...new Set(findReads(program.ast))],
      columns,
      properties: [...new Set(findReadNames('model.properties', program.ast))],
      steps: () => boundedProgram.steps,
      evaluate(scope) {
        try {
          return toPlainValue(boundedProgram.evaluate({ ...scope }));
        } catch (error) {
          throw new ExpressionError(source, summaryOf(error));
        }
      },
    };
  } catch (error) {
    return { ok: false, problem: toProblem(error, source, parameters) };
  }
}

/** Compiling takes a hundred times as long as evaluating, and texts are evaluated for each asset. */
const compileOnce = memoize((source) => compileExpression(source), 1_000);

/** @throws ExpressionError if the expression is invalid, or fails on this asset */
export function evaluateExpression(
  source: string,
  scope: ExpressionScope,
): boolean | string | number {
  const compiled = compileOnce(source);
  if (!compiled.ok) throw new ExpressionError(source, compiled.problem.message);
  return compiled.evaluate(scope);
}

/** Finds the properties of the model that a condition reads. Empty if the condition is invalid. */
export function findProperties(condition: string): readonly string[] {
  const compiled = compileExpression(condition);
  return compiled.ok ? compiled.properties : [];
}

function environmentOf(parameters: CelParameters | undefined): Environment {
  return parameters === undefined ? untyped : typedEnvironmentOf(parameters);
}

/** Creates an environment with all variables but `row`. */
function withParameters(parameters: CelParameters | undefined): Environment {
  return parameters === undefined
    ? base.clone().registerVariable('params', 'map<string, dyn>')
    : base.clone().registerVariable({ name: 'params', schema: { ...parameters } });
}

/** Builds an asset's variables. @param params parameters of the run @param properties known properties of its model */
export function toExpressionScope(
  asset: StepAsset,
  params: Plan['parameters'],
  properties: ExpressionScope['model']['properties'] = {},
): ExpressionScope {
  const { platformIds } = asset;
  return {
    asset: { key: asset.key, ...sourceFieldsOf(asset.source) },
    params,
    model: { id: platformIds.modelId ?? '', category: platformIds.category ?? '', properties },
    template: { id: platformIds.templateId ?? '' },
    project: { id: platformIds.projectId ?? '' },
    row: asset.source.row?.values ?? {},
  };
}

/**
 * Returns the fields derived from a source alone: `shoes/red.v2.glb` has the name `red.v2`, the extension `glb` and the
 * folder `shoes`. The name of a platform object has no extension, and only a platform object has an id.
 */
export function sourceFieldsOf(
  source: CellSource & { path: string; id?: string; bytes: number; mtimeMs: number },
) {
  const { path, id } = source;
  const slash = path.lastIndexOf('/');
  const base = path.slice(slash + 1);
  const dot = id === undefined ? base.lastIndexOf('.') : -1;
  return {
    path,
    folder: slash === -1 ? '' : path.slice(0, slash),
    name: dot > 0 ? base.slice(0, dot) : base,
    extension: dot > 0 ? base.slice(dot + 1).toLowerCase() : '',
    id: id ?? '',
    bytes: source.bytes,
    modifiedAt: new Date(source.mtimeMs),
    ...labelsOf(source),
  };
}

function toPlainValue(value: unknown): boolean | string | number {
  if (typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') {
    return value;
  }
  if (typeof value === 'bigint') return Number(value);
  // ISO text is used, because String(value) would use the time zone of the machine.
  if (value instanceof Date) return value.toISOString();
  const text = String(value);
  // null is an empty cell in a column of numbers. Its text is empty.
  if (value === null) return '';
  if (!ArrayBuffer.isView(value) && !Array.isArray(value) && !/^\[object|^Type</.test(text))
    return text;
  throw new TypeError('its result is not text, a number, a time or a boolean');
}

function toProblem(
  error: unknown,
  source: string,
  parameters: CelParameters | undefined,
): ExpressionProblem {
  const range = rangeOf(error) ?? { start: 0, end: source.length };
  const start = Math.min(range.start, Math.max(0, source.length - 1));
  const clampedRange = { start, end: Math.max(start + 1, Math.min(range.end, source.length)) };
  const message = lowerFirst(summaryOf(error));
  const name = /(?:variable|key): (\w+)$/.exec(message)?.[1];
  const textBefore = source.slice(0, clampedRange.start);
  const symbolHint =
    message === 'unexpected character: =' ? 'Use == to compare two values.' : undefined;
  const hint = name === undefined ? symbolHint : suggestName(name, textBefore, parameters);
  const owner = findOwner(textBefore);
  const problem = { ...clampedRange, ...(hint ? { hint } : {}) };
  if (name !== undefined && owner === 'params')
    return { code: 'RL304', message: `the parameter "${name}" is not declared`, ...problem };
  return { code: codeOf(error), message, ...problem };
}

function codeOf(error: unknown): ProblemCode {
  if (asRecord(error)['code'] === 'limit_exceeded') return 'RL504';
  return error instanceof Error && error.name === 'ParseError' ? 'RL501' : 'RL502';
}

function suggestName(
  name: string,
  textBefore: string,
  parameters: CelParameters | undefined,
): string | undefined {
  const owner = findOwner(textBefore);
  const parts: Record<string, object | undefined> = { ...schemas, params: parameters ?? {} };
  const knownNames =
    owner === undefined
      ? ['asset', 'params', 'model', 'template', 'project', 'row', 'variant']
      : parts[owner] && Object.keys(parts[owner]);
  if (knownNames === undefined) return undefined;
  const nearestName = findNearestName(name, knownNames);
  if (nearestName !== null) return `Did you mean "${nearestName}"?`;
  if (owner === undefined && name in schemas.asset) return `Did you mean "asset.${name}"?`;
  if (owner === undefined && name === 'category') return 'Did you mean "model.category"?';
  if (knownNames.length === 0) return 'Declare the parameter under `parameters:`.';
  const column = owner === undefined ? ` A column of a table is "row.${name}".` : '';
  return `Available: ${knownNames.join(', ')}.${column}`;
}

/** Finds the variable before the dot at the end of the text. */
function findOwner(text: string): string | undefined {
  return /(\w+)\s*\.\s*$/.exec(text)?.[1];
}

/** @param isOwner the node is the variable of a part that was yielded already */
function* findReads(node: ASTNode, isOwner = false): Generator<string> {
  if (node.op === 'id') {
    yield node.args;
    if (node.args === 'params' && !isOwner) yield 'params.*';
  }
  const part = findReadPart(node);
  if (part !== null) yield part;
  for (const child of childrenOf(node)) {
    yield* findReads(child, child.op === 'id' && part?.startsWith(`${child.args}.`));
  }
}

function summaryOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown cause';
  return 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
}

function rangeOf(error: unknown): { start: number; end: number } | null {
  const { start, end } = asRecord(asRecord(error)['range']);
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : null;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
