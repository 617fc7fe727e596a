/** The money with which an operator starts: coins in the hot wallets, and their entries in the books. */
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { listUnattributed } from '../../src/payments/deposits/unattributed/list-store.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { PaymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import type { ChainSide } from './chain-side.ts'
import { fixed } from './fixed.ts'
import type { UtxoSide } from './utxo-side.ts'

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

/** In coins with eight decimal places: three outputs, which pay many fees and few withdrawals. */
const capitalOutputsMinor = [400_000n, 1_000_000n, 3_000_000n]

/** Pays the hot wallet of a UTXO network, whose address the books must know already. */
export function fundHotWallet(side: UtxoSide): void {
  const [recipient = ''] = side.fixed.hotWallets
  for (const amountMinor of capitalOutputsMinor) side.pay([{ recipient, amountMinor }])
}

/** Says that all money that belongs to nobody is the operator's own. */
export async function attributeCapital(db: Db, methods: PaymentMethods): Promise<void> {
  const { deposits } = await listUnattributed(db, { page: 1, limit: 100 })
  const parts = { db, methods, feeDefaults: fixed.feeDefaults }
  for (const { id } of deposits)
    await attributeMoney(parts, undefined, { depositId: id, merchantId: undefined })
}
