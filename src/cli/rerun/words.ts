// A rerun in words: what it does again, and the command that asks for it. Pure.
import type { Rerun } from '../../plan/rerun.ts';
import type { Failure } from '../../plan/types.ts';
import { shellQuoted } from '../shell-quote.ts';

/** What the shell takes to do the failures of a run again; `where` chooses among them. */
export function rerunCommand(run: string, where?: string): string {
  const chosen = where === undefined ? '' : ` --where ${shellQuoted(where)}`;
  return `renderline rerun ${shellQuoted(run)} --failed${chosen}`;
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
