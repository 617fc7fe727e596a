/**
 * Checks the fees that our transactions on a UTXO chain pay to miners. The limit depends on the highest fee
 * rate that the node ever returned.
 */

import type { FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { creatorOf } from '../../src/chains/fake/fake-mempool.ts'
import { divide, max, sum } from '../../src/core/money.ts'
import { totalOf } from './amounts.ts'
import type { CheckedChain, FeeTerms } from './transfers.ts'

/** A transaction of ours that is in a block. */
interface Paid {
  readonly feeMinor: bigint
  /** The size for which the service planned the fee, in virtual bytes (BIP 141). */
  readonly vbytes: bigint
  readonly hasChange: boolean
  /** The transaction whose change this one spends only to raise its fee (CPFP). */
  readonly parent: Paid | undefined
}

/** Returns one sentence for each transaction whose fee is higher than its size and its fee bumps explain. */
export function findDearFees(checked: CheckedChain, ours: ReadonlySet<string>): readonly string[] {
  const { chain, feeTerms } = checked
  if (feeTerms === undefined) return []
  return paidBy(chain.transactionsUpTo(chain.head.height), feeTerms, ours).flatMap((one) => {
    const mostMinor = mostFor(one, feeTerms)
    return one.feeMinor <= mostMinor
      ? []
      : [`a transaction paid a fee of ${one.feeMinor}, and should pay ${mostMinor} at most`]
  })
}

function paidBy(
  transactions: readonly FakeTransaction[],
  terms: FeeTerms,
  ours: ReadonlySet<string>,
): readonly Paid[] {
  const outputs = new Map(
    transactions.flatMap(({ hash, moves }) => moves.map((move, index) => [`${hash}:${index}`, move])),
  )
  const paid = new Map<string, Paid>()
  for (const { hash, spends = [], moves } of transactions) {
    const spent = spends.flatMap((outpoint) => outputs.get(outpoint) ?? [])
    if (!spent.some(({ recipient }) => ours.has(recipient))) continue
    const [first = ''] = spends
    const isChild =
      spends.length === 1 && moves.length === 1 && moves.every(({ recipient }) => ours.has(recipient))
    paid.set(hash, {
      feeMinor: totalOf(spent) - totalOf(moves),
      vbytes: plannedVbytes(BigInt(terms.bareBytesOf(hash)), BigInt(spends.length)),
      hasChange: moves.some(({ recipient }) => ours.has(recipient)),
      parent: isChild ? paid.get(creatorOf(first)) : undefined,
    })
  }
  return [...paid.values()]
}

/** Maximum number of fee bumps of a transaction on a chain whose nodes replace transactions. */
const replacementsMax = 6
/** The weight of the marker and the flag of a transaction with witnesses (BIP 144). */
const flagWeight = 2n
/** The weight of a witness: a count, a signature of at most 72 bytes and a key of 33, each with its length. */
const witnessWeight = 1n + 1n + 72n + 1n + 33n
/** A count up to this takes one byte. The service always plans three bytes for the count of inputs. */
const shortCountMax = 252n
/** The size of an output to us. The next value is the size of the input that spends it. */
const changeVbytes = 45n
const changeInputVbytes = 150n

function mostFor(one: Paid, terms: FeeTerms): bigint {
  const { highestRate, usualRate, dustMinor, canReplace } = terms
  let perVbyte = (highestRate + 999n) / 1_000n
  if (canReplace) for (let bump = 0; bump < replacementsMax; bump += 1) perVbyte = raised(perVbyte)
  // If the change is worth less than its output costs, it becomes part of the fee.
  const leftMinor = one.hasChange
    ? 0n
    : perVbyte * changeVbytes + max(dustMinor, (usualRate * changeInputVbytes) / 1_000n)
  const alone = perVbyte * one.vbytes + leftMinor
  return linesAbove(one).reduce((most, line) => max(most, shareOf(one, line, perVbyte)), alone)
}

/** Returns what a child may pay, so that it and the transactions of a line above it offer an eighth more than the line. */
function shareOf(child: Paid, line: readonly Paid[], perVbyte: bigint): bigint {
  const feeMinor = sum(line.map((one) => one.feeMinor))
  const rate = max(perVbyte, divide(raised(feeMinor), sum(line.map(({ vbytes }) => vbytes)), 'up'))
  return rate * sum([child, ...line].map(({ vbytes }) => vbytes)) - feeMinor
}

/**
 * Returns the transactions that may have waited with a child when its fee was chosen: its parent, its parent and the
 * parent of that, and so on. Those above them were in blocks already.
 */
function linesAbove({ parent }: Paid): readonly (readonly Paid[])[] {
  const lines: (readonly Paid[])[] = []
  let line: readonly Paid[] = []
  for (let at = parent; at !== undefined; at = at.parent) {
    line = [...line, at]
    lines.push(line)
  }
  return lines
}

/** Each fee bump raises what is paid by at least one eighth. */
function raised(minor: bigint): bigint {
  return (minor * 9n + 7n) / 8n
}

/**
 * Returns the size for which the service plans the fee of a transaction before it is signed: with the longest possible
 * signatures.
 */
function plannedVbytes(bareBytes: bigint, inputs: bigint): bigint {
  const plannedBytes = bareBytes + (inputs > shortCountMax ? 0n : 2n)
  return divide(4n * plannedBytes + flagWeight + witnessWeight * inputs, 4n, 'up')
}
