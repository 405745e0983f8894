// The order of a plan's steps, by index. Pure.
import type { Step } from '../types.ts';

export class StepGraph {
  readonly steps: readonly Step[];
  readonly #parents: readonly (readonly number[])[];
  /** Steps without children. */
  readonly sinks: readonly number[];

  constructor(steps: readonly Step[]) {
    this.steps = steps;
    const indexOf = new Map(steps.map((step, index) => [step.id, index]));
    this.#parents = steps.map((step) =>
      step.parents.map((id) => indexOf.get(id)).filter((index) => index !== undefined),
    );
    const parentIndexes = new Set(this.#parents.flat());
    this.sinks = steps.map((_, index) => index).filter((index) => !parentIndexes.has(index));
  }

  stepAt(index: number): Step {
    const step = this.steps[index];
    if (!step) throw new RangeError(`no step ${index}`);
    return step;
  }

  parentsOf(index: number): readonly number[] {
    return this.#parents[index] ?? [];
  }

  /** Returns the steps that follow directly after one. */
  childrenOf(index: number): Step[] {
    return this.steps.filter((_, next) => this.parentsOf(next).includes(index));
  }

  /** Returns the indexes of the steps that the activity of this step also runs. */
  chainOf(index: number): number[] {
    const { chain = [] } = this.stepAt(index);
    return chain.map((id) => this.#indexOf(id));
  }

  /** Returns the index of the step to which an asset returns if the platform's work failed, or -1 if it may not. */
  retryTarget(index: number): number {
    const { retry } = this.stepAt(index);
    const target = retry ? this.#indexOf(retry.step) : -1;
    // The asset would hang if it returned to a step that does not lead back to this one.
    return target >= 0 && this.#isReachable(target, index) ? target : -1;
  }

  /** Returns the indexes of the steps on all paths from one step to another, both included. */
  pathBetween(from: number, to: number): number[] {
    return this.steps
      .map((_, index) => index)
      .filter((index) => this.#isReachable(from, index) && this.#isReachable(index, to));
  }

  #indexOf(id: string): number {
    return this.steps.findIndex((step) => step.id === id);
  }

  #isReachable(from: number, to: number): boolean {
    if (from === to) return true;
    return this.parentsOf(to).some((parent) => this.#isReachable(from, parent));
  }
}
