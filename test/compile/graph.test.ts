import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';
import { drawDot, drawGraph, drawMermaid, type GraphNode } from '../../src/compile/graph/graph.ts';
import { readDrawing } from './_drawing.ts';

function node(id: string, parents: string[] = [], when: string | null = null): GraphNode {
  return { id, type: 'render', when, parents };
}

/** `a>b c>d` as nodes, in the order in which they are first named as a child. */
function graph(...lines: string[]): GraphNode[] {
  return lines.map((line) => {
    const [id = '', parents = ''] = line.split(' after ');
    return node(id, parents === '' ? [] : parents.split(' '));
  });
}

const shapes: [name: string, nodes: GraphNode[], drawing: string][] = [
  ['one node', graph('take'), '●  take  render'],
  [
    'a chain',
    graph('take', 'ready after take', 'look after ready'),
    `
●  take   render
│
●  ready  render
│
●  look   render`,
  ],
  [
    'a diamond',
    graph('a', 'b after a', 'c after a', 'd after b c'),
    `
●    a  render
├─╮
● │  b  render
│ │
│ ●  c  render
├─╯
●    d  render
        after b, c`,
  ],
  [
    'a join of branches of unequal length',
    graph('a', 'b after a', 'c after b', 'd after a c'),
    `
●    a  render
├─╮
● │  b  render
│ │
● │  c  render
├─╯
●    d  render
        after a, c`,
  ],
  [
    'two ends',
    graph('a', 'b after a', 'c after a', 'd after b'),
    `
●    a  render
├─╮
● │  b  render
│ │
● │  d  render
  │
  ●  c  render`,
  ],
  [
    'three branches and a join of two of them',
    graph('a', 'b after a', 'c after a', 'd after a', 'e after b d', 'f after e'),
    `
●      a  render
├─┬─╮
● │ │  b  render
│ │ │
│ ● │  c  render
│   │
│   ●  d  render
├───╯
●      e  render
│         after b, d
●      f  render`,
  ],
  [
    'a branch that crosses another',
    graph('a', 'b after a', 'c after a', 'd after b', 'e after b', 'f after c d'),
    `
●      a  render
├─╮
● │    b  render
├─┼─╮
● │ │  d  render
│ │ │
│ │ ●  e  render
│ │
│ ●    c  render
├─╯
●      f  render
          after c, d`,
  ],
];

describe('a drawing for the terminal', () => {
  it.each(shapes)('drawGraph() draws %s', (_, nodes, drawing) => {
    expect(drawGraph(nodes)).toBe(`${drawing.trimStart()}\n`);
  });

  it('a drawing shows a condition under its node, as one line', () => {
    const nodes = [node('a'), node('b', ['a'], 'asset.bytes > 1\n  && asset.name != "x"')];
    expect(drawGraph(nodes)).toBe(
      '●  a  render\n│\n●  b  render\n      when asset.bytes > 1 && asset.name != "x"\n',
    );
  });

  it('a drawing shows a condition next to the lines of its children', () => {
    const nodes = [node('a', [], 'true'), node('b', ['a']), node('c', ['a'])];
    expect(drawGraph(nodes).split('\n')[1]).toBe('├─╮     when true');
  });

  it('a drawing is at most 80 columns wide and contains no control characters', () => {
    const nodes = [node('a', [], `asset.name == "\u001B[31m\u202E${'é'.repeat(200)}"`)];
    const lines = drawGraph(nodes).trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => Array.from(line).length))).toBe(80);
    expect(lines.at(-1)).toMatch(/…$/);
    for (const char of ['\u001B', '\u202E']) expect(lines.join('')).not.toContain(char);
  });

  it('a drawing lists the parents if too many edges are parallel', () => {
    const names = Array.from({ length: 40 }, (_, index) => `leaf-${index}`);
    const lines = drawGraph([node('root'), ...names.map((name) => node(name, ['root']))]);
    expect(lines).not.toMatch(/[│├●]/);
    for (const name of names) expect(lines).toContain(`${name.padEnd(7)}  render\n`);
    expect(lines.match(/after root/g)).toHaveLength(40);
  });

  it('a drawing lists the parents if every node follows all nodes before it', () => {
    const names = Array.from({ length: 9 }, (_, index) => `n${index}`);
    const nodes = names.map((name, index) => node(name, names.slice(0, index)));
    const drawing = drawGraph(nodes);
    expect(drawing).not.toContain('●');
    const seen = readDrawing(drawing);
    expect(seen.nodes).toEqual(names);
    expect(seen.edges).toHaveLength((9 * 8) / 2);
  });

  it('a drawing without nodes is empty', () => {
    expect(drawGraph([])).toBe('\n');
  });

  it('a drawing shows exactly the edges of any graph', () => {
    fc.assert(
      fc.property(anyGraph(9), (nodes) => {
        const drawing = drawGraph(nodes);
        const seen = readDrawing(drawing);
        const edges = nodes.flatMap(({ id, parents }) =>
          parents.map((parent) => `${parent}>${id}`),
        );
        expect(seen.edges).toEqual(edges.toSorted());
        expect(seen.nodes.toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
        for (const line of drawing.split('\n')) expect(line).toBe(line.trimEnd());
      }),
      { numRuns: 500 },
    );
  });

  it('a drawing shows parents above children', () => {
    fc.assert(
      fc.property(anyGraph(9), (nodes) => {
        const order = readDrawing(drawGraph(nodes)).nodes;
        for (const { id, parents } of nodes) {
          for (const parent of parents) {
            expect(order.indexOf(parent)).toBeLessThan(order.indexOf(id));
          }
        }
      }),
    );
  });
});

