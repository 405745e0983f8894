// CEL conditions over named fields, for `run --where` and `rerun --where`.
import { findNearestName } from '../../api/requests/nearest-name.ts';
import { commandFailures } from '../../failures/commands.ts';
import { findExpressionProblem } from '../../language/expressions/expression-limits.ts';
import { limitProgram } from '../../language/expressions/expression-work.ts';
import { createEnvironment, ExpressionError } from '../../language/expressions.ts';

export class WhereError extends Error {
  override name = 'WhereError';
  readonly failure = commandFailures.WHERE;
  readonly fix: string;

  constructor(source: string, problem: string, fix: string) {
    super(`--where '${source}': ${problem}`);
    this.fix = fix;
  }
}

export type ConditionFields = Readonly<Record<string, 'string' | 'double'>>;

export type FieldValues<Fields extends ConditionFields> = {
  [Name in keyof Fields]: Fields[Name] extends 'double' ? number : string;
};

/**
 * Compiles a condition. The returned function throws ExpressionError if the evaluation fails.
 * @param example a valid condition, shown in errors
 * @throws WhereError if the source is not a valid condition over the fields
 */
export function compileCondition<Fields extends ConditionFields>(
  fields: Fields,
  source: string,
  example: string,
): (values: FieldValues<Fields>) => boolean {
  const program = parseCondition(fields, source, example);
  return (values) => {
    try {
      return program.evaluate(values) === true;
    } catch (error) {
      throw new ExpressionError(source, summaryOf(error));
    }
  };
}

function parseCondition(fields: ConditionFields, source: string, example: string) {
  const names = Object.keys(fields);
  const knownFields = `Use a comparison of one of ${names.join(', ')}, for example: ${example}`;
  const long = findExpressionProblem(source, null);
  if (long) throw new WhereError(source, long.message, 'Shorten it.');
  const environment = Object.entries(fields).reduce(
    (base, [name, type]) => base.registerVariable(name, type),
    createEnvironment(),
  );
  try {
    const program = environment.parse(source);
    const unbounded = findExpressionProblem(source, program.ast);
    if (unbounded)
      throw new WhereError(source, unbounded.message, unbounded.hint ?? 'Simplify it.');
    const typeCheck = program.check();
    if (!typeCheck.valid) throw typeCheck.error;
    if (typeCheck.type === 'bool') return limitProgram(program);
    throw new WhereError(
      source,
      `results in a ${typeCheck.type ?? 'value'}, not in true or false`,
      knownFields,
    );
  } catch (error) {
    if (error instanceof WhereError) throw error;
    const summary = summaryOf(error);
    const name = /variable: (\w+)$/.exec(summary)?.[1];
    const suggestion = name === undefined ? null : findNearestName(name, names);
    throw new WhereError(
      source,
      summary,
      suggestion === null ? knownFields : `Did you mean "${suggestion}"?`,
    );
  }
}

function summaryOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof Error && 'summary' in error ? String(error.summary) : message;
  return text.charAt(0).toLowerCase() + text.slice(1);
}
