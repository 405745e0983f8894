/**
 * Returns the start of an example: a pipeline that takes models from a folder, up to its root `take`.
 * @param output connector to which the pipeline delivers. Without one, the records are next to the models
 */
export function takenModelsExample(name: string, output?: string): string {
  return `name: ${name}
parameters:
  folder: { type: path, required: true }${output ? '\n  out: { type: path, required: true }' : ''}
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
${output ? `  ${output}: { type: local, path: "\${{ params.out }}" }` : 'records: models'}
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }`;
}

/** Like `takenModelsExample`, up to the node `ready`, which waits for the models. */
export function readyModelsExample(name: string, output?: string): string {
  return `${takenModelsExample(name, output)}
  - { id: ready, type: model_ready, parentIds: [take] }`;
}