/** Graphs with one root. Every other node follows some of the nodes before it. */
function anyGraph(max: number): fc.Arbitrary<GraphNode[]> {
  return fc.array(fc.nat(), { minLength: 0, maxLength: max - 1 }).map((picks) => [
    node('n0'),
    ...picks.map((pick, index) => {
      const before = Array.from({ length: index + 1 }, (_, at) => `n${at}`);
      const parents = before.filter((_, at) => ((pick >> at) & 1) === 1);
      return node(`n${index + 1}`, parents.length > 0 ? parents : [`n${pick % (index + 1)}`]);
    }),
  ]);
}

describe('a drawing as Mermaid', () => {
  it('a Mermaid drawing numbers the nodes, since ids such as `end` are words of the language', () => {
    expect(drawMermaid(graph('end', 'graph after end'))).toBe(
      [
        'flowchart TD',
        '  n0["end<br/>render"]',
        '  n1["graph<br/>render"]',
        '  n0 --> n1',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['a quote', 'x == "y"', 'x == #34;y#34;'],
    ['markup', 'a < b && c > d', 'a #60; b #38;#38; c #62; d'],
    ['an entity of Mermaid', 'x == "#quot;"', 'x == #34;#35;quot;#34;'],
    ['a Markdown string', '`x`', '#96;x#96;'],
    ['several lines', 'a &&\n\tb', 'a #38;#38; b'],
  ])('a Mermaid drawing escapes %s', (_, when, label) => {
    expect(drawMermaid([node('a', [], when)])).toContain(`"a<br/>render<br/>when ${label}"`);
  });
});

describe('a drawing as DOT', () => {
  it('a DOT drawing is a digraph with one line per node and one per edge', () => {
    expect(drawDot(graph('a', 'b-c after a')).split('\n').slice(2)).toEqual([
      '  "a" [label="a\\nrender"];',
      '  "b-c" [label="b-c\\nrender"];',
      '  "a" -> "b-c";',
      '}',
      '',
    ]);
  });

  it.each([
    ['quotes', 'x == "y"', 'x == \\"y\\"'],
    ['backslashes', 'x == r"\\d\\n"', 'x == r\\"\\\\d\\\\n\\"'],
    ['several lines', 'a\n&& b', 'a && b'],
  ])('a DOT drawing escapes %s', (_, when, label) => {
    expect(drawDot([node('a', [], when)])).toContain(`[label="a\\nrender\\nwhen ${label}"]`);
  });
});

describe('a drawing of a file', () => {
  const text = `name: graph
connectors:
  here: { type: local, path: . }
records: here
nodes:
  - { id: take, type: connector_poll, config: { connector: here } }
  - { id: skipped, type: model_ready, parentIds: [take], enabled: false }
  - { id: ready, type: model_ready, parentIds: [skipped], when: 'asset.bytes > 1' }
`;

  it('a drawing leaves out disabled nodes, and their children follow their parents', () => {
    const { graph: nodes } = compileText(text, 'graph.yaml', {
      cwd: '/',
      environment: {},
      fileFolder: '/',
      parameters: null,
    });
    expect(nodes).toEqual([
      { id: 'take', type: 'connector_poll', when: null, parents: [] },
      { id: 'ready', type: 'model_ready', when: 'asset.bytes > 1', parents: ['take'] },
    ]);
  });
});
