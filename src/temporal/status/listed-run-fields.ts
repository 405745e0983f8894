// Reads the search attributes of a listed workflow.
import type { WorkflowExecutionInfo } from '@temporalio/client';

type Listed = Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>;

/** Returns the search attribute values by name. */
export function attributesOf({ typedSearchAttributes }: Listed): ReadonlyMap<string, unknown> {
  return new Map(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
}

/**
 * Finds the version that a run is pinned to, as `deployment:build`. Returns null if there is none. Temporal sets these
 * attributes. Runs stay pinned unless somebody has moved them to whichever build is current.
 */
export function findPinnedVersion(run: Listed): string | null {
  const attributes = attributesOf(run);
  const version = attributes.get('TemporalWorkerDeploymentVersion');
  const isMoved = attributes.get('TemporalWorkflowVersioningBehavior') === 'AutoUpgrade';
  return !isMoved && typeof version === 'string' ? version : null;
}
