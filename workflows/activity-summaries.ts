// Summaries of the engine's activities. The Temporal UI shows them next to the activity names.
import type { Activities } from '../src/plan/contract/contract.ts';

export const activitySummaries: Readonly<Record<keyof Activities, string>> = {
  discover: 'List the assets of the source',
  openShard: 'Claim the assets of this shard',
  compactPages: 'Compact the state of open assets',
  finalizeAssets: 'Write results and records',
  countShard: 'Count what a closed shard has written',
  endOrphanedChildren: 'End shards that an earlier execution left open',
  listClosedShards: 'Check which shards have closed',
  readLoad: "Read the worker's load",
  cancelRemoteJobs: 'Cancel jobs on the platform',
  sendNotice: 'Send the notice to its receiver',
  writeReport: 'Write the report of the run',
  withdraw: 'Withdraw products whose source is gone',
  writeManifests: 'Write the list of delivered files',
  filterEvents: 'Find the objects to start runs for',
  holdPollLeadership: 'Poll the platform for all workers',
  probeFolders: 'Check what the host sees of the folders',
  findHost: 'Check whether a worker runs on the host',
};
