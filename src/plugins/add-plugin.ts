// Registers a plugin's node types and connectors. An invalid plugin is refused at startup, with its name and the
// problem, rather than in the middle of a run.

import { z } from 'zod';
import { formatIssue } from '../api/format-issue.ts';
import { asRecord, isObject } from '../api/unknown-values.ts';
import { addConnectorTypes, findConnectorType } from '../connectors/index.ts';
import { addFailures, findFailure } from '../features/failures.ts';
import { addNodeTypes, stepTypes } from '../features/index.ts';
import { ConfigError } from '../settings/config-error.ts';
import type { Plugin } from './plugin.ts';

/** Pattern of type names, which appear in pipeline files and in the Temporal UI. */
const typeName = /^[a-z][a-z0-9_]{1,62}$/;
const codeName = /^[A-Z][A-Z0-9_]{2,62}$/;

const pages = {
  summary: z.string().min(1).max(90),
  docs: z.string().min(1),
  example: z.string().min(1),
};
const anyFunction = z.custom((value) => typeof value === 'function', 'must be a function');

/** Checks what can be checked without calling a function of the plugin. */
const Node = z.looseObject({
  type: z.string().regex(typeName, 'must be a name such as check_price'),
  ...pages,
  config: z.custom((value) => 'parse' in asRecord(value), 'must be a zod object'),
  mode: z.enum(['call', 'wait']),
  needs: z.array(z.string()),
  gives: z.array(z.string()),
  recipe: z.array(z.string()),
  profile: z.looseObject({
    batch: z.int().min(1).max(500),
    startToClose: z.string(),
    timeout: z.string(),
  }),
  route: anyFunction,
  run: anyFunction,
});

const Connector = z.looseObject({
  type: z.string().regex(typeName, 'must be a name such as web_folder'),
  ...pages,
  config: z.custom(isOpenMapping, 'must be a zod object without `type`'),
  readOnly: z.literal(true).optional(),
  open: anyFunction,
});

const Shape = z.looseObject({
  name: z.string().min(1).max(100),
  nodes: z.array(Node).max(50).optional(),
  connectors: z.array(Connector).max(50).optional(),
  failures: z
    .record(z.string().regex(codeName, 'must be a code such as PRICE_MISSING'), z.looseObject({}))
    .optional(),
});

/**
 * Validates a plugin, and registers its types and failures.
 * @param plugin what a module exports as `plugin`, not validated yet
 * @param moduleName the module, for the error
 * @throws ConfigError that identifies the plugin and the problem
 */
export function addPlugin(plugin: unknown, moduleName: string): void {
  const problem = Shape.safeParse(plugin).error?.issues[0];
  if (problem) {
    throw new ConfigError(
      `The plugin ${moduleName} cannot be used: plugin.${problem.path.join('.')}: ${formatIssue(problem)}.`,
      'Export `plugin`, created with definePlugin of renderline/plugin (docs/plugins.md).',
    );
  }
  const validPlugin = plugin as Plugin;
  const { nodes = [], connectors = [], failures = {} } = validPlugin;
  const isStep = (type: string) => stepTypes.some((stepType) => stepType.type === type);
  const isConnector = (type: string) => findConnectorType(type) !== null;
  const isFailure = (code: string) => findFailure(code) !== null;
  const [duplicate] = [
    ...findDuplicates(typesOf(nodes), isStep).map((type) => `a node type "${type}"`),
    ...findDuplicates(typesOf(connectors), isConnector).map((type) => `a connector type "${type}"`),
    ...findDuplicates(Object.keys(failures), isFailure).map((code) => `a failure ${code}`),
  ];
  if (duplicate !== undefined) {
    throw new ConfigError(
      `The plugin "${validPlugin.name}" (${moduleName}) defines ${duplicate}, which already exists.`,
      'Rename it in the plugin and in the files that use it.',
    );
  }
  addNodeTypes(nodes);
  addConnectorTypes(connectors);
  addFailures(failures);
}

function typesOf(definitions: readonly { type: string }[]): string[] {
  return definitions.map(({ type }) => type);
}

/** Finds the names that already exist, or that occur twice in the plugin. */
function findDuplicates(names: readonly string[], isKnown: (name: string) => boolean): string[] {
  return names.filter((name, index) => isKnown(name) || names.indexOf(name) !== index);
}

/**
 * True for a zod object without `type`. Checks the members, since a plugin may use a different copy of zod than the
 * program.
 */
function isOpenMapping(value: unknown): boolean {
  const { parse, shape } = asRecord(value);
  return typeof parse === 'function' && isObject(shape) && !('type' in shape);
}
