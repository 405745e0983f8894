/** Returns a function that remembers its results by name. A result of null or undefined is computed again. */
export function memoize<T>(compute: (name: string) => T): (name: string) => T {
  const values = new Map<string, T>();
  return (name) => {
    const value = values.get(name) ?? compute(name);
    values.set(name, value);
    return value;
  };
}
