// The lister of a plan's root, for whoever looks for assets: a run, or a plan that only shows them.
import type { ListContext } from '../machinery/discovery/list-context.ts';
import type { RootRole } from '../machinery/node-type.ts';
import type { Plan } from '../plan/types.ts';
import type { Lister } from '../store/discovery/lister.ts';
import { nodeTypes } from './index.ts';

/** @throws TypeError for a plan whose root is of a type that cannot begin one. */
export function listerOf(discovery: Plan['discovery'], context: ListContext): Lister {
  const { root, config } = rootType(discovery);
  return root.list(config.parse(discovery.config), context);
}

/** The files that a plan begins with; null where it begins with what the platform has. */
export function filesOf(discovery: Plan['discovery']) {
  const { root, config } = rootType(discovery);
  return root.files?.(config.parse(discovery.config)) ?? null;
}

/** Whether assets come from files or from the platform. */
export function sourceOfAssets(discovery: Plan['discovery']): RootRole<unknown>['from'] {
  return rootType(discovery).root.from;
}

function rootType({ activity }: Plan['discovery']) {
  const type = nodeTypes.find((known) => known.type === activity);
  if (!type?.root) throw new TypeError(`no pipeline begins with ${activity}`);
  return { root: type.root, config: type.config };
}
