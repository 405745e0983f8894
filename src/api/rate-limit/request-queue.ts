// Chooses the next request when the rate budget has a free permit: interactive, then create, then status. None starves.
// The poll coordinator limits how often polls (`status`) start. A poll waiting in this queue delays finished work.

export const priorities = ['interactive', 'create', 'status'] as const;
export type Priority = (typeof priorities)[number];

/** Number of times that the first request of a lower class is passed over before it goes ahead of a higher class. */
const maxPassedOver = 9;
/** The limit for polls if no interactive request waits. Delaying a poll saves no request, but delays finished work. */
const maxPollsPassedOver = 2;

/** A queue with priority classes. Within a class, requests leave in the order in which they came in. Pure. */
export class RequestQueue<Item> {
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
    const waitingPriorities = priorities.filter((priority) => this.#classes[priority].length > 0);
    const maxPolls = waitingPriorities[0] === 'interactive' ? maxPassedOver : maxPollsPassedOver;
    // The lowest starved class goes first.
    const starvedClass = waitingPriorities.findLast(
      (priority) =>
        this.#passedOver[priority] >= (priority === 'status' ? maxPolls : maxPassedOver),
    );
    const nextClass = starvedClass ?? waitingPriorities[0];
    if (nextClass === undefined) return undefined;
    for (const priority of waitingPriorities) this.#passedOver[priority] += 1;
    this.#passedOver[nextClass] = 0;
    return this.#classes[nextClass].shift();
  }
}
