// Codes of failures that workflows raise themselves. Pure.

/**
 * Failure codes of plan, workflows and settings, which may not import `src/failures`. Titles and fixes of these codes
 * are there.
 */
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
