// Helpers for generated Markdown: tables, and escaping of text that could break a table.

/** Formats a table. The cells are already Markdown. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(formatCell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** Formats text as inline code, even if it contains backticks. */
export function toCode(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return text === '' ? '' : `${fence}${text}${fence}`;
}

/** Joins blocks with one empty line between them. */
export function formatPage(...blocks: readonly string[]): string {
  return `${blocks
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .join('\n\n')}\n`;
}

/** HTML comment that marks a page as generated. */
export const generatedNote = '<!-- Written by `npm run generate`; edits are lost. -->';

function formatCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
}

export function formatBytes(many: number): string {
  if (many >= 1024 ** 3) return `${many / 1024 ** 3} GiB`;
  if (many >= 1024 ** 2) return `${many / 1024 ** 2} MiB`;
  return many >= 1024 ? `${many / 1024} KiB` : `${many} bytes`;
}
