// Checks every part of `schedule:`, with its position in the file, before the schedule is sent to Temporal.
import { z } from 'zod';
import { anyJson } from '../../api/contract/schemas.ts';
import { parseCron } from '../../language/cron.ts';
import { formatDuration, parseDurationMs } from '../../language/duration.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import { listNextStarts } from '../../language/next-starts.ts';
import type { Json } from '../../plan/types.ts';
import type { ScheduleDeclaration } from '../schedule.ts';
import { maxSchedules, NamedSchedule, Schedule } from '../schedule-fields.ts';
import type { Path } from '../yaml/document.ts';
import { noteUncheckedChoice, validateValue } from '../yaml/parameters.ts';
import { formatPath, parseShape, type ShapeScope, suggestQuotes } from '../yaml/shape.ts';
import { checkDays, reportEmptySeason, type ScheduleScope } from './check-days.ts';
import { checkTimeZone } from './check-time-zone.ts';

type FileScope = Omit<ScheduleScope, 'basePath'> & Pick<ShapeScope, 'pendingParameter'>;

/** Temporal counts in seconds and raises shorter catch-up windows to this value. */
const minCatchUpMs = 10_000;
const maxJitterMs = 24 * 3_600_000;

const Entries = z.array(anyJson).min(1).max(maxSchedules);

/** Returns the schedules of a file. Empty if there are none, or if one is invalid and has therefore been reported. */
export function checkSchedules(
  fields: Readonly<Record<string, Json>>,
  scope: FileScope,
): ScheduleDeclaration[] {
  const { findings } = scope.document;
  const raw = fields['schedule'];
  if (raw === undefined) return [];
  const errorsBefore = findings.errorCount;
  const declarations = Array.isArray(raw) ? readEntries(raw, scope) : readSingle(raw, scope);
  return findings.errorCount > errorsBefore ? [] : declarations;
}

function readSingle(raw: Json, scope: FileScope): ScheduleDeclaration[] {
  const path = ['schedule'];
  const schedule = parseShape(Schedule, raw, { ...scope, basePath: path });
  const declaration = schedule && readDeclaration(schedule, null, { ...scope, basePath: path });
  return declaration === null ? [] : [declaration];
}

function readEntries(raw: Json, scope: FileScope): ScheduleDeclaration[] {
  const entries = parseShape(Entries, raw, { ...scope, basePath: ['schedule'] }) ?? [];
  const names = new Set<string>();
  return entries.flatMap((entry, index) => {
    const path = ['schedule', index];
    const namedSchedule = parseShape(NamedSchedule, entry, { ...scope, basePath: path });
    if (namedSchedule === null) return [];
    const { name, ...schedule } = namedSchedule;
    if (names.has(name)) {
      const message = `two schedules are named "${name}"`;
      scope.document.error(
        'RL706',
        [...path, 'name'],
        message,
        'Use a different name for each schedule.',
      );
    }
    names.add(name);
    const declaration = readDeclaration(schedule, name, { ...scope, basePath: path });
    return declaration === null ? [] : [declaration];
  });
}

function readDeclaration(
  schedule: Schedule,
  name: string | null,
  scope: ScheduleScope,
): ScheduleDeclaration | null {
  const { document, basePath } = scope;
  checkParameters(schedule.parameters, scope);
  checkTimeZone(schedule.timezone, [...basePath, 'timezone'], document);
  const catchUpMs = readDuration('catchUp', schedule.catchUp, scope, { min: minCatchUpMs });
  const jitterMs = readDuration('jitter', schedule.jitter, scope, { max: maxJitterMs });
  const interval = readInterval(schedule, scope);
  if ((schedule.cron === undefined) === (schedule.every === undefined)) {
    const hasBoth = schedule.cron !== undefined;
    const message = hasBoth
      ? 'a schedule has `cron` or `every`, not both'
      : 'the schedule does not define when runs start';
    const path = hasBoth ? [...basePath, 'every'] : basePath;
    const hint = hasBoth ? 'Remove one of the two.' : 'Add `cron:` or `every:`.';
    document.errorAtKey('RL703', path, message, hint);
    return null;
  }
  const declaration: ScheduleDeclaration = {
    name,
    cron: schedule.cron === undefined ? [] : [schedule.cron].flat(),
    interval,
    timezone: schedule.timezone,
    overlap: schedule.overlap,
    catchUpMs,
    jitterMs,
    paused: schedule.paused ?? null,
    parameters: schedule.parameters,
    ...checkDays(schedule, scope),
  };
  checkCrons(schedule, scope);
  reportEmptySeason(declaration, scope);
  return declaration;
}

