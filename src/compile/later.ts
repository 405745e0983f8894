// What the design has and this version does not: refused by name, so that nothing is silently ignored.
import type { Json } from '../plan/types.ts';
import type { LocatedDocument } from './document.ts';
import type { Findings } from './findings.ts';
import { laterFields } from './pipeline.ts';

/** The fields of a file without those of later versions, which are reported. */
export function withoutLater(
  fields: Readonly<Record<string, Json>>,
  document: LocatedDocument,
  findings: Findings,
): Record<string, Json> {
  const kept: Record<string, Json> = { ...fields };
  for (const [name, what] of Object.entries(laterFields)) {
    if (!Object.hasOwn(kept, name)) continue;
    delete kept[name];
    const message = `"${name}" (${what}) is not in this version yet`;
    findings.error('RL210', document.keyAt([name]), message, 'Remove it.');
  }
  return kept;
}
