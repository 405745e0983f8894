// Reads the all-day events of a calendar (.ics), in a separate process because an event may repeat without end.
import { createRequire } from 'node:module';
import { TableError } from './table-error.ts';
import { type ProcessBounds, runTableProcess } from './table-process.ts';

export interface IcsDays {
  /** Days of the events in the wanted range, such as 2026-12-24, sorted, each once. */
  days: string[];
  /** Last day of the all-day events that end. Null if there are no such events. */
  last: string | null;
  events: number;
  /** Number of events that are not whole days. */
  partial: number;
}

/** Maximum size of a calendar file. Public holidays of ten years take less than 100 KB. */
export const maxIcsBytes = 1024 * 1024;

const script = `
const { first, last, library, text } = request;
const ICAL = require(library);
const fail = (wrong) => send({ wrong });
const dayMs = 86_400_000;

function read() {
  const parsed = ICAL.parse(text);
  if (parsed.length === 0) return fail('is empty');
  const roots = typeof parsed[0] === 'string' ? [parsed] : parsed;
  if (roots.some(([name]) => name !== 'vcalendar')) return fail('is not a calendar (.ics)');
  const components = roots.flatMap((root) => new ICAL.Component(root).getAllSubcomponents('vevent'));
  // Changed occurrences of an event have the UID of the event.
  const masters = [];
  const changed = new Map();
  for (const one of components) {
    if (!one.hasProperty('dtstart')) return fail('has an event without DTSTART');
    if (String(one.getFirstPropertyValue('status')).toUpperCase() === 'CANCELLED' && !one.hasProperty('recurrence-id')) continue;
    const uid = one.getFirstPropertyValue('uid');
    if (!one.hasProperty('recurrence-id')) masters.push(one);
    else changed.set(uid, [...(changed.get(uid) ?? []), one]);
  }
  const days = new Set();
  let known = null;
  let partial = 0;
  // Days as they are written, without a time zone.
  const dayOf = (time) => Date.UTC(time.year, time.month - 1, time.day) / dayMs;
  const isMidnight = (time) => time.isDate || (time.hour === 0 && time.minute === 0 && time.second === 0 && time.zone !== ICAL.Timezone.utcTimezone);
  function take({ startDate, endDate }, isEndless) {
    if (!isMidnight(startDate)) return 'partial';
    const from = dayOf(startDate);
    const to = Math.max(from, dayOf(endDate) - (isMidnight(endDate) ? 1 : 0));
    if (!startDate.isDate && !(isMidnight(endDate) && dayOf(endDate) > from)) return 'partial';
    if (!isEndless) known = Math.max(known ?? to, to);
    for (let day = Math.max(from, first); day <= Math.min(to, last); day++) days.add(day);
    return from > last ? 'beyond' : 'taken';
  }
  for (const component of masters) {
    const event = new ICAL.Event(component, { exceptions: changed.get(component.getFirstPropertyValue('uid')) ?? [] });
    if (!event.isRecurring()) {
      if (take(event, false) === 'partial') partial += 1;
      continue;
    }
    const rules = component.getAllProperties('rrule').map((rule) => rule.getFirstValue());
    if (rules.some(({ freq }) => ['SECONDLY', 'MINUTELY', 'HOURLY'].includes(freq))) {
      partial += 1;
      continue;
    }
    const isEndless = rules.some((rule) => !rule.isFinite());
    const iterator = event.iterator();
    for (let next = iterator.next(); next; next = iterator.next()) {
      const occurrence = event.getOccurrenceDetails(next);
      if (String(occurrence.item.component.getFirstPropertyValue('status')).toUpperCase() === 'CANCELLED') continue;
      const taken = take(occurrence, isEndless);
      if (taken === 'partial') partial += 1;
      if (taken === 'partial' || (taken === 'beyond' && isEndless)) break;
    }
  }
  const format = (day) => new Date(day * dayMs).toISOString().slice(0, 10);
  send({
    days: [...days].sort((a, b) => a - b).map(format),
    last: known === null ? null : format(known),
    events: masters.length,
    partial,
  });
}
try {
  read();
} catch (error) {
  // The library throws errors of its own, and TypeErrors for values that are missing.
  fail('cannot be read: ' + error.message);
}
`;

/**
 * @param range first and last day that are wanted, as days since 1970
 * @throws TableError for a file that is not a calendar, or that exceeds the limits
 */
export async function readIcs(
  bytes: Uint8Array,
  { first, last }: { first: number; last: number },
  bounds?: ProcessBounds,
): Promise<IcsDays> {
  const text = new TextDecoder().decode(bytes).trim();
  if (!/^BEGIN:VCALENDAR/i.test(text)) throw new TableError('is not a calendar (.ics)');
  const library = createRequire(import.meta.url).resolve('ical.js');
  const program = {
    script,
    request: { library, text, first, last },
    instead: 'a list of days under `except`',
  };
  // The cast is safe, because the program above posts nothing else.
  return runTableProcess(program, (message) => message as IcsDays, bounds);
}
