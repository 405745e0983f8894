// Failure codes for code that may not import `src/failures`. Pure.

/** Codes that the plan, workflows and settings use. Titles and fixes of these codes are in `src/failures`. */
export type WorkflowFailureCode =
  | 'CANARY_WAITING'
  | 'CANARY_NOT_APPROVED'
  | 'APPROVAL_WAITING'
  | 'PICTURES_CHANGED'
  | 'TOO_MANY_FAILURES'
  | 'MANIFEST_UNWRITTEN'
  | 'TIMED_OUT'
  | 'ACTIVITY_FAILED'
  | 'SHARD_CANCELLED'
  | 'SHARD_FAILED'
  | 'NO_PLAN'
  | 'PLAN_VERSION'
  | 'NAME_OF_ANOTHER_RUN'
  | 'FOLDERS_APART'
  | 'HOST_AWAY'
  | 'CONFIG';

/** Returns what the failures of a cause are counted in. In the result of a run, these codes concern whole shards. */
export function failureNounOf(code: string): 'shard' | 'asset' {
  return code === 'SHARD_FAILED' || code === 'SHARD_CANCELLED' ? 'shard' : 'asset';
}
