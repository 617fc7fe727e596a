import { type Static, Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import { merchantName } from '../../merchants/merchant-names.ts'
import { isAmlOk, type Transaction } from '../../payments/deposits/deposit.ts'
import {
  decimalOut,
  nullable,
  oneOf,
  optionalTimestamp,
  timestamp,
  timestampOut,
  uuid,
} from '../../platform/http/wire.ts'
import type { PaymentMethod, PaymentMethods } from '../../pricing/payment-methods/payment-method.ts'
import type { Debt } from './debt-store.ts'
import { freeMinor, isSolvent, liabilitiesMinor, takeableMinor, takeOutSources } from './own-money.ts'
import {
  type AssetFigures,
  atDepositAddressesMinor,
  laneTotalMinor,
  shortfallMinor,
} from './read-treasury.ts'
import { type TakeOut, takeOutStates } from './take-out.ts'

const LaneView = Type.Object(
  {
    lane: Type.Integer(),
    address: Type.String(),
    balance: decimalOut,
    height: Type.Integer({ description: 'of the block at which the node was asked' }),
    at: timestampOut,
  },
  { title: 'Lane' },
)

/** Amounts are in whole units of the asset. */
export const AssetFiguresView = Type.Object(
  {
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    network: Type.String(),
    custody: decimalOut,
    hotWallet: decimalOut,
    lanes: Type.Array(LaneView),
    depositAddresses: decimalOut,
    pendingDeposits: decimalOut,
    leaving: decimalOut,
    liabilities: Type.Object({
      total: decimalOut,
      available: decimalOut,
      held: decimalOut,
      quarantine: decimalOut,
      belowMinimum: decimalOut,
      unattributed: decimalOut,
    }),
    own: Type.Object({
      free: decimalOut,
      capital: decimalOut,
      fees: decimalOut,
      networkFees: decimalOut,
      forfeited: decimalOut,
      takeable: Type.Object({ capital: decimalOut, fees: decimalOut, forfeited: decimalOut }),
    }),
    owedByMerchants: decimalOut,
    queue: Type.Object({
      withdrawals: Type.Integer(),
      amount: decimalOut,
      oldestSeconds: Type.Number(),
      shortfall: Type.String({ description: 'what the hot wallet lacks to pay the queue; a decimal string' }),
    }),
    coldAddress: nullable(
      Type.String({ description: 'where take-outs go on its network; null where none is set' }),
    ),
    isSolvent: Type.Boolean({ description: 'whether custody covers what is owed to others' }),
  },
  { title: 'AssetFigures' },
)

/** All but where take-outs go, which is a setting. */
export function assetFiguresView(
  figures: AssetFigures,
): Omit<Static<typeof AssetFiguresView>, 'coldAddress'> {
  const { method, books, lanes } = figures
  const shown = (minor: bigint) => formatDecimal(minor, method.decimals)
  return {
    paymentMethodID: method.id,
    symbol: method.symbol,
    network: method.network,
    custody: shown(books.custodyMinor),
    hotWallet: shown(laneTotalMinor(figures)),
    lanes: lanes.map(({ lane, address, amountMinor, height, takenAt }) => ({
      lane,
      address,
      height,
      balance: shown(amountMinor),
      at: timestamp(takenAt),
    })),
    depositAddresses: shown(atDepositAddressesMinor(figures)),
    pendingDeposits: shown(figures.pendingDepositsMinor),
    leaving: shown(figures.leavingMinor),
    liabilities: {
      total: shown(liabilitiesMinor(books)),
      available: shown(books.availableMinor),
      held: shown(books.heldMinor),
      quarantine: shown(books.quarantineMinor),
      belowMinimum: shown(books.belowMinimumMinor),
      unattributed: shown(books.unattributedMinor),
    },
    own: ownView(figures),
    owedByMerchants: shown(books.suspenseMinor),
    queue: {
      withdrawals: figures.queued,
      amount: shown(figures.queuedMinor),
      oldestSeconds: Math.floor(figures.oldestSeconds),
      shortfall: shown(shortfallMinor(figures)),
    },
    isSolvent: isSolvent(books),
  }
}

function ownView({ method, books }: AssetFigures) {
  const shown = (minor: bigint) => formatDecimal(minor, method.decimals)
  return {
    free: shown(freeMinor(books)),
    capital: shown(books.capitalMinor),
    fees: shown(books.feesMinor),
    networkFees: shown(books.networkFeesMinor),
    forfeited: shown(books.forfeitedMinor),
    takeable: {
      capital: shown(takeableMinor(books, 'capital')),
      fees: shown(takeableMinor(books, 'fees')),
      forfeited: shown(takeableMinor(books, 'forfeited')),
    },
  }
}

export const TakeOutView = Type.Object(
  {
    id: uuid,
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    source: oneOf(takeOutSources, { title: 'TakeOutSource' }),
    amount: decimalOut,
    state: oneOf(takeOutStates, { title: 'TakeOutState' }),
    txHash: nullable(Type.String()),
    createdAt: timestampOut,
    endedAt: nullable(timestampOut),
  },
  { title: 'TakeOut' },
)

export function takeOutView(methods: PaymentMethods, takeOut: TakeOut): Static<typeof TakeOutView> {
  const { id, paymentMethodId, source, amountMinor, state, txHash = null, createdAt, endedAt } = takeOut
  const method = methods.byId(paymentMethodId)
  return {
    id,
    source,
    state,
    txHash,
    paymentMethodID: paymentMethodId,
    symbol: method?.symbol ?? '',
    amount: formatDecimal(amountMinor, method?.decimals ?? 0),
    createdAt: timestamp(createdAt),
    endedAt: optionalTimestamp(endedAt),
  }
}

export const DebtView = Type.Object(
  {
    merchantID: uuid,
    merchantName: Type.String(),
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    network: Type.String(),
    amount: decimalOut,
    since: timestampOut,
  },
  { title: 'Debt' },
)

export function debtView(methods: PaymentMethods, debt: Debt): Static<typeof DebtView> {
  const { merchantId, merchantName, asset, amountMinor, since } = debt
  const { id, symbol, network, decimals } = required(methods.byAsset(asset), 'the method of a debt')
  return {
    merchantID: merchantId,
    merchantName,
    paymentMethodID: id,
    symbol,
    network,
    amount: formatDecimal(amountMinor, decimals),
    since: timestamp(since),
  }
}

/** Money that came in and belongs to nobody we know. */
export const UnattributedView = Type.Object(
  {
    id: uuid,
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    network: Type.String(),
    amount: decimalOut,
    txHash: Type.String(),
    sender: nullable(Type.String()),
    recipient: Type.String(),
    state: oneOf(['pending', 'confirmed', 'failed'], { title: 'UnattributedState' }),
    amlOk: Type.Boolean({ description: 'whether its sender passed screening' }),
    merchantID: nullable(Type.String({ description: 'to whom it came while that merchant was deleted' })),
    merchantName,
    createdAt: timestampOut,
  },
  { title: 'UnattributedTransaction' },
)

export function unattributedView(
  methods: PaymentMethods,
  display: (network: string, address: string) => string,
  transaction: Transaction,
): Omit<Static<typeof UnattributedView>, 'merchantName'> {
  const { id, paymentMethodId, network, amountMinor, txHash, sender, recipient, state } = transaction
  const method: PaymentMethod | undefined = methods.byId(paymentMethodId)
  return {
    id,
    network,
    txHash,
    state,
    paymentMethodID: paymentMethodId,
    symbol: method?.symbol ?? '',
    amount: formatDecimal(amountMinor, method?.decimals ?? 0),
    sender: sender === undefined ? null : display(network, sender),
    recipient: display(network, recipient),
    amlOk: isAmlOk(transaction),
    merchantID: transaction.merchantId ?? null,
    createdAt: timestamp(transaction.createdAt),
  }
}
