// Rejects text that would cost the YAML parser minutes or all memory. The lexer is linear and does not recurse, so it
// can check the text first.
import { Lexer } from 'yaml';

export const maxDepth = 64;
export const maxTokens = 50_000;

export interface NestingProblem {
  excess: 'tokens' | 'depth';
  /** Offsets in the text. */
  range: [start: number, end: number];
  message: string;
}

/** Returns why the text must not be parsed, or null if it may. */
export function findExcessiveNesting(text: string): NestingProblem | null {
  let offset = 0;
  let tokens = 0;
  /**
   * Number of indicators since the last comma, for each open flow collection. Several indicators nest in the parser,
   * although that is not valid YAML.
   */
  const flows: number[] = [];
  /** Columns of the open block collections. */
  const blocks: number[] = [];
  let column = 0;
  let lineHasContent = false;
  let indicatorsInLine = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    const range: NestingProblem['range'] = [offset, offset + token.length];
    if (tokens > maxTokens) {
      return { excess: 'tokens', range, message: `more than ${maxTokens} YAML tokens` };
    }
    const mark = token.length === 1 ? token : '';
    const isIndicator = /^[-?:]$/.test(mark);
    if (isIndicator) indicatorsInLine += 1;
    if (mark === '[' || mark === '{') flows.push(0);
    else if (mark === ']' || mark === '}') flows.pop();
    else if (mark === ',') replaceLast(flows, () => 0);
    else if (isIndicator) replaceLast(flows, (count) => count + 1);
    const invisible = mark === '\u0002' || mark === '\u0018' || mark === '\u001F';
    if (!invisible && token.trim() !== '') {
      const opensInLine = isIndicator && (mark !== ':' || indicatorsInLine > 1);
      if (flows.length === 0 && (!lineHasContent || opensInLine)) {
        while ((blocks.at(-1) ?? -1) >= column) blocks.pop();
        blocks.push(column);
      }
      lineHasContent = true;
    }
    const newline = Math.max(token.lastIndexOf('\n'), token.lastIndexOf('\r'));
    if (newline !== -1) {
      column = token.length - newline - 1;
      lineHasContent = false;
      indicatorsInLine = 0;
    } else if (!invisible) {
      column += token.length;
    }
    const inFlows = flows.reduce((depth, count) => depth + Math.max(1, count), 0);
    if (inFlows + blocks.length > maxDepth) {
      return { excess: 'depth', range, message: `nested deeper than ${maxDepth} levels` };
    }
    if (!invisible) offset += token.length;
  }
  return null;
}

function replaceLast(counts: number[], change: (count: number) => number): void {
  const last = counts.pop();
  if (last !== undefined) counts.push(change(last));
}
