// What platform objects are called as assets: by their names, told apart by their ids.
import { unreadableCode } from '../../api/errors.ts';
import type { Failure } from '../../plan/types.ts';
import { type Unnamed, unusableKey } from '../../store/discovery/asset-keys.ts';

export function unnamedObject(id: string, name: string): Unnamed {
  const short = name.normalize('NFC').trim();
  if (unusableKey(short) !== null) return { id, label: id, short: id, long: id };
  return { id, label: `${short} (${id})`, short, long: `${short}-${id}` };
}

/** When the platform made it, where that can be read. */
export function madeAt(createdAt: string | undefined): { madeAtMs?: number } {
  const madeAtMs = Date.parse(createdAt ?? '');
  return Number.isNaN(madeAtMs) ? {} : { madeAtMs };
}

const codes = {
  model: 'MODEL_NOT_FOUND',
  project: 'PROJECT_NOT_FOUND',
  render: 'RENDER_NOT_FOUND',
  'render job': 'RENDER_JOB_NOT_FOUND',
} as const;

/** What was selected by its id, and of which the answer cannot be read. */
export function unreadableObject(id: string, message: string, node: string): Failure {
  return { key: id, node, code: unreadableCode, message, attempts: 0 };
}

/** What was selected by its id and is not there. */
export function missingObject(kind: keyof typeof codes, id: string, node: string): Failure {
  const message = `${kind} ${id} is not in the workspace; it was deleted or never made`;
  return { key: id, node, code: codes[kind], message, attempts: 0 };
}
