// Chooses the next request when the rate budget has room: interactive, then creating, then status, none starved.
// How often looks ask is bounded where they begin, by the watch; those that wait here are what lets finished work go on.

export const priorities = ['interactive', 'create', 'status'] as const;
export type Priority = (typeof priorities)[number];

/** After being passed over this often, the first of a lower class goes before a higher one. */
const mostPassedOver = 9;
/** The same of looks behind creating calls: all of them have to be sent in the end, and what is ready is delivered meanwhile. */
const mostLooksPassedOver = 2;

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
    const looksMost = present[0] === 'interactive' ? mostPassedOver : mostLooksPassedOver;
    // The lowest starved class first: no class below waits for it.
    const starved = present.findLast(
      (priority) =>
        this.#passedOver[priority] >= (priority === 'status' ? looksMost : mostPassedOver),
    );
    const chosen = starved ?? present[0];
    if (chosen === undefined) return undefined;
    for (const priority of present) this.#passedOver[priority] += 1;
    this.#passedOver[chosen] = 0;
    return this.#classes[chosen].shift();
  }
}
