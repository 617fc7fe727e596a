/** The money with which an operator starts: coins in the hot wallets, and their entry in the books. */
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { ChainSide } from './chain-side.ts'
import { fixed } from './fixed.ts'

/** In each hot wallet: 10 ETH. */
const capitalMinor = 10n * 10n ** 18n

export function fundWallets(chainSide: ChainSide): void {
  const { chain } = chainSide
  for (const recipient of fixed.keys.hotWallets)
    chain.mine([
      chain.transaction([
        { asset: { type: 'coin' }, sender: chain.newAddress(), recipient, amountMinor: capitalMinor },
      ]),
    ])
  chainSide.firstHeight = chain.head.height
}

export async function journalCapital(db: Db): Promise<void> {
  const amountMinor = capitalMinor * BigInt(fixed.keys.hotWallets.length)
  const lines = [
    debit({ name: 'custody', asset: 'ethereum/ETH' }, amountMinor),
    credit({ name: 'capital', asset: 'ethereum/ETH' }, amountMinor),
  ]
  await inTransaction(db, (tx) =>
    post(tx, [journal({ kind: 'capital.funded', subject: 'simulation:capital', lines })]),
  )
}
