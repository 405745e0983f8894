// Groups of commands in the help. Pure.

interface Row {
  /** Name and arguments of the command. */
  term: string;
}

/** Headings with the names of their commands, in the order of the help. */
export const groups: readonly (readonly [heading: string, names: string])[] = [
  ['Write a pipeline', 'init validate test schema graph'],
  ['Run it', 'plan run runs show report failures rerun explain'],
  ['Control a run', 'approve link pause resume cancel audit'],
  ['Schedules and event triggers', 'apply schedules backfill'],
  ['Platform', 'find clean api platform'],
  ['Workers and servers', 'worker deployments replay webhooks codec mcp'],
  ['On this machine', 'demo dev ui sandbox doctor completion'],
];

/** Orders the rows by their groups and adds the heading. Commands without a group come last. */
export function groupCommands<Command extends Row>(
  rows: readonly Command[],
): { row: Command; heading: string }[] {
  const order = groups.flatMap(([heading, names]) =>
    names.split(' ').map((name) => ({ name, heading })),
  );
  const positionOf = (row: Row) => order.findIndex(({ name }) => name === nameOf(row));
  return rows
    .map((row) => ({ row, position: positionOf(row) }))
    .sort((a, b) => (a.position >>> 0) - (b.position >>> 0))
    .map(({ row, position }) => ({ row, heading: order[position]?.heading ?? 'More' }));
}

/** Name of the command, without its arguments. */
export function nameOf({ term }: Row): string {
  return term.split(' ', 1)[0] ?? term;
}
