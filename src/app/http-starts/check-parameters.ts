// Checks parameters that another program sends, and names each one that is wrong.
import type { Parameter } from '../../compile/pipeline.ts';
import { validateValue } from '../../compile/yaml/parameters.ts';
import type { FieldProblem, RunRequest } from '../../receiver/runs/messages.ts';

/** Matches a path that begins at a root, a home folder or a drive, or that leads upwards. */
const leadsOut = /^(?:[/\\~]|[A-Za-z]:[/\\])|(?:^|[/\\])\.\.(?:[/\\]|$)/;

/**
 * One entry per parameter that is unknown, missing or of another type. Text that leads out of a folder is refused, because it
 * may become part of a path: the pipeline file decides which folders are used, never the caller.
 */
export function checkParameters(
  declared: Readonly<Record<string, Parameter>>,
  given: RunRequest['parameters'],
): FieldProblem[] {
  const known = new Map(Object.entries(declared));
  const values = new Map(Object.entries(given));
  const unknown = [...values.keys()]
    .filter((name) => !known.has(name))
    .map((name) => ({ name, message: 'the pipeline has no such parameter' }));
  const wrong = [...known].flatMap(([name, parameter]): FieldProblem[] => {
    const message = problemOf(values.get(name), parameter);
    return message === null ? [] : [{ name, message }];
  });
  return [...unknown, ...wrong];
}

function problemOf(value: unknown, parameter: Parameter): string | null {
  if (value === undefined) return parameter.default === undefined ? 'has no value' : null;
  const checked = validateValue(value, parameter);
  if ('reason' in checked) return checked.reason;
  const isText = parameter.type === 'string' || parameter.type === 'path';
  if (isText && leadsOut.test(String(checked.value))) {
    return 'may not begin with /, \\, ~ or a drive, and may not contain the folder ..';
  }
  return null;
}
