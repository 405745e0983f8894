// What answers are otherwise than promised, told once each.
import type { Oddity } from './answer-reader.ts';

/** An operation whose answers are not as its row promises, and where. */
export interface AnswerOddity extends Oddity {
  operation: string;
}

/** Oddities that are told in the life of a client; a platform that is odd all over has been told of by then. */
const toldAtMost = 200;

export function tellOnce(
  tell: (oddity: AnswerOddity) => void,
): (operation: string, oddities: readonly Oddity[]) => void {
  const told = new Set<string>();
  return (operation, oddities) => {
    for (const { path, what } of oddities) {
      const name = `${operation} ${path} ${what}`;
      if (told.has(name) || told.size >= toldAtMost) continue;
      told.add(name);
      tell({ operation, path, what });
    }
  };
}
