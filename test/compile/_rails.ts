// Reads a terminal drawing back, as an eye does: which edges do its rails show?

export interface SeenGraph {
  nodes: string[];
  /** `parent>child`, sorted. */
  edges: string[];
}

/** @throws Error where a rail begins or ends in nothing. */
export function readRails(drawing: string): SeenGraph {
  const nodes: string[] = [];
  const edges: string[] = [];
  /** The nodes that each rail comes from. */
  let rails: string[][] = [];
  for (const line of drawing.split('\n').filter((text) => text !== '')) {
    const cells = railCells(line);
    const bar = cells.findIndex((glyph) => glyph === '├');
    const node = cells.indexOf('●');
    if (node !== -1) {
      const id = /●[│ ]*?\s+([A-Za-z][\w-]*)/.exec(line)?.[1] ?? '';
      for (const parent of rails[node] ?? []) edges.push(`${parent}>${id}`);
      nodes.push(id);
      rails[node] = [id];
    }
    rails = cells.map((glyph, rail) => {
      const own = rails[rail] ?? [];
      if (glyph === ' ' || glyph === '╯' || glyph === '┴' || glyph === '─') return [];
      if (glyph === '╮' || glyph === '┬') return rails[bar] ?? [];
      if (glyph === '├' && /[┴╯]/.test(line)) {
        return [own, ...cells.map((end, at) => (/[┴╯]/.test(end) ? (rails[at] ?? []) : []))].flat();
      }
      if (own.length === 0) throw new Error(`a rail begins in nothing: ${line}`);
      return own;
    });
  }
  return { nodes, edges: edges.toSorted() };
}

/** The glyph of each rail of a line, up to the text beside it. */
function railCells(line: string): string[] {
  const drawn = /^[●│├┼┬┴╮╯─ ]*/.exec(line)?.[0] ?? '';
  return Array.from(drawn).filter((_, column) => column % 2 === 0);
}
