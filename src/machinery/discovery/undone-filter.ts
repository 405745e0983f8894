// CEL over what a run has not delivered: `rerun --where`.
import { nearest } from '../../api/nearest-name.ts';
import { commandFailures } from '../../failures/commands.ts';
import { refuseExpression } from '../../language/expression-limits.ts';
import { countedProgram } from '../../language/expression-work.ts';
import { boundedEnvironment, ExpressionError } from '../../language/expressions.ts';
import type { Undone } from '../../store/discovery/undone.ts';

const fields = {
  key: 'string',
  path: 'string',
  outcome: 'string',
  node: 'string',
  code: 'string',
  message: 'string',
  attempts: 'double',
  modelId: 'string',
  projectId: 'string',
  jobId: 'string',
} as const;

const environment = Object.entries(fields).reduce(
  (known, [name, type]) => known.registerVariable(name, type),
  boundedEnvironment(),
);

export type UndoneFilter = (undone: Undone) => boolean;

export class WhereError extends Error {
  override name = 'WhereError';
  readonly failure = commandFailures.WHERE;
  readonly fix: string;

  constructor(source: string, why: string, fix: string) {
    super(`where '${source}': ${why}`);
    this.fix = fix;
  }
}

/** @throws WhereError for what is no condition over the fields of an asset; its filter throws ExpressionError. */
export function undoneFilter(source: string): UndoneFilter {
  const program = parsed(source);
  return (undone) => {
    try {
      return program.evaluate(valuesOf(undone)) === true;
    } catch (error) {
      throw new ExpressionError(source, summaryOf(error));
    }
  };
}

function parsed(source: string) {
  const long = refuseExpression(source, null);
  if (long) throw new WhereError(source, long.message, 'Make it shorter.');
  try {
    const program = environment.parse(source);
    const unbounded = refuseExpression(source, program.ast);
    if (unbounded)
      throw new WhereError(source, unbounded.message, unbounded.hint ?? 'Make it simpler.');
    const checked = program.check();
    if (!checked.valid) throw checked.error;
    if (checked.type === 'bool') return countedProgram(program);
    throw new WhereError(source, `is a ${checked.type ?? 'value'}, not a condition`, knownFields);
  } catch (error) {
    if (error instanceof WhereError) throw error;
    const why = summaryOf(error);
    const name = /variable: (\w+)$/.exec(why)?.[1];
    const near = name === undefined ? null : nearest(name, Object.keys(fields));
    throw new WhereError(source, why, near === null ? knownFields : `Did you mean "${near}"?`);
  }
}

const knownFields = `Compare one of ${Object.keys(fields).join(', ')}, for example: code == "RENDER_FAILED"`;

function valuesOf({ key, asset, outcome, failure, refs }: Undone) {
  const { modelId = '', projectId = '', jobId = '' } = refs;
  const { node, code, message, attempts } = failure ?? {
    node: '',
    code: '',
    message: '',
    attempts: 0,
  };
  const path = asset?.source.path ?? key;
  return { key, path, outcome, node, code, message, attempts, modelId, projectId, jobId };
}

function summaryOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof Error && 'summary' in error ? String(error.summary) : message;
  return text.charAt(0).toLowerCase() + text.slice(1);
}
