import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { findChoiceSource, type Parameter } from '../../compile/pipeline.ts';
import { type Choice, type ChoicesFrom, listChoices } from '../../features/choices.ts';
import type { App } from '../app.ts';
import { explainError } from '../renderline-error.ts';
import { withNames } from './name-context.ts';

export interface OfferedChoices {
  choices: readonly Choice[];
  /** Why the list is empty or incomplete, as a sentence. Null if the list contains all choices. */
  remark: string | null;
}

/** Short, because a person waits for the list. */
const defaultWaitMs = 5_000;

/** Reads the choices of each parameter that has any, from the workspace if the file says so. Never rejects. */
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
  const source = findChoiceSource(parameter);
  if (source !== null) return readList(app, source, maxWaitMs);
  const values = parameter.type === 'boolean' ? ['true', 'false'] : parameter.values;
  if (!Array.isArray(values)) return null;
  return { choices: values.map((value) => ({ value, name: value })), remark: null };
}

async function readList(app: App, source: ChoicesFrom, maxWaitMs: number): Promise<OfferedChoices> {
  try {
    const { choices, hasMore } = await withNames(app, maxWaitMs, (names) =>
      listChoices(source, names),
    );
    const newestRemark = `Shows the newest ${choices.length} ${source.from}. You can also type another name.`;
    const emptyRemark = `The workspace has no ${source.from} to choose from.`;
    return { choices, remark: hasMore ? newestRemark : choices.length === 0 ? emptyRemark : null };
  } catch (error) {
    const reason = escapeToOneLine(explainError(error).message);
    const remark = `The ${source.from} of the workspace cannot be listed, so type a name. ${reason}`;
    return { choices: [], remark };
  }
}
