// Fields of a line of Temporal's SDK in the form of our own: which run and shard it is about, and which part says it.

type Fields = Readonly<Record<string | symbol, unknown>>;

/** The SDK's own ids stay beside ours: people look for them in the Temporal UI. */
export function sdkFields(meta: Fields | undefined): Record<string, unknown> {
  const { sdkComponent, ...rest } = { ...meta };
  return {
    ...(typeof sdkComponent === 'string' ? { component: sdkComponent } : {}),
    ...placeOf(rest['workflowId'] ?? rest['workflow_id']),
    ...rest,
  };
}

/** Shards and notices are named after their run; workflows that serve all runs belong to none. */
function placeOf(workflowId: unknown): { run?: string; shard?: number } {
  if (typeof workflowId !== 'string' || /^(allowance|lookout|intake)\//.test(workflowId)) return {};
  const [, run = workflowId, shard] =
    /^(.+)\/(?:shard-(\d+)|notice-\d+|asked-\d+)$/.exec(workflowId) ?? [];
  return shard === undefined ? { run } : { run, shard: Number(shard) };
}
