import { drawDot, drawGraph, drawMermaid } from '../../compile/graph/graph.ts';
import type { App } from '../app.ts';
import { assertValid, checkFile } from '../compile-pipeline.ts';

const drawings = { terminal: drawGraph, mermaid: drawMermaid, dot: drawDot };

export type GraphFormat = keyof typeof drawings;

/** Draws a pipeline file. The graph does not depend on parameters. @throws RenderlineError if the file is invalid */
export async function drawPipeline(app: App, file: string, format: GraphFormat) {
  const checkedFile = await checkFile(app, file, null);
  assertValid(app, checkedFile);
  const graph = drawings[format](checkedFile.graph);
  return { schema: 'renderline/graph/v1' as const, file, format, nodes: checkedFile.graph, graph };
}
