/**
 * Withdrawals on a real chain. They are ordered as merchants order them, approved, and paid by an engine that
 * runs only when the test says so.
 */

import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeAll, beforeEach } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { newId } from '../../src/core/ids.ts'
import { type Log, silentLog } from '../../src/core/log.ts'
import type { OutgoingSource } from '../../src/outgoing/engine/outgoing-source.ts'
import { createWithdrawal, type WithdrawalParts } from '../../src/outgoing/withdrawals/create-withdrawal.ts'
import { withdrawalOutgoingSource } from '../../src/outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { eventsTo } from './emitted-events.ts'
import { testOrderVerifier } from './order-keys.ts'
import { type Engine, type OutgoingFlow, type OutgoingFlowOptions, useOutgoingFlow } from './outgoing-flow.ts'
import { screeningOff } from './screening.ts'
import { type Shop, takePrices, testMnemonic } from './shop.ts'
import { withdrawalPartsOf } from './withdrawal-parts.ts'

export interface WithdrawalFlow extends OutgoingFlow {
  readonly shop: Shop
  readonly orders: WithdrawalParts
  readonly outgoingSource: OutgoingSource
  /** Opens a merchant with this much USDT, before the fee, in a deposit that is final. */
  openFunded(amountMinor: bigint): Promise<string>
  /** Orders a withdrawal of USDT, by default to a fresh address. */
  order(merchantId: string, over?: { readonly address?: string; readonly amount?: string }): Promise<Ordered>
  /** Returns an engine that pays withdrawals. */
  payer(): Promise<Engine>
  /** Mines blocks and runs rounds until the engine has nothing to do and every relevant block is final. */
  playOut(engine: Engine): Promise<void>
  row(id: string): Promise<WithdrawalRow>
  /** Returns the events about withdrawals that the merchant received. */
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

export function useWithdrawalFlow(options: OutgoingFlowOptions = {}): WithdrawalFlow {
  const flow = useOutgoingFlow({ mnemonic: testMnemonic, ...options })
  const made: { shop?: Shop; orders?: WithdrawalParts; outgoingSource?: OutgoingSource } = {}
  beforeAll(() => {
    const { shop } = flow
    const { db, methods } = shop
    made.shop = shop
    made.orders = withdrawalPartsOf(shop)
    const { intentKey } = flow.signer
    const log: Log = silentLog
    made.outgoingSource = withdrawalOutgoingSource({
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
  flow: OutgoingFlow,
  made: { readonly shop?: Shop; readonly orders?: WithdrawalParts; readonly outgoingSource?: OutgoingSource },
): Omit<WithdrawalFlow, keyof OutgoingFlow | 'shop' | 'orders' | 'outgoingSource'> {
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
      const input = { id, merchantId, address, amount, paymentMethodId: 1 }
      await createWithdrawal(required(made.orders, 'the parts of orders'), caller, input)
      await flow.follow()
      return { id, address }
    },
    payer: () => flow.engine({ outgoingSources: [required(made.outgoingSource, 'the purpose')] }),
    playOut: async (engine) => {
      for (let blocks = 0; blocks < 5; blocks += 1) {
        await engine.settle()
        await flow.mine()
      }
      await engine.settle()
    },
    row: (id) =>
      shop().row(sql`select state, stage, tx_hash, end_explanation from withdrawal where id = ${id}`),
    events: (merchantId) => eventsTo(shop().db, merchantId, 'withdrawal.'),
  }
}

function freshAddress(): string {
  return `0x${randomBytes(20).toString('hex')}`
}
