import { type Route, splitRoute } from '../contract/operation.ts';
import { RequestShapeError } from '../errors/errors.ts';

/** Parses the base URL, such as https://host/api/v1. Removes a trailing slash. @throws TypeError if it is invalid */
export function parseBaseUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError(`base URL "${text}" is not a URL; expected https://host/api/v1`);
  }
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!/^https?:$/.test(url.protocol) || !plain) {
    throw new TypeError(
      `base URL of ${url.host || 'no host'} must be http(s) without credentials, query or fragment`,
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

export function pathParamNames(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
}

function fill(operation: string, path: string, params: Readonly<Record<string, string>>): string {
  const names = pathParamNames(path);
  const paramNames = Object.keys(params);
  const unknownNames = paramNames.filter((name) => !names.includes(name));
  // A single parameter counts as renamed, because the live API description may name it differently.
  const isRenamed = names.length === 1 && unknownNames.length === 1 && paramNames.length === 1;
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = params[isRenamed ? (paramNames[0] ?? name) : name];
    // Percent-encoding does not change "." and "..", so these values would leave the path.
    if (value === undefined || value === '' || value === '.' || value === '..') {
      throw new RequestShapeError(operation, `params.${name}`, 'an id is required');
    }
    return encodeURIComponent(value);
  });
}

/** Builds the method and URL of one request. Query fields that are undefined are left out. @throws RequestShapeError */
export function buildRequest(
  operation: string,
  base: URL,
  route: Route,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, unknown>> = {},
) {
  const { method, path } = splitRoute(route);
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, '')}${fill(operation, path, params)}`;
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new RequestShapeError(
        operation,
        `query.${name}`,
        'must be text, a number or a boolean',
      );
    }
    url.searchParams.set(name, String(value));
  }
  return { method, url };
}
