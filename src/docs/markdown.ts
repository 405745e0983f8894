// Markdown that is generated: tables, and text that cannot break out of them.

/** A table; cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** Text as code, whatever it holds. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return text === '' ? '' : `${fence}${text}${fence}`;
}

/** Paragraphs, tables and lists with one empty line between them. */
export function page(...blocks: readonly string[]): string {
  return `${blocks
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .join('\n\n')}\n`;
}

/** Hidden note that a page is generated. */
export const generatedNote = '<!-- Written by `npm run generate`; edits are lost. -->';

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
}
