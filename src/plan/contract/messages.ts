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
  shardReport: 'shard-report',
  shardCause: 'shard-cause',
  shardDetached: 'shard-detached',
  shardWaits: 'shard-waits',
  shardAsks: 'shard-asks',
  shardFinished: 'shard-finished',
  platformEvents: 'platform-events',
  updateTriggerPlan: 'update-trigger-plan',
  triggerError: 'trigger-error',
  lease: 'lease',
  leave: 'leave',
  clockSkews: 'clock-skews',
  action: 'action',
} as const;
