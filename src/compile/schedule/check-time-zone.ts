import { findTimeZoneProblem } from '../../language/time-zone.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';

/** Reports an unknown time zone, unless it contains a parameter. @param path path of the time zone */
export function checkTimeZone(
  timezone: string,
  path: Path,
  { document, findings }: { document: LocatedDocument; findings: Findings },
): void {
  const zone = timezone.includes('${{') ? null : findTimeZoneProblem(timezone);
  if (zone === null) return;
  const message = `the time zone "${timezone}" does not exist`;
  findings.error('RL702', document.valueRange(path), message, zone.hint);
}
