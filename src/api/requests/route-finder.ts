// Finds the route of an operation in the contract, in settings, or otherwise in the live API description.

import type { OperationRow, Route } from '../contract/operation.ts';
import { OperationUnresolvedError } from '../errors/route-errors.ts';
import { isRoute } from './named-routes.ts';
import { createExampleRoute, matchOperation } from './openapi-match.ts';

export interface RouteFinder {
  find(row: OperationRow): Promise<Route>;
}

/** Maps operation ids to routes such as 'GET /path/{id}', for operations whose path the reference does not show. */
export type NamedRoutes = Readonly<Record<string, string>>;

export interface RouteFinderOptions {
  /** Routes of the contract, which a search by shape must not return. */
  claimedRoutes: readonly string[];
  /** Fetches `{base_url}/openapi.json`. */
  loadDocument: () => Promise<unknown>;
}

function checkRoute(id: string, text: string): Route {
  if (isRoute(text)) return text;
  throw new TypeError(
    `operations.${id} is "${text}"; expected a method and a path below the base URL, for example 'GET /things/{thingId}'`,
  );
}

/** Uses named routes first, then `others`. A route that the reference shows cannot be replaced. */
export function withNamedRoutes(namedRoutes: NamedRoutes, others: RouteFinder): RouteFinder {
  const routes = new Map(
    Object.entries(namedRoutes).map(([id, text]) => [id, checkRoute(id, text)]),
  );
  return { find: async (row) => row.route ?? routes.get(row.id) ?? others.find(row) };
}

/** Finds and caches routes. The API description is read once, and only for operations without a route. */
export function createRouteFinder(options: RouteFinderOptions): RouteFinder {
  const routesById = new Map<string, Route>();
  let document: Promise<unknown> | undefined;

  function description(): Promise<unknown> {
    document ??= options.loadDocument().catch((error: unknown) => {
      // The document is fetched again at the next call, because the platform may be reachable by then.
      document = undefined;
      throw error;
    });
    return document;
  }

  return {
    async find(row) {
      const route = row.route ?? routesById.get(row.id);
      if (route !== undefined) return route;
      const match = matchOperation(await description(), row, options.claimedRoutes);
      if (match === undefined) {
        const reason = 'the live openapi.json has no operation of that id or shape';
        throw new OperationUnresolvedError(row.id, createExampleRoute(row), reason);
      }
      routesById.set(row.id, match);
      return match;
    },
  };
}
