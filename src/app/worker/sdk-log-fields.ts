// Converts the fields of a Temporal SDK log line to our log fields: component, run and shard.

type Fields = Readonly<Record<string | symbol, unknown>>;

/** Keeps the SDK's own ids, because people search for them in the Temporal UI. */
export function sdkLogFields(meta: Fields | undefined): Record<string, unknown> {
  const { sdkComponent, ...rest } = { ...meta };
  return {
    ...(typeof sdkComponent === 'string' ? { component: sdkComponent } : {}),
    ...runAndShardOf(rest['workflowId'] ?? rest['workflow_id']),
    ...rest,
  };
}

/** Ids of shard and notice workflows start with their run. Workflows that serve all runs belong to no run. */
function runAndShardOf(workflowId: unknown): { run?: string; shard?: number } {
  if (typeof workflowId !== 'string' || /^(allowance|poll-leader|event-trigger)\//.test(workflowId))
    return {};
  const [, run = workflowId, shard] =
    /^(.+)\/(?:shard-(\d+)|(?:notice|approval|decision|(?:expected-)?late)-\d+(?:-\d+)?)$/.exec(
      workflowId,
    ) ?? [];
  return shard === undefined ? { run } : { run, shard: Number(shard) };
}
