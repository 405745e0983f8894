// Plans and applies changes of event triggers: workflows that start runs of a pipeline on events of the platform.
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import { formatDuration } from '../../language/duration.ts';
import type { IntakePlan } from '../../plan/contract.ts';
import { memoOf } from '../../plan/run-memo.ts';
import { applyIntake, endIntake, findIntake, listIntakes } from '../../temporal/event-intakes.ts';
import type { EventFile } from '../applied-files.ts';
import { CliError } from '../exit.ts';
import { type ChangeKind, recordedChange } from '../recorded-change.ts';
import { slug } from '../runs/run-id.ts';
import { otherOf } from '../schedules/changes.ts';
import { differences, type Facts, type FieldChange, planFacts } from '../schedules/facts.ts';

export interface IntakeChange {
  intake: string;
  /** `left`: declared in no file, and kept because `--prune` was not given. */
  change: ChangeKind;
  file: string | null;
  fields: FieldChange[];
  /** Path of another file that owns the trigger now and would lose it; null if none is known. */
  takenFrom: string | null;
}

/** A change together with the data needed to apply it. */
export interface PlannedIntake {
  change: IntakeChange;
  /** Null unless the trigger is created or updated. */
  made: IntakePlan | null;
}

/** Task queue of the triggers, and the search attributes of the server. */
interface IntakeTarget {
  taskQueue: string;
  searchable: boolean;
  unsearched?: readonly string[];
}

export async function planIntake(
  client: Client,
  { file, path, plan, limits }: EventFile,
  taskQueue: string,
): Promise<PlannedIntake> {
  const { pipeline } = plan;
  const live = await findIntake(client, pipeline);
  if (live !== null && live.taskQueue !== taskQueue) throw elsewhere(pipeline, live.taskQueue);
  const facts = { ...eventFacts(plan.intake), ...planFacts({ plan, limits }) };
  // A change of only the owning file is not a change of the trigger.
  const { path: owner = null, ...before } = live?.facts ?? {};
  const fields = differences(before, facts);
  const change = live === null ? 'create' : fields.length > 0 ? 'update' : 'unchanged';
  const capped = Object.keys(limits).length > 0 ? { limits } : {};
  const memo = { renderline: memoOf(plan) };
  return {
    change: {
      intake: pipeline,
      change,
      file,
      fields,
      takenFrom: change === 'update' ? otherOf(owner, path) : null,
    },
    made:
      change === 'unchanged'
        ? null
        : { plan, runName: slug(pipeline), memo, facts: { ...facts, path }, ...capped },
  };
}

/** A trigger cannot move to another task queue. */
function elsewhere(pipeline: string, taskQueue: string): CliError {
  return new CliError(
    commandFailures.FOREIGN_INTAKE,
    `Events already start "${pipeline}" at the task queue ${taskQueue}.`,
  );
}

function eventFacts(rules: EventFile['plan']['intake']): Facts {
  if (rules === undefined) return {};
  const { event, gatherMs, batchSize, sweepMs, own } = rules;
  return {
    on: event,
    gather: `${formatDuration(gatherMs)}, up to ${batchSize}`,
    sweep: formatDuration(sweepMs),
    own: own ? 'yes' : 'no',
  };
}

/** Plans changes of open triggers at this task queue whose pipeline is in no file. */
export async function planOtherIntakes(
  client: Client,
  declared: ReadonlySet<string>,
  taskQueue: string,
  prune: boolean,
): Promise<PlannedIntake[]> {
  const { readable } = await listIntakes(client);
  return readable
    .filter((one) => one.taskQueue === taskQueue && !declared.has(one.pipeline))
    .map(({ pipeline }) => {
      const change = prune ? 'remove' : 'left';
      return {
        change: { intake: pipeline, change, file: null, fields: [], takenFrom: null },
        made: null,
      };
    });
}

/** @throws NotRecordedError before anything is changed, if the audit log cannot be written */
export async function makeIntakeChange(
  client: Client,
  planned: PlannedIntake,
  place: IntakeTarget,
  reason?: string,
): Promise<void> {
  const { intake } = planned.change;
  const { taskQueue } = place;
  const of = { subject: 'intake', name: intake, pipeline: intake } as const;
  const work = () => write(client, planned, place);
  await recordedChange({ client, taskQueue }, of, planned.change, reason, work);
}

async function write(
  client: Client,
  { change, made }: PlannedIntake,
  place: IntakeTarget,
): Promise<void> {
  if (made !== null) await applyIntake(client, made, place);
  else if (change.change === 'remove') await endIntake(client, change.intake);
}
