// A rerun in words: what it does again, and the command that asks for it. Pure.
import type { Rerun } from '../../plan/rerun.ts';
import type { Failure } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { shellQuoted } from '../shell-quote.ts';

/** What `renderline rerun` is given beside the run. */
export interface RerunWords {
  file?: string | undefined;
  failed?: boolean;
  /** A condition that chooses among them. */
  where?: string | null;
  parameters?: Readonly<Record<string, string>>;
  with?: Rerun['plan'];
}

/** What the shell takes to do a run again. */
export function rerunCommand(run: string, words: RerunWords): string {
  const { file, failed, where, parameters = {} } = words;
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return [
    'renderline rerun',
    shellQuoted(run),
    ...(file === undefined ? [] : [shellQuoted(file)]),
    ...(failed ? ['--failed'] : []),
    ...(where ? ['--where', shellQuoted(where)] : []),
    ...values.flatMap((value) => ['--param', shellQuoted(value)]),
    ...(words.with ? ['--with', words.with] : []),
  ].join(' ');
}

/**
 * What the shell takes to do failures of a run again, as it is. Runs of schedules and events know no file, so they
 * would have to choose; what failed in them failed under their own plan.
 */
export function redoCommand(run: string, file: string | undefined, where?: string): string {
  const plan = file === undefined ? { with: 'pinned' as const } : {};
  return rerunCommand(run, { failed: true, ...withoutUndefined({ where }), ...plan });
}

/** A condition that holds for the failures of one cause. */
export function whereOf({ code, node }: Pick<Failure, 'code' | 'node'>): string {
  const at = node === '' ? '' : ` && node == ${JSON.stringify(node)}`;
  return `code == ${JSON.stringify(code)}${at}`;
}

/** `what failed of RUN, where …, with its own plan` */
export function againWords({ of, failed, where, plan }: Rerun): string {
  const what = failed ? 'what failed' : 'what was not delivered';
  const which = where === null ? '' : `, where ${where}`;
  const by = plan === 'pinned' ? 'with its plan' : 'with the file as it is now';
  return `${what} of ${of}${which}, ${by}`;
}
