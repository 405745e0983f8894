/**
 * Returns a function that remembers its results by name, except undefined. It forgets all results once there are
 * `maxEntries`.
 */
export function memoize<T, Name = string>(
  compute: (name: Name) => T,
  maxEntries = Infinity,
): (name: Name) => T {
  const values = new Map<Name, T>();
  return (name) => {
    const knownValue = values.get(name);
    if (knownValue !== undefined) return knownValue;
    const value = compute(name);
    if (values.size >= maxEntries) values.clear();
    values.set(name, value);
    return value;
  };
}

/** Returns a function that remembers its results by object, except undefined, for as long as the object exists. */
export function memoizeByObject<Owner extends object, T>(
  compute: (owner: Owner) => T,
): (owner: Owner) => T {
  const values = new WeakMap<Owner, T>();
  return (owner) => {
    const knownValue = values.get(owner);
    if (knownValue !== undefined) return knownValue;
    const value = compute(owner);
    values.set(owner, value);
    return value;
  };
}
