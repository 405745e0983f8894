// Queries, signals and updates of open workflows.

/** Names of the messages. Their definitions are in `workflows/messages.ts`. */
export const messages = {
  progress: 'progress',
  pause: 'pause',
  resume: 'resume',
  approve: 'approve',
  decide: 'decide',
  recheck: 'recheck',
  stop: 'stop',
  shardReport: 'shardReport',
  shardBlocked: 'shardBlocked',
  shardDetached: 'shardDetached',
  shardWaits: 'shardWaits',
  shardAwaitsApproval: 'shardAwaitsApproval',
  shardFinished: 'shardFinished',
  platformEvents: 'platformEvents',
  updateTriggerPlan: 'updateTriggerPlan',
  triggerError: 'triggerError',
  lease: 'lease',
  leave: 'leave',
  clockSkews: 'clockSkews',
  action: 'action',
} as const;
