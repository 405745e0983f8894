// Queries, signals and updates of open workflows.

/** Names of the messages. Their definitions are in `workflows/messages.ts`. */
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
  lease: 'lease',
  leave: 'leave',
  wrongClocks: 'wrong-clocks',
  act: 'act',
} as const;
