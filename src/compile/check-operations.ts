// Whether the operations that a file names are ones whose path can be named, and their routes such paths.
import { routeFault } from '../api/named-routes.ts';
import { operations } from '../api/operations/index.ts';
import type { Json } from '../plan/types.ts';
import type { Path } from './document.ts';
import { type DraftScope, fieldsOf } from './node-draft.ts';

/** What is no text the schema refuses. */
export function checkOperations(named: Json | undefined, scope: DraftScope): void {
  for (const [id, route] of Object.entries(fieldsOf(named) ?? {})) {
    if (typeof route === 'string') checkRoute(id, route, ['operations', id], scope);
  }
}

function checkRoute(id: string, route: string, path: Path, scope: DraftScope): void {
  const { document, findings } = scope;
  const parameter = scope.pendingParameter(path);
  const fault = routeFault(id, route, operations);
  if (fault?.about === 'operation') {
    findings.error('RL312', document.keyAt(path), fault.message, fault.fix);
  } else if (parameter !== null) {
    const message = `whether "${id}" can be reached there depends on params.${parameter}`;
    findings.note(document.valueAt(path), message);
  } else if (fault !== null) {
    findings.error('RL313', document.valueAt(path), fault.message, fault.fix);
  }
}
