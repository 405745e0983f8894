// Checks operations in a file: whether a file may define them, whether the route is a path, and required body fields.

import type { OperationRow } from '../../api/contract/operation.ts';
import { operations } from '../../api/operations/index.ts';
import { findBodyFields, findBodyProblems } from '../../api/requests/named-body.ts';
import { findRouteProblem } from '../../api/requests/named-routes.ts';
import type { Json } from '../../plan/types.ts';
import { type DraftScope, toFields } from '../node-draft.ts';
import type { Path } from '../yaml/document.ts';

const rows: Readonly<Record<string, OperationRow>> = operations;

/** Checks the values under `operations:`. The schema refuses values that are neither text nor a mapping. */
export function checkOperations(namedOperations: Json | undefined, scope: DraftScope): void {
  for (const [id, operation] of Object.entries(toFields(namedOperations) ?? {})) {
    const path = ['operations', id];
    if (typeof operation === 'string') {
      checkRoute(id, operation, path, scope);
      continue;
    }
    const { route, body } = toFields(operation) ?? {};
    if (typeof route !== 'string') continue;
    const isSound = checkRoute(id, route, [...path, 'route'], scope, findBodyFields(body));
    if (isSound && toFields(body) !== null) checkBody(id, route, body, [...path, 'body'], scope);
  }
}

/** Reports a route that does not fit its operation. Returns true if it fits, as far as the two can be compared. */
function checkRoute(
  id: string,
  route: string,
  path: Path,
  scope: DraftScope,
  inBody: readonly string[] = [],
): boolean {
  const { document } = scope;
  const parameter = scope.pendingParameter(path);
  const problem = findRouteProblem(id, route, rows, inBody);
  if (problem?.about === 'operation') {
    document.errorAtKey('RL312', path.slice(0, 2), problem.message, problem.fix);
  } else if (parameter !== null) {
    const message = `whether "${id}" can be called depends on params.${parameter}`;
    document.note(path, message);
  } else if (problem !== null) {
    document.error('RL313', path, problem.message, problem.fix);
  }
  return problem === null;
}

function checkBody(
  id: string,
  route: string,
  body: Json | undefined,
  path: Path,
  scope: DraftScope,
): void {
  const row = rows[id];
  if (row === undefined) return;
  for (const problem of findBodyProblems(row, route, body)) {
    const problemPath = [...path, ...problem.path];
    if (scope.pendingParameter(problemPath) !== null) continue;
    const { message, fix } = problem;
    if (problem.path.length === 0) scope.document.errorAtKey('RL314', problemPath, message, fix);
    else scope.document.error('RL314', problemPath, message, fix);
  }
}