function checkCrons({ cron }: Schedule, { document, basePath }: ScheduleScope): void {
  if (cron === undefined) return;
  for (const [index, text] of [cron].flat().entries()) {
    const path: Path = Array.isArray(cron) ? [...basePath, 'cron', index] : [...basePath, 'cron'];
    // An expression with a parameter is skipped, because it was refused with the interpolations.
    if (text.includes('${{')) continue;
    const result = parseCron(text);
    if (!result.ok) {
      const { message, start, end } = result.problem;
      document.findings.error('RL701', document.textRange(path, start, end), `cron ${message}`);
      continue;
    }
    // The time zone may also be invalid, but whether a date ever occurs does not depend on it.
    const times = { crons: [result.times], timezone: 'UTC' };
    if (listNextStarts(times, 0).next().done === true) {
      const message = `"${text}" is a date that never occurs`;
      document.error('RL704', path, message);
    } else if (hasBothDays(text)) {
      const message = `"${text}" starts only on days that match both the day of the month and the day of the week; crontab would start on either`;
      document.warning('RL707', path, message);
    }
  }
}

/** True if crontab would start on days that match either day field, while Temporal requires both to match. */
function hasBothDays(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  const day = fields.length === 7 ? 3 : 2;
  return [fields[day], fields[day + 2]].every((field) => field?.startsWith('*') === false);
}

function readInterval(
  { every, offset }: Schedule,
  scope: ScheduleScope,
): ScheduleDeclaration['interval'] {
  const { document, basePath } = scope;
  if (every === undefined) {
    if (offset !== undefined) {
      const message = '`offset` shifts the starts of `every`, which is missing';
      document.errorAtKey('RL705', [...basePath, 'offset'], message, 'Remove `offset`.');
    }
    return null;
  }
  if (document.has([...basePath, 'timezone'])) {
    const message = '`timezone` is for `cron`; an interval counts from 1970 in UTC';
    document.errorAtKey(
      'RL703',
      [...basePath, 'timezone'],
      message,
      'Remove `timezone`, or use `cron`.',
    );
  }
  const everyMs = readDuration('every', every, scope, { min: 1000 });
  const offsetMs =
    offset === undefined ? 0 : readDuration('offset', offset, scope, { max: everyMs - 1 });
  return { everyMs, offsetMs };
}

function readDuration(
  field: keyof Schedule,
  text: string,
  { document, basePath }: ScheduleScope,
  { min = 0, max = Infinity },
): number {
  const ms = parseDurationMs(text) ?? 0;
  const refuse = (message: string) =>
    document.error('RL705', [...basePath, field], `${formatPath([...basePath, field])} ${message}`);
  if (ms % 1000 !== 0) refuse('must be whole seconds');
  else if (ms < min) refuse(`must be at least ${formatDuration(min)}`);
  else if (ms > max && field === 'offset') refuse('must be less than `every`');
  else if (ms > max) refuse(`must be at most ${formatDuration(max)}`);
  return ms;
}

/** Checks the values of parameters. Scheduled runs have no others, so all parameters without a default must be set. */
function checkParameters(values: Schedule['parameters'], scope: ScheduleScope): void {
  const { document, parameters, basePath } = scope;
  const names = [...parameters.names];
  const path = [...basePath, 'parameters'];
  for (const [name, raw] of Object.entries(values)) {
    const parameter = parameters.byName.get(name);
    const validated = parameter === undefined ? null : validateValue(raw, parameter);
    if (!parameters.names.has(name)) {
      const hint = formatSuggestion(name, names) ?? 'The file declares no parameters.';
      document.errorAtKey('RL310', [...path, name], `the file does not declare "${name}"`, hint);
    } else if (validated !== null && 'reason' in validated) {
      const message = `parameter "${name}": ${validated.reason}`;
      const isText = parameter?.type === 'string' || parameter?.type === 'path';
      const hint = isText ? suggestQuotes(document, [...path, name]) : undefined;
      document.error('RL311', [...path, name], message, hint);
    } else if (parameter !== undefined)
      noteUncheckedChoice(parameter, raw, [...path, name], document);
  }
  for (const [name, { default: preset }] of parameters.byName) {
    if (preset !== undefined || Object.hasOwn(values, name)) continue;
    const message = `scheduled runs need a value for the parameter "${name}"`;
    document.errorAtKey('RL309', path, message, `Add the parameter under ${formatPath(path)}.`);
  }
}
