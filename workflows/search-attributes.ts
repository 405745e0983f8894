// Search attributes of runs. The Temporal UI can filter its list by them.
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { RunInput } from '../src/plan/contract/contract.ts';
import type { Lateness } from '../src/plan/deadline.ts';
import { pausedOutcome, searchAttributeNames } from '../src/plan/search-attributes.ts';
import type { Outcome } from '../src/plan/shard/totals.ts';
import type { Failure } from '../src/plan/types.ts';

const defineKeyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const defineKeywordList = (name: string) =>
  defineSearchAttributeKey(name, SearchAttributeType.KEYWORD_LIST);

export const pipelineKey = defineKeyword(searchAttributeNames.pipeline);
const outcomeKey = defineKeyword(searchAttributeNames.outcome);
const latenessKey = defineKeyword(searchAttributeNames.lateness);
const failedKeysKey = defineKeywordList(searchAttributeNames.failedKeys);
const failedModelsKey = defineKeywordList(searchAttributeNames.failedModels);
const positionsKey = defineKeywordList(searchAttributeNames.positions);

/** Maximum size of one value. The server refuses more than 2 KiB, including the encoding. */
const valueBytes = 1_600;

type SearchAttributeSettings = Pick<RunInput, 'searchable' | 'missingSearchAttributes'>;

/** Publishes the outcome of a run, and what failed in the run unless the settings hide names. */
export function publishOutcome(
  outcome: Outcome,
  {
    plan,
    searchable,
    missingSearchAttributes = [],
  }: SearchAttributeSettings & Pick<RunInput, 'plan'>,
  failedWork: { failures: readonly Failure[]; failedModels: readonly string[] },
): void {
  if (!searchable) return;
  const { failures, failedModels } = plan.alias === undefined ? failedWork : nothingFailed;
  const keys = upTo(
    valueBytes,
    failures.map((failure) => failure.key),
  );
  const lists = [
    { key: failedKeysKey, value: keys },
    { key: failedModelsKey, value: upTo(valueBytes, failedModels) },
  ];
  // An unregistered name would fail the workflow task forever.
  const registeredLists = lists.filter(({ key }) => !missingSearchAttributes.includes(key.name));
  upsertSearchAttributes([{ key: outcomeKey, value: outcome }, ...registeredLists]);
}

const nothingFailed = { failures: [], failedModels: [] };

/** Publishes that a run waits for a person, so that lists distinguish it from a working run. */
export function publishPause(paused: boolean): void {
  upsertSearchAttributes([{ key: outcomeKey, value: paused ? pausedOutcome : null }]);
}

/** Publishes that a run is late, or expected to be, so that lists can be filtered by it. */
export function publishLateness(
  lateness: Lateness,
  { searchable, missingSearchAttributes = [] }: SearchAttributeSettings,
): void {
  if (!searchable || missingSearchAttributes.includes(latenessKey.name)) return;
  upsertSearchAttributes([{ key: latenessKey, value: lateness }]);
}

/** Publishes the position names of a run's cells, so that the run can be found by them. */
export function publishPositions(names: readonly string[]): void {
  upsertSearchAttributes([{ key: positionsKey, value: upTo(valueBytes, names) }]);
}

function upTo(bytes: number, values: readonly string[]): string[] {
  const firstValues: string[] = [];
  let usedBytes = 0;
  for (const value of new Set(values)) {
    // A UTF-16 unit has at most three bytes in UTF-8.
    usedBytes += value.length * 3 + 4;
    if (usedBytes > bytes) break;
    firstValues.push(value);
  }
  return firstValues;
}
