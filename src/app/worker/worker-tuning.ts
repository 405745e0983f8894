import { commandFailures } from '../../failures/commands.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { Environment } from '../../settings/environment.ts';
import type { TuningOptions } from '../../temporal/tuning/tuning.ts';
import { RenderlineError } from '../renderline-error.ts';

/** Values that are not parsed yet. */
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
  const readSetting = (flag: string, value: string | undefined, variable: string) => {
    const set = env[variable] || undefined;
    if (value !== undefined) return { value, origin: flag };
    return set === undefined ? undefined : { value: set, origin: variable };
  };
  const { maxActivities, maxWorkflowTasks, cachedWorkflows } = options;
  const { targetMemory, targetCpu, pollers } = options;
  return withoutUndefined({
    maxActivities: readWholeNumber(
      readSetting('--max-activities', maxActivities, 'RENDERLINE_MAX_ACTIVITIES'),
      1,
    ),
    maxWorkflowTasks: readWholeNumber(
      readSetting('--max-workflow-tasks', maxWorkflowTasks, 'RENDERLINE_MAX_WORKFLOW_TASKS'),
      2,
    ),
    cachedWorkflows: readWholeNumber(
      readSetting('--cached-workflows', cachedWorkflows, 'RENDERLINE_CACHED_WORKFLOWS'),
      0,
    ),
    targetMemory: readShare(
      readSetting('--target-memory', targetMemory, 'RENDERLINE_TARGET_MEMORY'),
    ),
    targetCpu: readShare(readSetting('--target-cpu', targetCpu, 'RENDERLINE_TARGET_CPU')),
    pollers: readPollers(readSetting('--pollers', pollers, 'RENDERLINE_POLLERS')),
  });
}

type Setting = { value: string; origin: string } | undefined;

function readWholeNumber(setting: Setting, min: number): number | undefined {
  if (setting === undefined) return undefined;
  const { value, origin } = setting;
  const number = /^\d{1,6}$/.test(value) ? Number(value) : -1;
  if (number >= min && number <= 100_000) return number;
  throw badValueError(origin, value, `a whole number from ${min} to 100000`, '50');
}

function readShare(setting: Setting): number | undefined {
  if (setting === undefined) return undefined;
  const { value, origin } = setting;
  const number = /^(0?\.\d{1,4}|1(\.0+)?)$/.test(value) ? Number(value) : 0;
  if (number >= 0.05) return number;
  throw badValueError(origin, value, 'a share from 0.05 to 1', '0.8');
}

function readPollers(setting: Setting): number | 'auto' | undefined {
  if (setting?.value === 'auto') return 'auto';
  if (setting === undefined) return undefined;
  const { value, origin } = setting;
  const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (number >= 2 && number <= 200) return number;
  throw badValueError(origin, value, '"auto" or a number from 2 to 200', 'auto');
}

function badValueError(
  origin: string,
  value: string,
  requirement: string,
  example: string,
): RenderlineError {
  const exampleText = origin.startsWith('--') ? `${origin} ${example}` : `${origin}=${example}`;
  return new RenderlineError(
    commandFailures.BAD_NUMBER,
    `${origin} ${JSON.stringify(value)} is not ${requirement}.`,
    { fix: `For example: ${exampleText}` },
  );
}
