import { failureOf } from '../../failures/classify-error.ts';

/** Returns a rejection handler that adds the name of the failed part to errors without an explanation of their own. */
export function rethrowAs(what: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof Error && failureOf(error) !== null) throw error;
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
}
