/** Withdrawals on a real chain: ordered as merchants do, approved and paid by the machine that tests move on. */
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeAll, beforeEach } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import type { PayoutPurpose } from '../../src/outgoing/engine/purpose.ts'
import { createWithdrawal, type WithdrawalParts } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { withdrawalPurpose } from '../../src/outgoing/withdrawals/withdrawal-purpose.ts'
import { testOrderVerifier } from './order-keys.ts'
import { type Machine, type PayoutFlow, type PayoutFlowOptions, usePayoutFlow } from './payout-flow.ts'
import { screeningOff } from './screening.ts'
import { type Shop, takePrices, testMnemonic } from './shop.ts'
import { toldTo } from './told.ts'

export interface WithdrawalFlow extends PayoutFlow {
  readonly shop: Shop
  readonly orders: WithdrawalParts
  readonly purpose: PayoutPurpose
  /** A merchant with so many USDT before the fee, which no chain takes back any more. */
  openFunded(amountMinor: bigint): Promise<string>
  /** Orders USDT to a fresh address unless told otherwise. */
  order(merchantId: string, over?: { readonly address?: string; readonly amount?: string }): Promise<Ordered>
  /** A machine that pays withdrawals. */
  payer(): Promise<Machine>
  /** Blocks and rounds until the machine is at rest and every block that matters is final. */
  playOut(machine: Machine): Promise<void>
  row(id: string): Promise<WithdrawalRow>
  /** What the merchant was told of its withdrawals. */
  events(
    merchantId: string,
  ): Promise<readonly { readonly type: string; readonly data: Record<string, unknown> }[]>
}

export interface Ordered {
  readonly id: string
  readonly address: string
}

export interface WithdrawalRow {
  readonly state: string
  readonly stage: string | null
  readonly tx_hash: string | null
  readonly end_explanation: string | null
}

const caller = { type: 'account', accountId: newId(), sessionId: newId(), isOperator: false } as const

export function useWithdrawalFlow(options: PayoutFlowOptions = {}): WithdrawalFlow {
  const flow = usePayoutFlow({ mnemonic: testMnemonic, ...options })
  const made: { shop?: Shop; orders?: WithdrawalParts; purpose?: PayoutPurpose } = {}
  beforeAll(() => {
    const { shop } = flow
    const { db, methods, feeDefaults, orders } = shop
    made.shop = shop
    made.orders = { db, methods, feeDefaults, orders, screening: screeningOff, codecOf: () => evmAddresses }
    const { intentKey } = flow.signer
    const log: Log = silentLog
    made.purpose = withdrawalPurpose({
      db,
      methods,
      log,
      intentKey,
      orders: testOrderVerifier,
      screening: screeningOff,
      approvalAboveUsd: undefined,
    })
  })
  beforeEach(() => takePrices(required(made.shop, 'the shop')))
  const added = operate(flow, made)
  return new Proxy({} as WithdrawalFlow, {
    get: (_, name) =>
      name in added
        ? Reflect.get(added, name)
        : name in made
          ? Reflect.get(made, name)
          : Reflect.get(flow, name),
  })
}

function operate(
  flow: PayoutFlow,
  made: { readonly shop?: Shop; readonly orders?: WithdrawalParts; readonly purpose?: PayoutPurpose },
): Omit<WithdrawalFlow, keyof PayoutFlow | 'shop' | 'orders' | 'purpose'> {
  const shop = () => required(made.shop, 'the shop')
  return {
    openFunded: async (amountMinor) => {
      const merchantId = await shop().openMerchant()
      const { address } = await shop().addressFor(await shop().openInvoice(merchantId, { amount: '10' }))
      await flow.anvil.sendToken({ contract: flow.usdt, to: address, amountMinor })
      await flow.mine(5)
      return merchantId
    },
    order: async (merchantId, { address = freshAddress(), amount = '10' } = {}) => {
      const id = newId()
      const wish = { id, merchantId, address, amount, paymentMethodId: 1 }
      await createWithdrawal(required(made.orders, 'the parts of orders'), caller, wish)
      await flow.follow()
      return { id, address }
    },
    payer: () => flow.machine({ purposes: [required(made.purpose, 'the purpose')] }),
    playOut: async (machine) => {
      for (let blocks = 0; blocks < 5; blocks += 1) {
        await machine.settle()
        await flow.mine()
      }
      await machine.settle()
    },
    row: (id) =>
      shop().row(sql`select state, stage, tx_hash, end_explanation from withdrawal where id = ${id}`),
    events: (merchantId) => toldTo(shop().db, merchantId, 'withdrawal.'),
  }
}

function freshAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`
}
