/**
 * Returns a function that remembers its results by name, except undefined. It forgets all results once there are
 * `maxEntries`.
 */
export function memoize<T>(compute: (name: string) => T, maxEntries = Infinity) {
  const values = new Map<string, T>();
  return (name: string): T => {
    const knownValue = values.get(name);
    if (knownValue !== undefined) return knownValue;
    const value = compute(name);
    if (values.size >= maxEntries) values.clear();
    values.set(name, value);
    return value;
  };
}
