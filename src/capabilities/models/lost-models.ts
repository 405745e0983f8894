// Models of earlier runs that are not in the workspace any more.
import type { LookContext } from '../../machinery/capability.ts';
import { isYoung } from '../../machinery/visibility.ts';
import type { Asset } from '../../plan/types.ts';
import { modelLooks } from './model-board.ts';

/** The assets whose models a look has not found. */
export async function lostModels<A extends Asset>(
  assets: readonly A[],
  context: LookContext,
): Promise<ReadonlySet<A>> {
  const adopted = assets.filter(({ refs }) => refs.modelId !== undefined);
  if (adopted.length === 0) return new Set();
  const models = modelLooks(context.lookout);
  // An earlier look says nothing about models that a run has missed since.
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
