import { omitUndefined } from '../helpers/omit-undefined.ts';
import { quoteForShell } from '../helpers/quote-for-shell.ts';
import type { Failure } from '../types.ts';
import type { Rerun } from './rerun.ts';

/** Arguments of `renderline rerun` other than the run. */
export interface RerunArguments {
  file?: string | undefined;
  failed?: boolean;
  where?: string | null;
  parameters?: Readonly<Record<string, string>>;
  with?: Rerun['plan'];
}

export function rerunCommand(run: string, options: RerunArguments): string {
  const { file, failed, where, parameters = {} } = options;
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return [
    'renderline rerun',
    quoteForShell(run),
    ...(file === undefined ? [] : [quoteForShell(file)]),
    ...(failed ? ['--failed'] : []),
    ...(where ? ['--where', quoteForShell(where)] : []),
    ...values.flatMap((value) => ['--param', quoteForShell(value)]),
    ...(options.with ? ['--with', options.with] : []),
  ].join(' ');
}

/**
 * Returns the command line that reruns the failed assets of a run. It does not mention the file.
 * @param file path of the pipeline file. Undefined for a run of a schedule or event, which is rerun with its own plan
 */
export function rerunFailuresCommand(
  run: string,
  file: string | undefined,
  condition?: string,
): string {
  const plan = file === undefined ? { with: 'pinned' as const } : {};
  return rerunCommand(run, { failed: true, ...omitUndefined({ where: condition }), ...plan });
}

/** Returns a condition that selects the failures of one cause. */
export function failureConditionOf({ code, node }: Pick<Failure, 'code' | 'node'>): string {
  const nodeCondition = node === '' ? '' : ` && node == ${JSON.stringify(node)}`;
  return `code == ${JSON.stringify(code)}${nodeCondition}`;
}

/** Returns the command line that reruns the failed assets of all runs since a time. */
export function rerunSinceCommand(
  since: string,
  { pipeline, where }: { pipeline?: string | undefined; where?: string | undefined },
): string {
  return [
    `renderline rerun --since ${quoteForShell(since)} --failed`,
    ...(pipeline === undefined ? [] : ['--pipeline', quoteForShell(pipeline)]),
    ...(where === undefined ? [] : ['--where', quoteForShell(where)]),
  ].join(' ');
}
