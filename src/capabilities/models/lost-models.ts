// Finds models of earlier runs that are no longer in the workspace.
import type { LookContext } from '../../machinery/capability.ts';
import { isYoung } from '../../machinery/visibility.ts';
import type { Asset } from '../../plan/types.ts';
import { modelLooks } from './model-board.ts';

/** The assets whose models do not exist on the platform. */
export async function lostModels<A extends Asset>(
  assets: readonly A[],
  context: LookContext,
): Promise<ReadonlySet<A>> {
  const adopted = assets.filter(({ refs }) => refs.modelId !== undefined);
  if (adopted.length === 0) return new Set();
  const models = modelLooks(context.lookout);
  // A run reported these models missing after the last poll, so cached results do not count.
  models.doubt(idsOf(adopted.filter(({ refs }) => refs.missing?.includes('modelId'))));
  const looks = await models.know(idsOf(adopted), context);
  const isLost = ({ refs }: A) =>
    looks.get(refs.modelId ?? '')?.look === null &&
    !isYoung(refs, { client: context.lookout.client, now: context.now });
  return new Set(adopted.filter(isLost));
}

function idsOf(assets: readonly Asset[]): string[] {
  return assets.flatMap(({ refs }) => refs.modelId ?? []);
}
