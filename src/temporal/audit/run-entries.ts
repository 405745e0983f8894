// Reads what people, schedules and events did to runs, from the histories of the runs.
import { asRecord } from '../../api/unknown-values.ts';
import type { AuditEntry } from '../../plan/contract/audit-contract.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { type ConverterOptions, tryDecodeValue } from '../codec/decode-payload.ts';
import { parseIdentity } from '../connection/client-identity.ts';
import type { HistoryEvent } from '../runs/read-history.ts';
import { readAction } from '../runs/run-actions.ts';

export interface NamedRun {
  run: string;
  /** The run's pipeline. Null if the memo of the run cannot be decrypted here. */
  pipeline: string | null;
}

/** Returns the audit entry of a history event, or null if the event is not an action of a person, schedule or event. */
export async function runEntry(
  converterOptions: ConverterOptions,
  { run, pipeline }: NamedRun,
  event: HistoryEvent,
): Promise<AuditEntry | null> {
  const act = await readAction(converterOptions, event);
  if (act === null) return null;
  const { user, host, via } = parseIdentity(act.by);
  const base: AuditEntry = {
    at: act.at,
    what: act.what,
    subject: 'run',
    name: run,
    pipeline,
    by: user,
    host,
    via: via ?? (isRenderlineClient(user, host) ? 'command' : 'other'),
    reason: act.reason ?? null,
    failed: null,
    details: omitUndefined({
      pictures: act.pictures,
      approved: act.approved,
      rejected: act.rejected,
    }),
  };
  const start = event.workflowExecutionStartedEventAttributes;
  return start ? { ...base, ...(await startFields(converterOptions, start)) } : base;
}

/**
 * True for `user@host`, the identity of Renderline's clients. The Temporal UI sends no identity. As user, Temporal's
 * command line sends `temporal-cli:…`, and other SDK clients send a process id.
 */
function isRenderlineClient(user: string, host: string): boolean {
  return host !== '' && !/^(\d+|temporal-cli:.*)$/u.test(user);
}

type StartedAttributes = NonNullable<HistoryEvent['workflowExecutionStartedEventAttributes']>;

/** Returns the fields of a run's start. Runs of a schedule or event trigger have no user. */
async function startFields(
  converterOptions: ConverterOptions,
  attributes: StartedAttributes,
): Promise<Partial<AuditEntry> & Pick<AuditEntry, 'details'>> {
  const start = await tryDecodeValue(converterOptions, attributes.input?.payloads?.[0]);
  const details = startDetails(start);
  const fields = attributes.searchAttributes?.indexedFields;
  const schedule = await tryDecodeValue(converterOptions, fields?.['TemporalScheduledById']);
  if (typeof schedule === 'string') {
    return { by: '', host: '', via: 'schedule', details: { ...details, schedule } };
  }
  const trigger = attributes.parentWorkflowExecution?.workflowId;
  if (trigger) return { by: '', host: '', via: 'event', details };
  return { details };
}

/** Returns the inputs that determine what a run does. The plan's hash identifies the content of the file. */
function startDetails(start: unknown): AuditEntry['details'] {
  const { plan, limits, rerun, selection, withdrawAll, verify, mayRerender, takeOverMs } =
    asRecord(start);
  const { file, hash, parameters, workspace } = asRecord(plan);
  return omitUndefined({
    file,
    plan: hash,
    parameters: Object.keys(asRecord(parameters)).length > 0 ? parameters : undefined,
    workspace,
    limits,
    again: rerun,
    selection,
    withdrawAll,
    verify,
    mayRerender,
    takeOverMs,
  });
}
