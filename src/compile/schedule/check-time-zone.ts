import { findTimeZoneProblem } from '../../language/time-zone.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';

/** Reports an unknown time zone, unless it contains a parameter. @param path path of the time zone */
export function checkTimeZone(timezone: string, path: Path, document: LocatedDocument): void {
  const zone = timezone.includes('${{') ? null : findTimeZoneProblem(timezone);
  if (zone === null) return;
  const message = `the time zone "${timezone}" does not exist`;
  document.error('RL702', path, message, zone.hint);
}
