// Who opens the pages in tests.
import type { Visitor } from '../../src/ui/visitor.ts';

/** The person at this machine. */
export function ownVisitor(base = '/'): Visitor {
  return { name: null, role: 'start', base, link: null };
}
