import type { CompileResult } from '../../compile/compile.ts';
import { findChoiceSource, type Limits } from '../../compile/pipeline.ts';
import type { Path } from '../../compile/yaml/document.ts';
import { Findings } from '../../compile/yaml/findings.ts';
import type { Range } from '../../compile/yaml/source-text.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { type ChoicesFrom, checkChoice } from '../../features/choices.ts';
import type { Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { checkFile, requirePlan } from '../compile-pipeline.ts';
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
 * Adds a problem for each value that does not exist in the workspace. If the platform cannot be reached, only emits a
 * note, because the run itself looks up the names that its nodes use.
 * @param values values by parameter name. The file's defaults are included
 * @param valuesPath path of the given values in the file. Null if they are not from the file
 * @throws ApiError if the platform rejects the key
 */
export async function checkChoices<C extends CompileResult>(
  app: App,
  result: C,
  values: Readonly<Record<string, unknown>>,
  valuesPath: Path | null = null,
): Promise<C> {
  const wrongChoices = await findWrongChoices(app, result, values, valuesPath);
  if (result.document === null || wrongChoices.length === 0) return result;
  const findings = new Findings(result.document.source);
  for (const { name, range, message, fix } of wrongChoices) {
    findings.error('RL318', range, `parameter "${name}": ${message}`, fix);
  }
  return { ...result, ok: false, plan: null, problems: [...result.problems, ...findings.all()] };
}

interface WrongChoice extends ChosenValue {
  message: string;
  fix: string;
}

/** Finds the values that `checkChoices` reports, for callers that word the problems themselves. */
export async function findWrongChoices(
  app: App,
  result: CompileResult,
  values: Readonly<Record<string, unknown>>,
  valuesPath: Path | null = null,
): Promise<WrongChoice[]> {
  const choices = result.ok ? findChosenValues(result, values, valuesPath) : [];
  if (choices.length === 0) return [];
  const wrongChoices: WrongChoice[] = [];
  try {
    await withNames(app, maxWaitMs, async (names) => {
      for (const choice of choices) {
        try {
          await checkChoice(choice.value, choice.from, names);
        } catch (error) {
          if (!(error instanceof RunCauseError)) throw error;
          wrongChoices.push({ ...choice, message: error.message, fix: error.fix });
        }
      }
    });
  } catch (error) {
    const names = choices.map(({ name }) => `"${name}"`).join(', ');
    const { message } = explainUnlessUnauthorized(error);
    const [noun, verb] = choices.length === 1 ? ['value', 'was'] : ['values', 'were'];
    app.note(`The ${noun} of ${names} ${verb} not checked. ${message}`);
  }
  return wrongChoices;
}

function findChosenValues(
  { pipeline, document }: CompileResult,
  values: Readonly<Record<string, unknown>>,
  valuesPath: Path | null,
): ChosenValue[] {
  return Object.entries(pipeline?.parameters ?? {}).flatMap(([name, parameter]) => {
    const source = findChoiceSource(parameter);
    const given = values[name];
    const value = given === undefined ? parameter.default : given;
    if (document === null || source === null || typeof value !== 'string') return [];
    const parameterPath = ['parameters', name];
    const valuePath =
      given === undefined ? [...parameterPath, 'default'] : valuesPath && [...valuesPath, name];
    const range = valuePath ? document.valueRange(valuePath) : document.keyRange(parameterPath);
    return [{ name, value, from: source, range }];
  });
}

/** Like `compilePipeline`, but also checks values that must exist on the platform. @throws InvalidPipelineError */
export async function compileForRun(
  app: App,
  file: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<{ plan: Plan; limits: Limits }> {
  const checkedFile = await checkFile(app, file, parameters);
  return requirePlan(app, await checkChoices(app, checkedFile, parameters));
}
