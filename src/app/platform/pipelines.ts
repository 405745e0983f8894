import type { Client } from '../../api/client.ts';
import type { OutputOf } from '../../api/contract/operation.ts';
import type { Operations } from '../../api/operations/index.ts';
import { findNearestName } from '../../api/requests/nearest-name.ts';
import { commandFailures } from '../../failures/commands.ts';
import { createIdMatcher } from '../../store/search/id-spelling.ts';
import { RenderlineError } from '../renderline-error.ts';

export type ListedPipeline = OutputOf<Operations['listPipelines']>['pipelines'][number];

/**
 * Finds the pipeline with this id, or the only one with this name. Returns null if there is none.
 * @throws RenderlineError AMBIGUOUS_PIPELINE if several pipelines have this name
 */
export async function findPipeline(
  client: Client,
  idOrName: string,
): Promise<ListedPipeline | null> {
  const { pipelines } = await client.listPipelines();
  return pickPipeline(pipelines, idOrName);
}

/** Like `findPipeline`, but throws if there is no such pipeline. @throws RenderlineError PIPELINE_NOT_FOUND */
export async function requirePipeline(client: Client, idOrName: string): Promise<ListedPipeline> {
  const { pipelines } = await client.listPipelines();
  const pipeline = pickPipeline(pipelines, idOrName);
  if (pipeline !== null) return pipeline;
  const names = pipelines.map(({ name }) => name);
  const suggestion = findNearestName(idOrName, names);
  const fix =
    suggestion === null
      ? 'List the pipelines: renderline platform list'
      : `Did you mean "${suggestion}"?`;
  const message = `The platform has no pipeline "${idOrName}".`;
  throw new RenderlineError(commandFailures.PIPELINE_NOT_FOUND, message, { fix });
}

function pickPipeline(
  pipelines: readonly ListedPipeline[],
  idOrName: string,
): ListedPipeline | null {
  const isId = createIdMatcher(idOrName);
  const byId = pipelines.find(({ id }) => isId(id));
  if (byId) return byId;
  const matches = pipelines.filter(({ name }) => name === idOrName);
  if (matches.length > 1) {
    throw new RenderlineError(
      commandFailures.AMBIGUOUS_PIPELINE,
      `${matches.length} pipelines of the platform are called "${idOrName}": ${matches.map(({ id }) => id).join(', ')}.`,
    );
  }
  return matches[0] ?? null;
}
