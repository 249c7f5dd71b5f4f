/** Makes a value on first use and keeps it: most programs never need it, or the module must load fast. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
