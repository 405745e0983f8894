// Lists the Pantone materials of a node that begins a pipeline, as one asset.
import type { ListContext } from '../../engine/discovery/list-context.ts';
import { unnamedObject } from '../../engine/discovery/platform-objects.ts';
import type { Lister } from '../../store/discovery/lister.ts';
import { objectSource } from '../../store/records/source-version.ts';
import { type PantoneOptions, readPantoneRows } from './pantone-rows.ts';

/** The version of the asset changes whenever any row changes. */
export function pantoneLister(
  options: PantoneOptions,
  { node, connectorNamed }: Pick<ListContext, 'node' | 'connectorNamed'>,
): Lister {
  return {
    async list() {
      const rows = await readPantoneRows(options, { connectorNamed });
      const shown = rows.flatMap(({ name, code, hex }) => [name, code, hex]);
      const source = objectSource(node, node, [String(options.update), ...shown], null);
      return { found: [{ unkeyed: unnamedObject(node, node), source }], refused: [] };
    },
  };
}
