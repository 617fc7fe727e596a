/**
 * Checks the fees that our transactions on a UTXO chain pay to miners. The limit depends on the highest fee
 * rate that the node ever returned.
 */
import type { FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { max } from '../../src/core/money.ts'
import { totalOf } from './amounts.ts'
import type { CheckedChain, FeeTerms } from './transfers.ts'

/** A transaction of ours, together with the transactions that spend its change only to raise its fee (CPFP). */
interface Package {
  readonly hashes: string[]
  feeMinor: bigint
  vbytes: bigint
  inputs: bigint
  hasChange: boolean
}

/** Returns one sentence for each transaction whose fee is higher than its size and its fee bumps explain. */
export function findDearFees(checked: CheckedChain, ours: ReadonlySet<string>): readonly string[] {
  const { chain, feeTerms } = checked
  if (feeTerms === undefined) return []
  const transactions = chain.transactionsUpTo(chain.head.height)
  return packagesOf(transactions, feeTerms, ours).flatMap((one) => {
    const mostMinor = mostFor(one, feeTerms)
    return one.feeMinor <= mostMinor
      ? []
      : [
          `${one.hashes.length} transactions paid fees of ${one.feeMinor}, and should pay ${mostMinor} at most`,
        ]
  })
}

function packagesOf(
  transactions: readonly FakeTransaction[],
  terms: FeeTerms,
  ours: ReadonlySet<string>,
): readonly Package[] {
  const outputs = new Map(
    transactions.flatMap(({ hash, moves }) => moves.map((move, index) => [`${hash}:${index}`, move])),
  )
  const packages = new Map<string, Package>()
  for (const { hash, spends = [], moves } of transactions) {
    const spent = spends.flatMap((outpoint) => outputs.get(outpoint) ?? [])
    if (!spent.some(({ recipient }) => ours.has(recipient))) continue
    const feeMinor = totalOf(spent) - totalOf(moves)
    const [first = ''] = spends
    const isChild =
      spends.length === 1 && moves.length === 1 && moves.every(({ recipient }) => ours.has(recipient))
    const parent = isChild ? packages.get(first.slice(0, first.lastIndexOf(':'))) : undefined
    const one = parent ?? { hashes: [], feeMinor: 0n, vbytes: 0n, inputs: 0n, hasChange: false }
    one.hashes.push(hash)
    one.feeMinor += feeMinor
    one.vbytes += BigInt(terms.vbytesOf(hash))
    one.inputs += BigInt(spends.length)
    one.hasChange ||= moves.some(({ recipient }) => ours.has(recipient))
    packages.set(hash, one)
  }
  return [...new Set(packages.values())]
}

/** Maximum number of fee bumps of a transaction on a chain whose nodes replace transactions. */
const replacementsMax = 6
/**
 * The service plans with the longest possible signatures, so a planned size can exceed the real size by this
 * much for each input.
 */
const slackVbytesPerInput = 2n
/** The size of an output to us. The next value is the size of the input that spends it. */
const changeVbytes = 45n
const changeInputVbytes = 150n

function mostFor({ hashes, vbytes, inputs, hasChange }: Package, terms: FeeTerms): bigint {
  const { highestRate, usualRate, dustMinor, canReplace } = terms
  let perVbyte = (highestRate + 999n) / 1_000n
  const raises = canReplace ? replacementsMax : hashes.length - 1
  // Each fee bump raises the fee rate by at least one eighth.
  for (let raise = 0; raise < raises; raise += 1) perVbyte = (perVbyte * 9n + 7n) / 8n
  // If the change is worth less than its output costs, it becomes part of the fee.
  const leftMinor = hasChange
    ? 0n
    : perVbyte * changeVbytes + max(dustMinor, (usualRate * changeInputVbytes) / 1_000n)
  return perVbyte * (vbytes + slackVbytesPerInput * inputs) + leftMinor
}
