import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { choicesFrom, type Parameter } from '../../compile/pipeline.ts';
import { type Choice, type ChoicesFrom, listChoices } from '../../features/choices.ts';
import type { App } from '../app.ts';
import { explainError } from '../renderline-error.ts';
import { withNames } from './name-context.ts';

export interface OfferedChoices {
  choices: readonly Choice[];
  /** Why the list is empty or incomplete, as a sentence; null if it contains all choices. */
  remark: string | null;
}

/** Short, because a person waits for the list. */
const defaultWaitMs = 5_000;

/** The choices of each parameter that has some, read from the workspace if the file says so. Never rejects. */
export async function readChoices(
  app: App,
  parameters: Readonly<Record<string, Parameter>>,
  maxWaitMs = defaultWaitMs,
): Promise<Record<string, OfferedChoices>> {
  const offered = Object.entries(parameters).map(async ([name, parameter]) => {
    const choices = await readChoicesOfParameter(app, parameter, maxWaitMs);
    return choices === null ? [] : [[name, choices] as const];
  });
  return Object.fromEntries((await Promise.all(offered)).flat());
}

async function readChoicesOfParameter(
  app: App,
  parameter: Parameter,
  maxWaitMs: number,
): Promise<OfferedChoices | null> {
  const from = choicesFrom(parameter);
  if (from !== null) return readList(app, from, maxWaitMs);
  const { type, values } = parameter;
  const declared = type === 'boolean' ? ['true', 'false'] : Array.isArray(values) ? values : null;
  return declared && { choices: declared.map((value) => ({ value, name: value })), remark: null };
}

async function readList(app: App, from: ChoicesFrom, maxWaitMs: number): Promise<OfferedChoices> {
  try {
    const { choices, hasMore } = await withNames(app, maxWaitMs, (names) =>
      listChoices(from, names),
    );
    const newest = `Shows the newest ${choices.length} ${from.from}. You may also type the name of another one.`;
    const none = `The workspace has no ${from.from} to choose from.`;
    return { choices, remark: hasMore ? newest : choices.length === 0 ? none : null };
  } catch (error) {
    const why = escapeToOneLine(explainError(error).message);
    return {
      choices: [],
      remark: `The ${from.from} of the workspace cannot be listed; type a name. ${why}`,
    };
  }
}
