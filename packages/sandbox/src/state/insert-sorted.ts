/** Inserts an item into a list with the latest first. Among equal times it comes first. */
export function insertSorted<T>(list: T[], item: T, timeOf: (item: T) => number): void {
  const time = timeOf(item);
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(list[middle] as T) > time) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, item);
}
