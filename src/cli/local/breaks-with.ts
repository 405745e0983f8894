import { failureOf } from '../../failures/of-error.ts';

/** Names the part that broke, unless the error explains itself: an error in words of ours would be told as our fault. */
export function breaksWith(what: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof Error && failureOf(error) !== null) throw error;
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
}
