// Parses a tutorial page into steps from its fenced code blocks.

export type Step =
  /** Typed into the reader's terminal. */
  | { kind: 'type'; text: string; line: number }
  /** Typed into another terminal, where it keeps running. */
  | { kind: 'start'; text: string; line: number }
  /** Written to a file, or appended to it. */
  | { kind: 'write'; text: string; line: number; file: string; append: boolean }
  /** Texts that the output of the last step contains, in this order. */
  | { kind: 'see'; text: string; line: number };

const needs = /^<!-- needs renderline (\w+) -->$/;

/** Steps of a page. Parts that need a command outside `commands` are skipped. */
export function stepsOf(page: string, commands: ReadonlySet<string>): Step[] {
  const steps: Step[] = [];
  const lines = page.split('\n');
  let skips = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, needed] = needs.exec(line) ?? [];
    if (needed !== undefined) skips = !commands.has(needed);
    if (line === '<!-- needs end -->') skips = false;
    const [, info] = /^```(.*)$/.exec(line) ?? [];
    if (info === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    const text = lines.slice(at + 1, end).join('\n');
    if (!skips) steps.push(...stepOf(info.split(' '), text, at + 1));
    at = end;
  }
  return steps;
}

function stepOf([language = '', ...words]: readonly string[], text: string, line: number): Step[] {
  if (language === 'sh') {
    return [{ kind: words.includes('second-terminal') ? 'start' : 'type', text, line }];
  }
  if (language === 'text') return [{ kind: 'see', text, line }];
  const [file, mode] = words;
  return file === undefined
    ? []
    : [{ kind: 'write', text: `${text}\n`, line, file, append: mode === 'append' }];
}

/** The first expected text that is missing after the previous one; null if all are present. */
export function missing(expected: string, output: string): string | null {
  const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();
  let rest = squeezed(output);
  for (const line of expected.split('\n').map(squeezed)) {
    const at = rest.indexOf(line);
    if (at < 0) return line;
    rest = rest.slice(at + line.length);
  }
  return null;
}
