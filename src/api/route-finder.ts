// The route of an operation: from its row, else the configuration, else the live description.
import { exampleRoute, matchOperation } from './openapi-match.ts';
import type { OperationRow, Route } from './operation.ts';
import { OperationUnresolvedError } from './route-errors.ts';

export interface RouteFinder {
  find(row: OperationRow): Promise<Route>;
}

export interface RouteFinderOptions {
  /** `operations:` of the configuration: operation id to 'GET /path/{id}'. Wins over everything. */
  overrides: Readonly<Record<string, string>>;
  /** Routes that rows of the contract have; no search by shape ends there. */
  claimedRoutes: readonly string[];
  /** Fetches `{base_url}/openapi.json`. */
  loadDocument: () => Promise<unknown>;
}

const routeShape = /^(GET|POST|PUT|PATCH|DELETE) \/[^\s?#]*$/;

function checkedRoute(id: string, text: string): Route {
  if (routeShape.test(text)) return text as Route;
  throw new TypeError(
    `operations.${id} is "${text}"; expected a method and a path below the base URL, for example 'GET /things/{thingId}'`,
  );
}

/** Finds routes and remembers them. The description is fetched at most once, and not for rows with a route. */
export function createRouteFinder(options: RouteFinderOptions): RouteFinder {
  const overrides = new Map(
    Object.entries(options.overrides).map(([id, text]) => [id, checkedRoute(id, text)]),
  );
  let document: Promise<unknown> | undefined;

  function description(): Promise<unknown> {
    document ??= options.loadDocument().catch((error: unknown) => {
      // The next call may find the platform reachable again.
      document = undefined;
      throw error;
    });
    return document;
  }

  return {
    async find(row) {
      const known = overrides.get(row.id) ?? row.route;
      if (known !== null) return known;
      const found = matchOperation(await description(), row, options.claimedRoutes);
      if (found === undefined) {
        const reason = 'the live openapi.json has no operation of that id or shape';
        throw new OperationUnresolvedError(row.id, exampleRoute(row), reason);
      }
      overrides.set(row.id, found);
      return found;
    },
  };
}
