import { type Static, Type } from 'typebox'
import { required } from '../../core/assert.ts'
import { formatDecimal } from '../../core/money.ts'
import { merchantName } from '../../merchants/merchant-names.ts'
import { type Deposit, isAmlOk } from '../../payments/deposits/deposit.ts'
import { foundByOf, foundBys, knownTxHash } from '../../payments/deposits/recording/found-by-balance.ts'
import { isOnWrongNetwork } from '../../payments/deposits/wrong-network.ts'
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
import {
  freeMinor,
  isSolvent,
  liabilitiesMinor,
  treasuryWithdrawalSources,
  withdrawableMinor,
} from './own-money.ts'
import {
  type AssetFigures,
  atDepositAddressesMinor,
  hotWalletTotalMinor,
  shortfallMinor,
} from './read-treasury.ts'
import { type TreasuryWithdrawal, treasuryWithdrawalStates } from './treasury-withdrawal.ts'

const HotWalletView = Type.Object(
  {
    index: Type.Integer(),
    address: Type.String(),
    balance: decimalOut,
    height: Type.Integer({ description: 'the height of the block at which the balance was read' }),
    at: timestampOut,
  },
  { title: 'HotWallet' },
)

/** Amounts are in whole units of the asset. */
export const AssetFiguresView = Type.Object(
  {
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    network: Type.String(),
    custody: decimalOut,
    hotWallet: decimalOut,
    hotWallets: Type.Array(HotWalletView),
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
      shortfall: Type.String({ description: 'what the hot wallets lack to pay the queue; a decimal string' }),
    }),
    coldAddress: nullable(
      Type.String({
        description: 'the address that receives treasury withdrawals on this network; null if none is set',
      }),
    ),
    isSolvent: Type.Boolean({ description: 'whether custody covers the liabilities' }),
  },
  { title: 'AssetFigures' },
)

/** Returns all fields of the view except the cold address, which is a setting. */
export function assetFiguresView(
  figures: AssetFigures,
): Omit<Static<typeof AssetFiguresView>, 'coldAddress'> {
  const { method, books, hotWallets } = figures
  const shown = (minor: bigint) => formatDecimal(minor, method.decimals)
  return {
    paymentMethodID: method.id,
    symbol: method.symbol,
    network: method.network,
    custody: shown(books.custodyMinor),
    hotWallet: shown(hotWalletTotalMinor(figures)),
    hotWallets: hotWallets.map(({ index, address, amountMinor, height, takenAt }) => ({
      index,
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
    owedByMerchants: shown(books.receivableMinor),
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
      capital: shown(withdrawableMinor(books, 'capital')),
      fees: shown(withdrawableMinor(books, 'fees')),
      forfeited: shown(withdrawableMinor(books, 'forfeited')),
    },
  }
}

export const TreasuryWithdrawalView = Type.Object(
  {
    id: uuid,
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    source: oneOf(treasuryWithdrawalSources, { title: 'TreasuryWithdrawalSource' }),
    amount: decimalOut,
    state: oneOf(treasuryWithdrawalStates, { title: 'TreasuryWithdrawalState' }),
    txHash: nullable(Type.String()),
    createdAt: timestampOut,
    endedAt: nullable(timestampOut),
  },
  { title: 'TreasuryWithdrawal' },
)

export function treasuryWithdrawalView(
  methods: PaymentMethods,
  treasuryWithdrawal: TreasuryWithdrawal,
): Static<typeof TreasuryWithdrawalView> {
  const {
    id,
    paymentMethodId,
    source,
    amountMinor,
    state,
    txHash = null,
    createdAt,
    endedAt,
  } = treasuryWithdrawal
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

const unattributedReasons = ['no-owner', 'wrong-network', 'deleted-merchant'] as const

function unattributedReason(methods: PaymentMethods, deposit: Deposit): (typeof unattributedReasons)[number] {
  if (deposit.merchantId === undefined) return 'no-owner'
  return isOnWrongNetwork(methods, deposit) ? 'wrong-network' : 'deleted-merchant'
}

/** Received money that is not attributed to anybody. */
export const UnattributedView = Type.Object(
  {
    id: uuid,
    paymentMethodID: Type.Integer(),
    symbol: Type.String(),
    network: Type.String(),
    amount: decimalOut,
    txHash: nullable(Type.String()),
    foundBy: oneOf(foundBys, { title: 'UnattributedFoundBy' }),
    sender: nullable(Type.String()),
    recipient: Type.String(),
    state: oneOf(['pending', 'confirmed', 'failed'], { title: 'UnattributedState' }),
    amlOk: Type.Boolean({ description: 'whether its sender passed screening' }),
    merchantID: nullable(Type.String({ description: 'the merchant to which it was paid' })),
    reason: oneOf(unattributedReasons, {
      title: 'UnattributedReason',
      description:
        '`no-owner`: its address is a hot wallet or belongs to no invoice; `wrong-network`: its invoice does not offer its network; `deleted-merchant`: its merchant is deleted or was deleted when it came',
    }),
    merchantName,
    createdAt: timestampOut,
  },
  { title: 'UnattributedTransaction' },
)

export function unattributedView(
  methods: PaymentMethods,
  display: (network: string, address: string) => string,
  deposit: Deposit,
): Omit<Static<typeof UnattributedView>, 'merchantName'> {
  const { id, paymentMethodId, network, amountMinor, sender, recipient, state } = deposit
  const method: PaymentMethod | undefined = methods.byId(paymentMethodId)
  return {
    id,
    network,
    txHash: knownTxHash(deposit),
    foundBy: foundByOf(deposit),
    state,
    paymentMethodID: paymentMethodId,
    symbol: method?.symbol ?? '',
    amount: formatDecimal(amountMinor, method?.decimals ?? 0),
    sender: sender === undefined ? null : display(network, sender),
    recipient: display(network, recipient),
    amlOk: isAmlOk(deposit),
    merchantID: deposit.merchantId ?? null,
    reason: unattributedReason(methods, deposit),
    createdAt: timestamp(deposit.createdAt),
  }
}
