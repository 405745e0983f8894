// Chooses the next request when the rate budget has room: interactive, then creating, then status, none starved.

export const priorities = ['interactive', 'create', 'status'] as const;
export type Priority = (typeof priorities)[number];

/** After being passed over this often, the first of a lower class goes before a higher one. */
const maxPassedOver = 9;

/** First in, first out within a class. Pure data structure. */
export class WaitingLine<Item> {
  #classes: Record<Priority, Item[]> = { interactive: [], create: [], status: [] };
  #passedOver: Record<Priority, number> = { interactive: 0, create: 0, status: 0 };

  get length(): number {
    return priorities.reduce((sum, priority) => sum + this.#classes[priority].length, 0);
  }

  waiting(): Record<Priority, number> {
    const { interactive, create, status } = this.#classes;
    return { interactive: interactive.length, create: create.length, status: status.length };
  }

  push(priority: Priority, item: Item): void {
    this.#classes[priority].push(item);
  }

  remove(priority: Priority, item: Item): void {
    this.#classes[priority] = this.#classes[priority].filter((other) => other !== item);
  }

  next(): Item | undefined {
    const present = priorities.filter((priority) => this.#classes[priority].length > 0);
    // The lowest starved class first: no class below waits for it.
    const starved = present.findLast((priority) => this.#passedOver[priority] >= maxPassedOver);
    const chosen = starved ?? present[0];
    if (chosen === undefined) return undefined;
    for (const priority of present) this.#passedOver[priority] += 1;
    this.#passedOver[chosen] = 0;
    return this.#classes[chosen].shift();
  }
}
