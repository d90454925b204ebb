/**
 * Returns whether a version is older than the other. Versions of one kind grow in all API
 * servers over etcd. Events in the wrong order, as a faulty proxy may send them, must not bring an old state back.
 */
export function isOlder(one: string, other: string): boolean {
  return IN_DIGITS.test(one) && IN_DIGITS.test(other) && BigInt(one) < BigInt(other)
}

const IN_DIGITS = /^\d{1,20}$/
