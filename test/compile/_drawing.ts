// Parses a terminal drawing of a graph back into its edges.

export interface SeenGraph {
  nodes: string[];
  /** `parent>child`, sorted. */
  edges: string[];
}

/**
 * A drawing with too many parallel edges is a list that names the parents instead.
 * @throws Error if a line starts or ends nowhere
 */
export function readDrawing(drawing: string): SeenGraph {
  return drawing.includes('●') ? readRails(drawing) : readList(drawing);
}

function readList(drawing: string): SeenGraph {
  const nodes: string[] = [];
  const edges: string[] = [];
  for (const line of drawing.split('\n').filter((text) => text !== '')) {
    const parents = /^ +after (.+)$/.exec(line)?.[1]?.split(', ');
    if (parents === undefined) nodes.push(line.split(' ')[0] ?? '');
    else edges.push(...parents.map((parent) => `${parent}>${nodes.at(-1)}`));
  }
  return { nodes, edges: edges.toSorted() };
}

function readRails(drawing: string): SeenGraph {
  const nodes: string[] = [];
  const edges: string[] = [];
  /** The nodes where each vertical line starts. */
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

/** The glyphs of the vertical lines in a row, up to the text. */
function railCells(line: string): string[] {
  const drawn = /^[●│├┼┬┴╮╯─ ]*/.exec(line)?.[0] ?? '';
  return Array.from(drawn).filter((_, column) => column % 2 === 0);
}
