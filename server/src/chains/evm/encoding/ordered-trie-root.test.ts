import fc from 'fast-check'
import { toRlp } from 'viem'
import { expect, it } from 'vitest'
import { NodeError } from '../../port.ts'
import { readHeader } from '../answers.ts'
import { requireProven } from './block-proof.ts'
import { orderedTrieRoot } from './ordered-trie-root.ts'
import { encodeRlp, hexOfCount, type RlpItem } from './rlp.ts'

/** The root of an empty trie, which every empty block states. */
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const bytes = (lengthMax: number) =>
  fc.uint8Array({ maxLength: lengthMax }).map((some) => Buffer.from(some).toString('hex'))

/** Returns the item in the form that viem encodes. */
function prefixed(item: RlpItem): unknown {
  return typeof item === 'string' ? `0x${item}` : item.map(prefixed)
}

it('encodes RLP as viem does', () => {
  const { item } = fc.letrec<{ item: string | RlpItem[] }>((tie) => ({
    item: fc.oneof({ maxDepth: 4 }, bytes(70), fc.array(tie('item'), { maxLength: 60 })),
  }))
  fc.assert(
    fc.property(item, (value) => {
      expect(`0x${encodeRlp(value)}`).toBe(toRlp(prefixed(value) as never, 'hex'))
    }),
  )
})

it('writes whole numbers without leading zeros', () => {
  expect([0, 1, 127, 128, 256].map(hexOfCount)).toEqual(['', '01', '7f', '80', '0100'])
})

it('has the known root of nothing', () => {
  expect(orderedTrieRoot([])).toBe(emptyRoot)
})

it('is another root as soon as a value is left out, added, changed or moved', () => {
  const values = fc.array(bytes(40), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(values, fc.nat(), bytes(40), (all, seed, other) => {
      const index = seed % all.length
      const root = orderedTrieRoot(all)
      expect(orderedTrieRoot([...all])).toBe(root)
      expect(orderedTrieRoot(all.toSpliced(index, 1))).not.toBe(root)
      expect(orderedTrieRoot(all.toSpliced(index, 0, other))).not.toBe(root)
      const changed = `${all[index]}01`
      expect(orderedTrieRoot(all.with(index, changed))).not.toBe(root)
      const first = all[0] ?? ''
      if (all[index] !== first)
        expect(orderedTrieRoot(all.with(0, all[index] ?? first).with(index, first))).not.toBe(root)
    }),
    { numRuns: 60 },
  )
})

const zeros = (count: number) => `0x${'00'.repeat(count)}`
/** Ethereum's genesis block. */
const genesis = {
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: zeros(32),
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: zeros(20),
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  transactionsRoot: emptyRoot,
  receiptsRoot: emptyRoot,
  logsBloom: zeros(256),
  difficulty: '0x400000000',
  number: '0x0',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x0',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  mixHash: zeros(32),
  nonce: '0x0000000000000042',
  transactions: [],
}

function prove(answer: typeof genesis): void {
  const header = readHeader(answer)
  if (header === undefined) throw new Error('no block')
  requireProven(header, answer, [])
}

it("proves Ethereum's first block by its hash", () => {
  expect(() => prove(genesis)).not.toThrow()
})

it.each(Object.keys(genesis).filter((name) => name !== 'hash' && name !== 'transactions'))(
  'does not prove it with another %s',
  (name) => {
    const value = String(Reflect.get(genesis, name))
    const last = value.endsWith('1') ? '2' : '1'
    expect(() => prove({ ...genesis, [name]: `${value.slice(0, -1)}${last}` })).toThrow(NodeError)
  },
)
