// The order of a plan's steps, by position. Pure.
import type { Step } from './types.ts';

export class StepGraph {
  readonly steps: readonly Step[];
  readonly #parents: readonly (readonly number[])[];
  readonly #sinks: readonly number[];

  constructor(steps: readonly Step[]) {
    this.steps = steps;
    const indexOf = new Map(steps.map((step, index) => [step.id, index]));
    this.#parents = steps.map((step) =>
      step.parents.map((id) => indexOf.get(id)).filter((index) => index !== undefined),
    );
    const withChildren = new Set(this.#parents.flat());
    this.#sinks = steps.map((_, index) => index).filter((index) => !withChildren.has(index));
  }

  /** Steps that no other comes after. */
  get sinks(): readonly number[] {
    return this.#sinks;
  }

  at(index: number): Step {
    const step = this.steps[index];
    if (!step) throw new RangeError(`no step ${index}`);
    return step;
  }

  parentsOf(index: number): readonly number[] {
    return this.#parents[index] ?? [];
  }

  /** The steps that come next after one. */
  after(index: number): Step[] {
    return this.steps.filter((_, next) => this.parentsOf(next).includes(index));
  }

  /** The steps with which the activity of this one goes on. */
  chainOf(index: number): number[] {
    const { chain = [] } = this.at(index);
    return chain.map((id) => this.#indexOf(id));
  }

  /** Where a failure of the platform's work in a step goes back to; -1 where it may not. */
  redoTarget(index: number): number {
    const { redo } = this.at(index);
    const target = redo ? this.#indexOf(redo.step) : -1;
    // From a step that does not lead here the asset would never come back, and hang.
    return target >= 0 && this.#reaches(target, index) ? target : -1;
  }

  /** The steps on all paths from one to another, both included. */
  between(from: number, to: number): number[] {
    return this.steps
      .map((_, index) => index)
      .filter((index) => this.#reaches(from, index) && this.#reaches(index, to));
  }

  #indexOf(id: string): number {
    return this.steps.findIndex((step) => step.id === id);
  }

  #reaches(from: number, to: number): boolean {
    if (from === to) return true;
    return this.parentsOf(to).some((parent) => this.#reaches(from, parent));
  }
}
