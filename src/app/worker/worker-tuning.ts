import { commandFailures } from '../../failures/commands.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Environment } from '../../settings/environment.ts';
import type { TuningOptions } from '../../temporal/tuning/tuning.ts';
import { badValueError } from '../renderline-error.ts';

/** Values that have not been parsed yet. */
export interface GivenTuning {
  maxActivities?: string | undefined;
  maxWorkflowTasks?: string | undefined;
  cachedWorkflows?: string | undefined;
  targetMemory?: string | undefined;
  targetCpu?: string | undefined;
  pollers?: string | undefined;
}

/** @throws RenderlineError for a value outside its range */
export function readTuningOptions(options: GivenTuning, env: Environment): TuningOptions {
  const read = <Value>(
    variable: string,
    given: string | undefined,
    { parse, requirement, example }: Format<Value>,
  ) => {
    const text = given ?? (env[variable] || undefined);
    const value = text === undefined ? undefined : parse(text);
    if (text === undefined || value !== undefined) return value;
    const flag = variable.replace('RENDERLINE_', '--').replaceAll('_', '-').toLowerCase();
    const [origin, separator] = given === undefined ? [variable, '='] : [flag, ' '];
    const message = `${origin} ${JSON.stringify(text)} is not ${requirement}.`;
    throw badValueError(commandFailures.BAD_NUMBER, message, `${origin}${separator}${example}`);
  };
  return omitUndefined({
    maxActivities: read('RENDERLINE_MAX_ACTIVITIES', options.maxActivities, wholeNumber(1)),
    maxWorkflowTasks: read(
      'RENDERLINE_MAX_WORKFLOW_TASKS',
      options.maxWorkflowTasks,
      wholeNumber(2),
    ),
    cachedWorkflows: read('RENDERLINE_CACHED_WORKFLOWS', options.cachedWorkflows, wholeNumber(0)),
    targetMemory: read('RENDERLINE_TARGET_MEMORY', options.targetMemory, share),
    targetCpu: read('RENDERLINE_TARGET_CPU', options.targetCpu, share),
    pollers: read('RENDERLINE_POLLERS', options.pollers, pollers),
  });
}

interface Format<Value> {
  /** Returns undefined for text that is not allowed. */
  parse: (text: string) => Value | undefined;
  requirement: string;
  example: string;
}

const wholeNumber = (min: number): Format<number> => ({
  parse: (text) => numberIn(text, /^\d{1,6}$/, min, 100_000),
  requirement: `a whole number from ${min} to 100000`,
  example: '50',
});
const share: Format<number> = {
  parse: (text) => numberIn(text, /^(0?\.\d{1,4}|1(\.0+)?)$/, 0.05, 1),
  requirement: 'a share from 0.05 to 1',
  example: '0.8',
};
const pollers: Format<number | 'auto'> = {
  parse: (text) => (text === 'auto' ? text : numberIn(text, /^\d{1,3}$/, 2, 200)),
  requirement: '"auto" or a number from 2 to 200',
  example: 'auto',
};

function numberIn(text: string, form: RegExp, min: number, max: number): number | undefined {
  const number = form.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}
