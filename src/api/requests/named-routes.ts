// Routes that renderline.yaml and pipeline files define for operations whose path the reference does not show. Pure.

import { type OperationRow, type Route, splitRoute } from '../contract/operation.ts';
import { findNearestName } from './nearest-name.ts';
import { createExampleRoute, requiredFieldsOf } from './openapi-match.ts';
import { pathParamNames } from './request-url.ts';

/** A problem of a named route, caused by its operation or by its text. */
export interface RouteProblem {
  readonly about: 'operation' | 'route';
  readonly message: string;
  readonly fix: string;
}

const maxRouteLength = 300;
const method = '(?:GET|POST|PUT|PATCH|DELETE)';
// The pattern excludes ".", "..", escapes and empty segments, so that a route stays below the base URL.
const segment = "(?!\\.{1,2}(?:/|$))(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|\\{[A-Za-z_]\\w*\\})+";
const routeShape = new RegExp(`^${method} (?:/${segment})+$`);

/** True for a method and a path below the base URL, such as `GET /things/{thingId}`. */
export function isRoute(text: string): text is Route {
  return text.length <= maxRouteLength && routeShape.test(text);
}

/**
 * Returns the problem of a named route, or null if it fits the operation.
 * @param inBody parameters that are in the body, so the path need not contain them
 */
export function findRouteProblem(
  id: string,
  text: string,
  rows: Readonly<Record<string, OperationRow>>,
  inBody: readonly string[] = [],
): RouteProblem | null {
  const row = Object.hasOwn(rows, id) ? rows[id] : undefined;
  if (row === undefined) return unknownOperationProblem(id, rows);
  if (row.route !== null) {
    return {
      about: 'operation',
      message: `the path of "${id}" is already in the platform's reference (${row.route})`,
      fix: 'Remove the path: only paths that the reference does not show can be set.',
    };
  }
  const example = `Write the route like '${createExampleRoute(row)}'.`;
  if (!isRoute(text)) {
    const message = `"${text.slice(0, maxRouteLength)}" is not a method and a path below the base URL`;
    return { about: 'route', message, fix: example };
  }
  const { method: verb, path } = splitRoute(text);
  const isRead = row.retrySafety === 'read' && row.body === undefined;
  if (isRead !== (verb === 'GET')) {
    const message = `"${id}" ${isRead ? 'reads, so its method is GET' : 'writes, so its method is not GET'}`;
    return { about: 'route', message, fix: example };
  }
  return findParamProblem(row, { path: pathParamNames(path), body: inBody }, example);
}

function findParamProblem(
  row: OperationRow,
  { path: pathParams, body }: Readonly<Record<'path' | 'body', readonly string[]>>,
  fix: string,
): RouteProblem | null {
  const paramNames = Object.keys(row.params?.shape ?? {});
  // A single parameter is not compared, because the platform may name it differently.
  if (paramNames.length === 1 && pathParams.length === 1) return null;
  const foreign = pathParams.find((name) => !paramNames.includes(name));
  if (foreign !== undefined) {
    const has =
      paramNames.length === 0
        ? 'none'
        : `only ${paramNames.map((param) => `{${param}}`).join(', ')}`;
    return { about: 'route', message: `"${row.id}" has no parameter {${foreign}} (${has})`, fix };
  }
  const presentParams = [...pathParams, ...body];
  const missingParam = requiredFieldsOf(row.params).find((name) => !presentParams.includes(name));
  if (missingParam === undefined) return null;
  return { about: 'route', message: `the path of "${row.id}" lacks {${missingParam}}`, fix };
}

function unknownOperationProblem(
  id: string,
  rows: Readonly<Record<string, OperationRow>>,
): RouteProblem {
  const unrouted = Object.values(rows).flatMap((row) => (row.route === null ? row.id : []));
  const nearestId = findNearestName(id, unrouted);
  const fix =
    nearestId === null
      ? `Paths can be set for: ${unrouted.join(', ')}.`
      : `Did you mean "${nearestId}"?`;
  return { about: 'operation', message: `the API operation "${id}" does not exist`, fix };
}
