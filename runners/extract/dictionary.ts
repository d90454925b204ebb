/**
 * Returns an object without a prototype: a page may name an attribute, and a user a field, `constructor` or
 * `__proto__`.
 */
export function dictionary<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}
