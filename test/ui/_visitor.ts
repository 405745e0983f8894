// The visitor of the pages in tests.
import type { Visitor } from '../../src/ui/visitor.ts';

/** The person at this computer. */
export function ownVisitor(base = '/'): Visitor {
  return { name: null, role: 'start', base, link: null };
}
