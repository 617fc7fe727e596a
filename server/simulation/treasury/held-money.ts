/** Adds up the money that some addresses hold, from the chain alone. */
import type { FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { sum } from '../../src/core/money.ts'
import { totalOf } from '../model/amounts.ts'
import type { ModelAsset } from '../model/asset.ts'
import { type CheckedChain, unspentOutputs } from '../model/transfers.ts'

/** Returns how much of an asset these addresses hold together after the newest block. */
export function heldMinor(
  { chain, feeTerms }: CheckedChain,
  asset: ModelAsset,
  addresses: ReadonlySet<string>,
): bigint {
  const transactions = chain.transactionsUpTo(chain.head.height)
  return feeTerms === undefined
    ? heldOnAccounts(transactions, asset, addresses)
    : totalOf(unspentOutputs(transactions).filter(({ recipient }) => addresses.has(recipient)))
}

function heldOnAccounts(
  transactions: readonly FakeTransaction[],
  { contract }: ModelAsset,
  addresses: ReadonlySet<string>,
): bigint {
  const moved = transactions.flatMap(({ failed, moves }) =>
    failed
      ? []
      : moves.filter(
          ({ asset, undone }) =>
            undone !== true && (asset.type === 'coin' ? null : asset.contract) === contract,
        ),
  )
  const received = moved.filter(({ recipient }) => addresses.has(recipient))
  const sent = moved.filter(({ sender }) => addresses.has(sender))
  const fees = transactions.flatMap(({ signed }) =>
    contract === null && signed !== undefined && addresses.has(signed.sender) ? [signed.feeMinor] : [],
  )
  return totalOf(received) - totalOf(sent) - sum(fees)
}
