/** Returns a function that remembers its results by name. A result of null or undefined is computed again. */
export function memoize<T>(compute: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const value = known.get(name) ?? compute(name);
    known.set(name, value);
    return value;
  };
}
