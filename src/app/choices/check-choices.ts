import type { CompileResult } from '../../compile/compile.ts';
import { choicesFrom } from '../../compile/pipeline.ts';
import type { Path } from '../../compile/yaml/document.ts';
import { Findings } from '../../compile/yaml/findings.ts';
import type { Range } from '../../compile/yaml/source-text.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { type ChoicesFrom, checkChoice } from '../../features/choices.ts';
import type { App } from '../app.ts';
import { explainUnlessUnauthorized } from '../renderline-error.ts';
import { withNames } from './name-context.ts';

const maxWaitMs = 10_000;

interface ChosenValue {
  name: string;
  value: string;
  from: ChoicesFrom;
  range: Range;
}

/**
 * Adds a problem for each value that the workspace does not have. If the platform cannot be asked, only emits a note,
 * because the run itself looks up the names that its nodes use.
 * @param given values by parameter name; the file's defaults count too
 * @param at path of the given values in the file; null if they are not from the file
 * @throws ApiError when the platform rejects the key
 */
export async function checkChoices<C extends CompileResult>(
  app: App,
  checked: C,
  given: Readonly<Record<string, unknown>>,
  at: Path | null = null,
): Promise<C> {
  const wrong = await findWrongChoices(app, checked, given, at);
  if (checked.document === null || wrong.length === 0) return checked;
  const findings = new Findings(checked.document.source);
  for (const { name, range, message, fix } of wrong) {
    findings.error('RL318', range, `parameter "${name}": ${message}`, fix);
  }
  return { ...checked, ok: false, plan: null, problems: [...checked.problems, ...findings.all()] };
}

interface WrongChoice extends ChosenValue {
  message: string;
  fix: string;
}

/** Finds the values that `checkChoices` reports, for callers that word problems of parameters themselves. */
export async function findWrongChoices(
  app: App,
  checked: CompileResult,
  given: Readonly<Record<string, unknown>>,
  at: Path | null = null,
): Promise<WrongChoice[]> {
  const chosen = checked.ok ? chosenValues(checked, given, at) : [];
  if (chosen.length === 0) return [];
  const wrong: WrongChoice[] = [];
  try {
    await withNames(app, maxWaitMs, async (names) => {
      for (const one of chosen) {
        try {
          await checkChoice(one.value, one.from, names);
        } catch (error) {
          if (!(error instanceof RunCauseError)) throw error;
          wrong.push({ ...one, message: error.message, fix: error.fix });
        }
      }
    });
  } catch (error) {
    const names = chosen.map(({ name }) => `"${name}"`).join(', ');
    const { message } = explainUnlessUnauthorized(error);
    app.note(
      `The ${chosen.length === 1 ? 'value' : 'values'} of ${names} ${chosen.length === 1 ? 'was' : 'were'} not checked. ${message}`,
    );
  }
  return wrong;
}

function chosenValues(
  { pipeline, document }: CompileResult,
  given: Readonly<Record<string, unknown>>,
  at: Path | null,
): ChosenValue[] {
  return Object.entries(pipeline?.parameters ?? {}).flatMap(([name, parameter]) => {
    const from = choicesFrom(parameter);
    const isGiven = given[name] !== undefined;
    const value = isGiven ? given[name] : parameter.default;
    if (document === null || from === null || typeof value !== 'string') return [];
    const declared = ['parameters', name];
    const range =
      isGiven && at === null
        ? document.keyRange(declared)
        : document.valueRange(isGiven ? [...(at ?? []), name] : [...declared, 'default']);
    return [{ name, value, from, range }];
  });
}
