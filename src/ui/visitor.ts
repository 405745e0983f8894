// The person who opens a page, and what this person may do.

/** Each role includes the ones before it. */
export const roles = ['look', 'decide', 'start'] as const;
export type Role = (typeof roles)[number];

export interface VisitorLink {
  id: string;
  run: string;
}

export interface Visitor {
  /** Name under which actions are recorded. Null for the person who started the server. */
  name: string | null;
  role: Role;
  /** Base path of the pages, with a trailing slash. */
  base: string;
  /** The link that lets the visitor decide about one run and see nothing else. Null if the visitor has none. */
  link: VisitorLink | null;
}

export function mayAct({ role }: Pick<Visitor, 'role'>, requiredRole: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(requiredRole);
}

/** True for `GET`, and for `HEAD`, which is answered like `GET` but without a body. */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns the role that a request needs: the highest one, except for decisions. @param path below the base path */
export function requiredRoleOf(method: string, path: string): Role {
  if (isReadMethod(method)) return 'look';
  return /^runs\/[^/]+\/(?:approve|review)$/.test(path) ? 'decide' : 'start';
}
