// The groups in which help lists the commands. Pure.
import type { CommandRow } from './index.ts';

/** Headings with the names of their commands, both in the order of help. */
export const groups: readonly (readonly [heading: string, names: string])[] = [
  ['Write a pipeline', 'init validate test schema graph'],
  ['Run it', 'plan run runs show report failures rerun explain'],
  ['Control a run', 'approve pause resume cancel audit'],
  ['Start by itself', 'apply schedules backfill'],
  ['What is on the platform', 'find clean api platform'],
  ['Serve', 'worker deployments replay webhooks codec mcp'],
  ['On this machine', 'demo dev ui sandbox doctor completion'],
];

/** The rows in the order of their groups, each with its heading; what is in no group comes last. */
export function grouped(rows: readonly CommandRow[]): { row: CommandRow; heading: string }[] {
  const order = groups.flatMap(([heading, names]) =>
    names.split(' ').map((name) => ({ name, heading })),
  );
  const placeOf = (row: CommandRow) => order.findIndex(({ name }) => name === nameOf(row));
  return rows
    .map((row) => ({ row, place: placeOf(row) }))
    .sort((a, b) => (a.place >>> 0) - (b.place >>> 0))
    .map(({ row, place }) => ({ row, heading: order[place]?.heading ?? 'More' }));
}

/** The name that a person types. */
export function nameOf({ term }: Pick<CommandRow, 'term'>): string {
  return term.split(' ', 1)[0] ?? term;
}
