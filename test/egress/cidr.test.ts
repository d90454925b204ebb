import fc from 'fast-check'
import { BlockList } from 'node:net'
import { expect, test } from 'vitest'
import { addressBytes, cidr, holds, parseCidr } from '../../egress/address.ts'

test('the bytes of an IPv6 address are those that were written, in every notation', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const list = new BlockList()
      const hex = (addressBytes(text) ?? []).map((byte) => byte.toString(16).padStart(2, '0')).join('')
      list.addAddress(hex.replace(/(.{4})(?!$)/g, '$1:'), 'ipv6')
      expect(list.check(text, 'ipv6')).toBe(true)
    }),
  )
})

test('a range holds what the runtime says it holds', () => {
  const v4 = fc.ipV4()
  const prefix = fc.integer({ min: 0, max: 32 })
  const near = fc.tuple(v4, prefix, fc.oneof(v4, fc.constant(null)))
  fc.assert(
    fc.property(near, ([network, bits, other]) => {
      const list = new BlockList()
      list.addSubnet(network, bits, 'ipv4')
      const address = other ?? network
      expect(holds(cidr(`${network}/${bits}`), addressBytes(address) ?? [])).toBe(list.check(address, 'ipv4'))
    }),
  )
})

test('a bare address is a range of one, and text that is no range is null', () => {
  expect(parseCidr('10.0.0.1')).toEqual({ network: [10, 0, 0, 1], bits: 32 })
  expect(['10.0.0.0/33', 'x/8', '10.0.0.0/', '::/129', '10.0.0.0/8/8', 'fe80::1%eth0'].map(parseCidr)).toEqual(
    Array(6).fill(null),
  )
})
