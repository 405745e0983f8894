// Finds the nodes that an asset has certainly passed before a node, whichever conditions hold. Needs an acyclic graph.

import {
  type CompileScope,
  createDraft,
  hasOwnStep,
  type Resource,
  type StepDraft,
} from '../../engine/node-type.ts';
import { findNodeType, nodeTypes } from '../../features/index.ts';
import { excludeEachOther } from '../../language/exclude-each-other.ts';
import { parseTemplate } from '../../language/naming/naming.ts';
import { memoize } from '../../plan/helpers/memoize.ts';
import { type NodeDraft, needsOf } from '../node-draft.ts';
import { findAnnotatedTexts, jsonSchemaOf } from '../yaml/annotations.ts';
import type { NodeGraph } from './node-graph.ts';

export class NodePaths {
  readonly #graph: NodeGraph;
  /** Returns the resources that assets get at a node. A node of an unknown type is assumed to create all of them. */
  readonly resourcesGiven = memoize((id) => this.#findResources(id));
  /** Returns the nodes that are on every path to a node. */
  readonly #dominators = memoize((id) => this.#findDominators(id));
  readonly #certainBefore = memoize((id) => memoize((parent) => this.#findCertain(id, parent)));
  /** True if every path from a node reaches a type without `when` before a node that needs what the type provides. */
  readonly #isAlwaysFollowedBy = memoize((id) => memoize((type) => this.#findFollower(id, type)));
  readonly #results = new Map<string, boolean>();

  constructor(graph: NodeGraph) {
    this.#graph = graph;
  }

  /** Returns the resources that an asset certainly has when it reaches a node. */
  resourcesBefore(id: string): ReadonlySet<Resource> {
    const node = this.#graph.node(id);
    if (node !== undefined && this.#isRoot(id)) return providedResourcesOf(node);
    const ancestors = [...this.#graph.ancestorsOf(id)];
    const resources = new Set(ancestors.flatMap((ancestor) => [...this.resourcesGiven(ancestor)]));
    const isAlwaysGiven = (resource: Resource) =>
      this.isOnEveryPath(id, `gives ${resource}`, (ancestor) =>
        this.resourcesGiven(ancestor.id).has(resource),
      );
    return new Set([...resources].filter(isAlwaysGiven));
  }

  /** Returns the conditions that hold for every asset that a node works on. */
  conditionsAt(id: string): string[] {
    const nodes = [id, ...this.#dominators(id)].map((nodeId) => this.#graph.node(nodeId));
    return nodes.flatMap((node) => conditionOf(node) ?? []);
  }

  /** True if no asset can pass both nodes. */
  areExclusive(first: string, second: string): boolean {
    const others = this.conditionsAt(second);
    return this.conditionsAt(first).some((condition) =>
      others.some((other) => excludeEachOther(condition, other)),
    );
  }

  /** True if every asset that reaches a node has passed one that satisfies the test. `key` is its cache key. */
  isOnEveryPath(id: string, key: string, test: (node: NodeDraft) => boolean): boolean {
    const question = `${id} ${key}`;
    const cachedResult = this.#results.get(question);
    if (cachedResult !== undefined) return cachedResult;
    const passes = (nodeId: string) => {
      const node = this.#graph.node(nodeId);
      return node !== undefined && test(node);
    };
    const parents = this.#graph.parentsOf(id);
    const result =
      parents.length > 0 &&
      parents.every(
        (parent) =>
          [...this.#certainBefore(id)(parent)].some(passes) ||
          this.isOnEveryPath(parent, key, test),
      );
    this.#results.set(question, result);
    return result;
  }

  /** Returns the steps of a node. Empty if the node has no step of its own or its type is unknown. */
  draftsOf(node: NodeDraft): StepDraft[] {
    const { type, config } = node;
    if (type === null || !hasOwnStep(type)) return [];
    const scope = this.scopeOf(node);
    return type.steps?.(config, scope) ?? [scope.own(config)];
  }

  /** Returns what a node type can find out about the graph around one of its nodes. */
  scopeOf({ id, type }: NodeDraft): CompileScope {
    return {
      node: id,
      own(config) {
        if (type === null) throw new TypeError(`node ${id} is of no type`);
        return createDraft('', type, config);
      },
      parentTypes: this.#graph
        .parentsOf(id)
        .map((parent) => this.#graph.node(parent)?.typeName ?? ''),
      isRoot: this.#isRoot(id),
      hasAncestor: (type) => this.isOnEveryPath(id, type, (node) => node.typeName === type),
      hasDescendant: (type) => this.#isAlwaysFollowedBy(id)(type),
      mayHave: (resource) => this.#mayHave(id, resource),
      nearestAncestor: (type) => this.#nearest(id, type),
      configsBefore: (type) => this.#configsBefore(id, type),
      isNamedAfter: (field) => this.#isNamedAfter(id, field),
    };
  }

  #mayHave(id: string, resource: Resource): boolean {
    const providers = [...this.#graph.ancestorsOf(id)].filter((ancestor) =>
      this.resourcesGiven(ancestor).has(resource),
    );
    return providers.some((provider) => !this.areExclusive(provider, id));
  }

  /** True if a node after this one uses the field in a naming template. */
  #isNamedAfter(id: string, field: string): boolean {
    const descendants = this.#graph.nodes.filter((node) =>
      this.#graph.ancestorsOf(node.id).has(id),
    );
    return descendants.some(({ type, config }) => {
      if (type === null || config === null) return false;
      const texts = [...findAnnotatedTexts(jsonSchemaOf(type.config), config)];
      const names = texts.filter(({ language }) => language === 'naming');
      return names.some(({ value }) =>
        parseTemplate(value).some((piece) => 'field' in piece && piece.field === field),
      );
    });
  }

  #findResources(id: string): ReadonlySet<Resource> {
    const node = this.#graph.node(id);
    if (node === undefined) return new Set();
    const { type, config } = node;
    if (type === null) return new Set(nodeTypes.flatMap(({ gives }) => gives));
    const broughtResources = this.#isRoot(node.id) ? providedResourcesOf(node) : [];
    const resources = new Set<Resource>([...type.gives, ...broughtResources]);
    // If the config is invalid, the node may be intended to run any step that needs its resources.
    const steps = config === null ? [] : (type.steps?.(config, this.scopeOf(node)) ?? []);
    const types =
      config === null
        ? nodeTypes.filter(({ needs }) => needs.some((resource) => resources.has(resource)))
        : steps.flatMap(({ activity }) => findNodeType(activity) ?? []);
    return new Set([...resources, ...types.flatMap(({ gives }) => gives)]);
  }

  #isRoot(id: string): boolean {
    return this.#graph.parentsOf(id).length === 0;
  }

  #configsBefore(id: string, type: string): unknown[] {
    const nodes = [...this.#graph.ancestorsOf(id)].map((ancestor) => this.#graph.node(ancestor));
    return nodes.flatMap((node) => (node?.typeName === type ? [node.config] : []));
  }

  #findDominators(id: string): ReadonlySet<string> {
    const [first, ...others] = this.#graph
      .parentsOf(id)
      .map((parent) => new Set([parent, ...this.#dominators(parent)]));
    const isShared = (nodeId: string) => others.every((other) => other.has(nodeId));
    return new Set([...(first ?? [])].filter(isShared));
  }

  /**
   * Returns the nodes that have run when `id` is reached through `parent`: the nodes on every path to the parent, and
   * parallel nodes that no asset can skip, because a join waits for all of its parents.
   */
  #findCertain(id: string, parent: string): ReadonlySet<string> {
    const passedNodes = new Set([parent, ...this.#dominators(parent)]);
    const conditions = new Set(this.conditionsAt(parent));
    const hasCertainlyRun = (step: string) => {
      const condition = conditionOf(this.#graph.node(step));
      return passedNodes.has(step) || condition === null || conditions.has(condition);
    };
    const ancestors = [...this.#graph.ancestorsOf(id)];
    const parallelNodes = ancestors.filter((ancestor) =>
      [ancestor, ...this.#graph.ancestorsOf(ancestor)].every(hasCertainlyRun),
    );
    return new Set([...passedNodes, ...parallelNodes]);
  }

  #findFollower(id: string, type: string): boolean {
    const gives = findNodeType(type)?.gives ?? [];
    const meets = (child: string): boolean => {
      const node = this.#graph.node(child);
      if (node === undefined) return false;
      if (node.typeName === type) return node.when === null;
      if (needsOf(node).some((resource) => gives.includes(resource))) return false;
      return this.#isAlwaysFollowedBy(child)(type);
    };
    const children = this.#graph.childrenOf(id);
    return children.length > 0 && children.every(meets);
  }

  /** Returns the only ancestor of a type, or null if there is none or more than one: a retry can return to only one. */
  #nearest(id: string, type: string): string | null {
    const isOfType = (ancestor: string) => this.#graph.node(ancestor)?.typeName === type;
    const matches = [...this.#graph.ancestorsOf(id)].filter(isOfType);
    return matches.length === 1 ? (matches[0] ?? null) : null;
  }
}

/** Returns a node's condition, or null for a side step, because an asset that skips a side step still continues. */
function conditionOf(node: NodeDraft | undefined): string | null {
  return node?.type?.isSideStep ? null : (node?.when ?? null);
}

function providedResourcesOf({ type, config }: NodeDraft): ReadonlySet<Resource> {
  return new Set(type?.root?.providedResources(config) ?? []);
}
