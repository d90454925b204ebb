import { compare, type Decimal, HUNDRED, magnitude, multiply, subtract } from '../number/decimal.ts'

/*
 * Rises and falls, exact at the threshold. All need strict movement: with a threshold of 0 or less too, a number that
 * stays the same or moves the other way does not fire.
 */

export function roseBy(from: Decimal, to: Decimal, threshold: Decimal): boolean {
  return compare(to, from) > 0 && compare(subtract(to, from), threshold) >= 0
}

export function fellBy(from: Decimal, to: Decimal, threshold: Decimal): boolean {
  return roseBy(to, from, threshold)
}

/**
 * Returns whether the value rose by this percentage of the previous value's magnitude: from -10 to -5 is a rise by 50
 * percent. From 0 there is no percentage.
 */
export function roseByPercent(from: Decimal, to: Decimal, percent: Decimal): boolean {
  return compare(to, from) > 0 && isPercentOf(from, subtract(to, from), percent)
}

export function fellByPercent(from: Decimal, to: Decimal, percent: Decimal): boolean {
  return compare(to, from) < 0 && isPercentOf(from, subtract(from, to), percent)
}

/** Compares by cross-multiplication: a division would have to round. */
function isPercentOf(from: Decimal, distance: Decimal, percent: Decimal): boolean {
  return from.digits !== 0n && compare(multiply(distance, HUNDRED), multiply(percent, magnitude(from))) >= 0
}
