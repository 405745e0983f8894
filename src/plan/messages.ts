// Queries and signals of open workflows.

/** Names of queries and signals; the definitions stand beside the workflows. */
export const messages = {
  progress: 'progress',
  pause: 'pause',
  resume: 'resume',
  approve: 'approve',
  stop: 'stop',
  shardReport: 'shard-report',
  shardCause: 'shard-cause',
  shardParked: 'shard-parked',
  shardWaits: 'shard-waits',
  shardEnded: 'shard-ended',
  platformEvents: 'platform-events',
  intakePlan: 'intake-plan',
  trouble: 'trouble',
} as const;
