// What Temporal keeps beside each run, so that any machine can show the run, and find its records, without the pipeline file.
import { otherDestinations } from './deliveries.ts';
import type { Rerun } from './rerun.ts';
import type { ConnectorSpec, Plan } from './types.ts';
import { withoutUndefined } from './without-undefined.ts';

/** Field of a run's memo that holds its RunMemo. */
export const runMemoField = 'renderline';

export interface RunMemo {
  pipeline: string;
  file: string;
  /** Path of the file on the machine that started the run; absent where unknown. */
  path?: string;
  /** The part of another run that it does again; absent for other runs. */
  again?: Rerun;
  records: ConnectorSpec;
  destination: ConnectorSpec | null;
  /** Places that its other exports deliver to; absent where all deliver to one. */
  alsoTo?: ConnectorSpec[];
  /** Its exports, in the order of the file; absent where there is one at most, and in runs of earlier versions. */
  exports?: ExportMemo[];
  /** What the person who started it gave as the reason. */
  reason?: string;
  /** Folder below the destination in which it leaves its report; absent where it leaves none. */
  report?: string;
  /** See Plan. Absent also where a version before started the run. */
  workspace?: string;
  steps: string[];
}

export interface ExportMemo {
  node: string;
  /** Mark of its delivery, by which files tell that they are its own. */
  delivery: string;
  place: ConnectorSpec;
}

export function memoOf(plan: Plan): RunMemo {
  const alsoTo = otherDestinations(plan);
  const exports = exportsOf(plan);
  const { pipeline, file, records, destination, report, workspace } = plan;
  return {
    pipeline,
    file,
    records,
    destination,
    steps: plan.steps.map(({ id }) => id),
    ...(alsoTo.length > 0 ? { alsoTo } : {}),
    ...(exports.length > 1 ? { exports } : {}),
    ...withoutUndefined({ report, workspace }),
  };
}

function exportsOf({ steps, stages, connectors }: Plan): ExportMemo[] {
  return steps.flatMap(({ node, delivery }) => {
    const place = connectors[stages?.deliveries[node]?.connector ?? ''];
    return delivery === undefined || place === undefined ? [] : [{ node, delivery, place }];
  });
}

/** The RunMemo of a workflow; null where it has none. */
export function memoIn(memo: Readonly<Record<string, unknown>> | undefined): RunMemo | null {
  // Memos are untyped; what `memoOf` gives is alone in this field.
  return (memo?.[runMemoField] as RunMemo | undefined) ?? null;
}
