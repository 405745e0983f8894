// Tells each way in which answers differ from the contract once.
import type { Oddity } from './answer-reader.ts';

/** An operation whose answers differ from its row, and where. */
export interface AnswerOddity extends Oddity {
  operation: string;
}

/** Most oddities told by one client: more of them would not tell anything new. */
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
