// The ids of all workflows.

export const workflowIds = {
  /** The run id is the workflow id, so every command accepts either. */
  run: (run: string) => run,
  eventTrigger: (pipeline: string) => `event-trigger/${pipeline}`,
  /** @param key short hash of the platform's address and the API key */
  allowance: (key: string) => `allowance/${key}`,
  pollLeader: (taskQueue: string) => `poll-leader/${taskQueue}`,
  audit: (taskQueue: string) => `audit/${taskQueue}`,
  /** @param pipeline null for a pause of the whole task queue */
  generalPause: (taskQueue: string, pipeline: string | null) =>
    `general-pause/${taskQueue}${pipeline === null ? '' : `//${pipeline}`}`,
  notice: (run: string, receiver: number) => `${run}/notice-${receiver + 1}`,
  /** @param nth number of the approval, starting from 1, because a run may wait for approval several times */
  approvalNotice: (run: string, receiver: number, nth = 1) =>
    `${run}/approval-${receiver + 1}${nth > 1 ? `-${nth}` : ''}`,
  decisionNotice: (run: string, receiver: number) => `${run}/decision-${receiver + 1}`,
  lateNotice: (run: string, receiver: number) => `${run}/late-${receiver + 1}`,
  expectedLateNotice: (run: string, receiver: number) => `${run}/expected-late-${receiver + 1}`,
  shard: (run: string, shard: number) => `${run}/shard-${String(shard + 1).padStart(4, '0')}`,
};
