// The memo of a run in Temporal, with which any machine can show the run and find its records without the pipeline file.

import { withoutUndefined } from '../helpers/without-undefined.ts';
import type { ConnectorSpec, Plan } from '../types.ts';
import { otherDestinations } from './deliveries.ts';
import type { Rerun } from './rerun.ts';

/** Memo field that contains the RunMemo. */
export const runMemoField = 'renderline';

export interface RunMemo {
  pipeline: string;
  file: string;
  /** Path of the file on the machine that started the run; absent if unknown. */
  path?: string;
  /** The part of another run that it repeats; absent for other runs. */
  rerun?: Rerun;
  records: ConnectorSpec;
  destination: ConnectorSpec | null;
  /** Destinations of its other exports; absent if all deliver to one. */
  extraDestinations?: ConnectorSpec[];
  /** Its exports in the order of the file; absent if there is at most one. */
  exports?: ExportMemo[];
  /** The reason that the person gave who started it. */
  reason?: string;
  /** Folder below the destination for its report; absent if it writes none. */
  report?: string;
  /** See Plan. */
  workspace?: string;
  steps: string[];
}

export interface ExportMemo {
  node: string;
  /** Fingerprint of its delivery, by which it recognises its own files. */
  delivery: string;
  location: ConnectorSpec;
}

/** Where the run delivers its files; empty if it delivers none. */
export function destinationsOf(memo: RunMemo | null): ConnectorSpec[] {
  const { destination = null, extraDestinations = [] } = memo ?? {};
  return destination === null ? [] : [destination, ...extraDestinations];
}

export function runMemoOf(plan: Plan): RunMemo {
  const extraDestinations = otherDestinations(plan);
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
    ...withoutUndefined({ report, workspace }),
  };
}

function exportsOf({ steps, stages, connectors }: Plan): ExportMemo[] {
  return steps.flatMap(({ node, delivery }) => {
    const place = connectors[stages.deliveries[node]?.connector ?? ''];
    return delivery === undefined || place === undefined
      ? []
      : [{ node, delivery, location: place }];
  });
}

/** The RunMemo of a workflow; null if it has none. */
export function readRunMemo(memo: Readonly<Record<string, unknown>> | undefined): RunMemo | null {
  // Memos are untyped, but only `runMemoOf` makes the value of this field.
  return (memo?.[runMemoField] as RunMemo | undefined) ?? null;
}
