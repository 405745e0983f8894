// `renderline/plugin`: what a project's own node types are made with.
import type { Plugin } from '../../plugins/plugin.ts';

// The same zod as ours: its objects say what a pipeline file may hold, to `validate` and to editors.
export { z } from 'zod';
export { defineFailures } from '../../failures/define.ts';
export { fail } from '../../failures/fail.ts';
export { duration, expression, glob } from '../../language/fields.ts';
export type { NodeContext } from '../../machinery/node-context.ts';
export { defineNode, type NodeType } from '../../machinery/node-type.ts';
export type { AssetResult, StepAsset } from '../../plan/types.ts';
export type { Plugin };

/** What a module of `plugins:` exports: `export const plugin = definePlugin({ … })`. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
