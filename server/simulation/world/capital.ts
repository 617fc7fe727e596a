/** The operator's own money at the start: coins in the hot wallets, and their entries in the books. */
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { attributeMoney } from '../../src/outgoing/treasury/attribute-money.ts'
import { listUnattributed } from '../../src/payments/deposits/unattributed/list-store.ts'
import type { Db } from '../../src/platform/db/pool.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import type { PaymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import type { EvmSide } from './evm-side.ts'
import { fixed } from './fixed.ts'
import type { UtxoSide } from './utxo-side.ts'

/** The money in each hot wallet on an EVM network: 10 ETH. */
const capitalMinor = 10n * 10n ** 18n

/** Number of blocks before the first payment. The heights of networks differ, so that they cannot be mistaken. */
const emptyBlocks = { ethereum: 0, base: 9 }

export function fundWallets(side: EvmSide): void {
  const { chain } = side
  for (let block = 0; block < emptyBlocks[side.name]; block += 1) chain.mine([])
  for (const recipient of fixed.keys.hotWallets)
    chain.mine([
      chain.transaction([
        { asset: { type: 'coin' }, sender: chain.newAddress(), recipient, amountMinor: capitalMinor },
      ]),
    ])
  side.firstHeight = chain.head.height
}

export async function journalCapital(db: Db, { name }: EvmSide): Promise<void> {
  const amountMinor = capitalMinor * BigInt(fixed.keys.hotWallets.length)
  const asset = `${name}/ETH`
  const lines = [
    debit({ name: 'custody', asset }, amountMinor),
    credit({ name: 'capital', asset }, amountMinor),
  ]
  await inTransaction(db, (tx) =>
    post(tx, [journal({ kind: 'capital.funded', subject: `simulation:capital:${name}`, lines })]),
  )
}

/**
 * The money in the hot wallet of a UTXO network, in three outputs of a coin with eight decimal places. It is
 * enough for many fees but only for few withdrawals.
 */
const capitalOutputsMinor = [400_000n, 1_000_000n, 3_000_000n]

/** Sends money to the hot wallet of a UTXO network. The books must already know the wallet's address. */
export function fundHotWallet(side: UtxoSide): void {
  const [recipient = ''] = side.fixed.hotWallets
  for (const amountMinor of capitalOutputsMinor) side.pay([{ recipient, amountMinor }])
}

/** Records that all deposits without an owner belong to the operator. */
export async function attributeCapital(db: Db, methods: PaymentMethods): Promise<void> {
  const { deposits } = await listUnattributed(db, { page: 1, limit: 100 })
  const parts = { db, methods, feeDefaults: fixed.feeDefaults }
  for (const { id } of deposits)
    await attributeMoney(parts, undefined, { depositId: id, merchantId: undefined })
}
