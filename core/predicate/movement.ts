import { compare, type Decimal, HUNDRED, magnitude, multiply, subtract } from '../number/decimal.ts'

/*
 * Rises and falls, exact at the threshold. All need strict movement: a threshold of 0 or less is no invitation to fire
 * on a number that stood still or went the other way.
 */

export function roseBy(from: Decimal, to: Decimal, threshold: Decimal): boolean {
  return compare(to, from) > 0 && compare(subtract(to, from), threshold) >= 0
}

export function fellBy(from: Decimal, to: Decimal, threshold: Decimal): boolean {
  return roseBy(to, from, threshold)
}

/** A percent of the previous value's magnitude: from -10 to -5 is a rise by 50 percent. From 0 there is no percent. */
export function roseByPercent(from: Decimal, to: Decimal, percent: Decimal): boolean {
  return compare(to, from) > 0 && isPercentOf(from, subtract(to, from), percent)
}

export function fellByPercent(from: Decimal, to: Decimal, percent: Decimal): boolean {
  return compare(to, from) < 0 && isPercentOf(from, subtract(from, to), percent)
}

/** By cross-multiplication: a division would have to round. */
function isPercentOf(from: Decimal, distance: Decimal, percent: Decimal): boolean {
  return from.digits !== 0n && compare(multiply(distance, HUNDRED), multiply(percent, magnitude(from))) >= 0
}
