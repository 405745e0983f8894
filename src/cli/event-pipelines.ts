// Pipelines that begin with events, as `webhooks` is given them: their intakes run, and hear of events.
import type { IntakeEvent, IntakePlan, ToldOf } from '../plan/contract.ts';
import type { PlatformEvent } from '../receiver/event.ts';
import { compilePipeline } from './compiled-file.ts';
import { CliError, exitCode } from './exit.ts';
import type { Session } from './session.ts';

export interface EventPipelines {
  /** In the order of the files. */
  names: string[];
  /** Settles when the event is in the history of every pipeline that begins with it. */
  keep(event: PlatformEvent): Promise<void>;
  close(): Promise<void>;
}

/** Compiles the files, and starts their intakes or brings them up to date. */
export async function openEventPipelines(
  session: Session,
  files: readonly string[],
  parameters: Readonly<Record<string, string>>,
): Promise<EventPipelines> {
  const made: IntakePlan[] = [];
  for (const file of files) made.push(await intakePlanOf(session, file, parameters));
  if (made.length === 0) {
    return { names: [], keep: () => Promise.resolve(), close: () => Promise.resolve() };
  }
  const { connectTemporal } = await import('../temporal/connect.ts');
  const { isSearchable } = await import('./start-run.ts');
  const { applyIntake, tellIntake } = await import('../temporal/event-intakes.ts');
  const { Outbox } = await import('../receiver/outbox.ts');
  const taskQueue = (await session.config()).taskQueue.value;
  const temporal = await connectTemporal({ env: session.io.env });
  const { client } = temporal;
  const intakes = { client, taskQueue, searchable: await isSearchable(temporal) };
  for (const one of made) await applyIntake(intakes, one);
  const listening = made.map((one) => ({
    event: one.plan.intake?.event,
    outbox: new Outbox<IntakeEvent>((events) => tellIntake(intakes, one, events)),
  }));
  return {
    names: made.map(({ plan }) => plan.pipeline),
    async keep(told) {
      const { name, at } = told;
      const event = { name, at, about: aboutOf(told) };
      const mine = listening.filter((one) => one.event === name);
      await Promise.all(mine.map(({ outbox }) => outbox.post(event)));
    },
    close: () => temporal.close(),
  };
}

/** Nothing where the document does not show what the payload says (section 6): those only ask for a sweep. */
function aboutOf({ name, modelId, jobId, renderIds = [] }: PlatformEvent): ToldOf[] {
  if (name === 'model.processed') return modelId === undefined ? [] : [{ id: modelId }];
  if (name !== 'render.complete' || jobId === undefined) return [];
  return renderIds.map((id) => ({ id, job: jobId }));
}

async function intakePlanOf(
  session: Session,
  file: string,
  parameters: Readonly<Record<string, string>>,
): Promise<IntakePlan> {
  const { plan } = await compilePipeline(session, file, parameters);
  if (plan.intake === undefined) {
    throw new CliError(
      exitCode.usage,
      'NOT_ON_EVENTS',
      `${file} does not begin with events: its root has no \`on\`.`,
      'Begin it with { type: model_ready, config: { on: model.processed } }, or leave it out here.',
    );
  }
  const { memoOf } = await import('./start-run.ts');
  const { slug } = await import('./run-id.ts');
  return { plan, runName: slug(plan.pipeline), memo: { renderline: memoOf(plan) } };
}
