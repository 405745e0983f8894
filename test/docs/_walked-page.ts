// Parses a page of instructions into steps, which are the contents of its fences in order.

export type Step =
  /** A command for the reader's terminal. */
  | { kind: 'type'; text: string; line: number }
  /** A command for another terminal, where it keeps running. */
  | { kind: 'start'; text: string; line: number }
  /** Text to write to a file, or to append to it. */
  | { kind: 'write'; text: string; line: number; file: string; append: boolean }
  /** Expected output of the last step: parts of lines, in order. */
  | { kind: 'see'; text: string; line: number };

const needs = /^<!-- needs renderline (\w+) -->$/;

/** The steps of a page, without parts that need a command that is not in `commands`. */
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

/** The first expected line that is missing in the output after the previous one. Null if all lines match. */
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
