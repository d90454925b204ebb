import { expect, test } from 'vitest'
import { runBench } from '../../bench/run-bench.ts'

test('the bench measures both kinds of static check with the real worker, and every check of a round is recorded exactly once', async () => {
  const said: string[] = []
  const found = await runBench(
    {
      rows: [
        { kind: 'unchanged', checks: 300, rounds: 1 },
        { kind: 'changed', checks: 60, rounds: 1 },
      ],
      claims: [],
      latenessSeconds: 0,
      reads: { requests: 40, rounds: 1 },
      deliveries: { deliveries: 200, rounds: 1 },
      startUp: false,
    },
    (line) => said.push(line),
  )
  expect(found.throughput.map(({ kind }) => kind)).toEqual(['unchanged', 'changed'])
  for (const { ours, bare, ratio } of found.throughput) {
    expect(ours.median).toBeGreaterThan(0)
    expect(bare.median).toBeGreaterThan(0)
    expect(ratio.median).toBeCloseTo(ours.median / bare.median)
  }
  for (const { memory } of found.throughput) expect(memory.end.heapBytes).toBeGreaterThan(1_000_000)
  for (const { ours, bare } of found.reads) expect(ours.median + bare.median).toBeGreaterThan(0)
  expect(found.reads).toHaveLength(4)
  expect(found.deliveries?.p99Ms.median).toBeGreaterThan(0)
  expect(found.setUp.all).toBeGreaterThan(found.setUp.production)
  expect(found.bytesPerUnchangedRun).toBeGreaterThan(0)
  expect(said).toContain('unchanged: 1 rounds of 300')
}, 60_000)
