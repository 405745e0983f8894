// Finds the delivered pictures that new ones would replace, so that people see both.
import type { NodeContext } from '../../engine/node-context.ts';
import type { StepAsset } from '../../plan/types.ts';
import { connectorsByDelivery } from '../../store/records/recipes.ts';
import type { PictureLocation } from '../../store/runs/pictures/approvals.ts';
import { readPreviousRecords } from '../delivery/replaced-pictures.ts';
import type { OutputRef } from '../renders/platform-ids.ts';

/**
 * Returns the delivered pictures by the id of the new output. The earlier output has the same name, or there was only
 * one and there is only one now.
 */
export async function findPreviousPictures(
  { key }: StepAsset,
  outputs: readonly OutputRef[],
  context: Pick<NodeContext, 'store' | 'shard' | 'run'>,
): Promise<Map<string, PictureLocation>> {
  const { record, moved } = await readPreviousRecords(context, key);
  const before = moved ?? record;
  if (before === null) return new Map();
  const connectorOf = connectorsByDelivery(await context.store.recipes.known());
  const names = new Map(before.platformIds.outputs?.map(({ id, name }) => [id, name]));
  const pictures = before.files.filter(({ width }) => width > 0);
  const originals = pictures.filter(({ image }) => image === undefined);
  const known = originals.length > 0 ? originals : pictures;
  const isOnly = outputs.length === 1 && known.length === 1;
  return new Map(
    outputs.flatMap(({ id, name }) => {
      const file = known.find(({ output }) => isOnly || names.get(output) === name);
      const connector = file && context.run.connectors[connectorOf(file.delivery) ?? ''];
      return connector ? [[id, { connector, path: file.path }] as const] : [];
    }),
  );
}
