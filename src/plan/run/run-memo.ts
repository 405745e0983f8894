// The memo of a run in Temporal. With the memo, any machine can show the run and find its records without the file.

import { omitUndefined } from '../helpers/omit-undefined.ts';
import { fingerprintOf } from '../rows.ts';
import type { ConnectorSpec, Plan } from '../types.ts';
import { otherDestinationsOf } from './deliveries.ts';
import type { Rerun } from './rerun.ts';

export const runMemoField = 'renderline';

export interface RunMemo {
  pipeline: string;
  file: string;
  /** Path of the file on the machine that started the run. Absent if unknown. */
  path?: string;
  rerun?: Rerun;
  records: ConnectorSpec;
  destination: ConnectorSpec | null;
  /** Destinations of exports that differ from `destination`. Absent if there are none. */
  extraDestinations?: ConnectorSpec[];
  /** The exports, in the order of the pipeline file. Absent if there is at most one. */
  exports?: ExportMemo[];
  reason?: string;
  /** Folder below the destination for the run's report. Absent if it writes none. */
  report?: string;
  /** Id of the workspace of the run. Absent if it was unknown at the start. */
  workspace?: string;
  steps: string[];
}

export interface ExportMemo {
  node: string;
  /** Fingerprint of the export (`Step.delivery`). `DeliveredFile.delivery` starts with it. */
  delivery: string;
  location: ConnectorSpec;
}

/** Returns the connectors that the run delivers to. Empty if it delivers nothing. */
export function destinationsOf(memo: RunMemo | null): ConnectorSpec[] {
  const { destination = null, extraDestinations = [] } = memo ?? {};
  return destination === null ? [] : [destination, ...extraDestinations];
}

/** Returns the destination of the file's export, or all if it is unknown. @param delivery see `DeliveredFile` */
export function destinationsOfFile(
  destinations: readonly ConnectorSpec[],
  exports: readonly ExportMemo[] = [],
  delivery = '',
): readonly ConnectorSpec[] {
  const exportMemo = exports.find((memo) => memo.delivery === fingerprintOf(delivery));
  return exportMemo === undefined ? destinations : [exportMemo.location];
}

export function runMemoOf(plan: Plan): RunMemo {
  const extraDestinations = otherDestinationsOf(plan);
  const exports = exportsOf(plan);
  const { pipeline, file, records, destination, report, workspace } = plan;
  return {
    pipeline,
    file,
    records,
    destination,
    steps: plan.steps.map(({ id }) => id),
    ...(extraDestinations.length > 0 ? { extraDestinations } : {}),
    ...(exports.length > 1 ? { exports } : {}),
    ...omitUndefined({ report, workspace }),
  };
}

function exportsOf({ steps, stages, connectors }: Plan): ExportMemo[] {
  return steps.flatMap(({ node, delivery }) => {
    const location = connectors[stages.deliveries[node]?.connector ?? ''];
    return delivery === undefined || location === undefined ? [] : [{ node, delivery, location }];
  });
}

/** Returns the RunMemo of a workflow, or null if it has none. */
export function parseRunMemo(memo: Readonly<Record<string, unknown>> | undefined): RunMemo | null {
  // Memos are untyped, but the value of this field always comes from `runMemoOf`.
  return (memo?.[runMemoField] as RunMemo | undefined) ?? null;
}
