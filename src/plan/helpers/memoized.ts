/** The function, called once per name: later calls return the first result. */
export function memoized<T>(of: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const value = known.get(name) ?? of(name);
    known.set(name, value);
    return value;
  };
}
