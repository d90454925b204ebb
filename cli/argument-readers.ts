import { InvalidArgumentError } from 'commander'

export function seconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds, at most 9999')
  return Number(text)
}

export const collect = (text: string, before: readonly string[] = []) => [...before, text]
