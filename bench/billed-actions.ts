// Counts what Temporal Cloud would bill. The server exposes its action counts as metrics. Histories show only some of
// the actions, because they lack attempts, heartbeats and queries.

/** Numbers of actions of one namespace so far, by kind. */
export type Actions = Readonly<Record<string, number>>;

const line = /^action\{([^}]*)\} (\d+(?:\.\d+)?(?:e\+\d+)?)$/;

/** Reads the actions of a namespace. @param text metrics in Prometheus format */
export function parseActions(text: string, namespace: string): Actions {
  const actions: Record<string, number> = {};
  for (const row of text.split('\n')) {
    const [, labels = '', count = '0'] = line.exec(row) ?? [];
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1];
    const type = label('action_type');
    if (type === undefined || label('namespace') !== namespace) continue;
    const kind = kindOf(type);
    actions[kind] = (actions[kind] ?? 0) + Number(count);
  }
  return actions;
}

export async function readActions(port: number, namespace = 'default'): Promise<Actions> {
  const url = `http://127.0.0.1:${port}/metrics`;
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  return parseActions(await response.text(), namespace);
}

export function sumOf(actions: Actions): number {
  return Object.values(actions).reduce((sum, count) => sum + count, 0);
}

/** Formats actions per asset, highest first: `activities 0.52, heartbeats 0.20`. */
export function formatActions(actions: Actions, assets: number): string {
  return Object.entries(actions)
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${kind} ${(count / assets).toFixed(2)}`)
    .join(', ');
}

const kinds: readonly (readonly [of: RegExp, kind: string])[] = [
  [/ScheduleActivityTask/, 'activities'],
  [/activity_retry/, 'further attempts'],
  [/Heartbeat/, 'heartbeats'],
  [/StartTimer/, 'timers'],
  [/Signal/, 'signals'],
  [/Query/, 'queries'],
  // `MultiOperation` is an update with start, which is the only kind of update in the benchmark.
  [/Update(?!.*Search)|MultiOperation/, 'updates'],
  [/SearchAttributes/, 'search attributes'],
  [/Start|ContinueAsNew/, 'workflows'],
];

function kindOf(type: string): string {
  return kinds.find(([pattern]) => pattern.test(type))?.[1] ?? type;
}
