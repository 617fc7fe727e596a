/** An EVM network that an operator added to this installation. */
import { chainIdMax, type EvmNetwork, type FeeModel } from '../../chains/evm/evm-networks.ts'
import { parseDecimal, usdDecimals } from '../../core/money.ts'
import { type FieldProblem, RowFields } from './row-fields.ts'

/** The facts of an operator's network, as they are signed. Amounts of the coin are in units of the coin. */
export interface OwnNetwork {
  /** The `paymentMethodID` of the network's coin. */
  readonly methodId: number
  readonly name: string
  readonly title: string
  readonly chainId: number
  readonly coin: OwnCoin
  readonly blockTimeMs: number
  /** The numbers of confirmations for deposits up to 100 USD, up to 10,000 USD, and for larger deposits. */
  readonly confirmations: readonly [number, number, number]
  readonly feeModel: FeeModel
  readonly canDelegate: boolean
  readonly priceBounds: OwnPriceBounds
  readonly coinMirrors: readonly string[]
  readonly explorer: { readonly name: string; readonly url: string }
  /** Null if payers' wallets get no node. */
  readonly walletRpcUrl: string | null
  readonly typicalFeeUsd: string
  readonly isCreditable: boolean
  /** The destination of treasury withdrawals in canonical form; null if there are none. */
  readonly coldAddress: string | null
  /** What a merchant's transactions may cost in 24 h beyond the fees it pays, in the coin. */
  readonly gasBudget: string
  /** The SHA-256 of the sealed list of nodes, in hex. It binds the list, which is stored apart, to this row. */
  readonly nodesHash: string
}

export interface OwnCoin {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly minimum: string
  readonly depositMax: string
  readonly isStable: boolean
}

/** In the coin's smallest unit for one unit of gas. */
interface OwnPriceBounds {
  readonly maxFeePerGasMax: string
  readonly maxPriorityFeePerGasMin: string
  readonly maxPriorityFeePerGasMax: string
}

const networkFields = [
  'methodId',
  'name',
  'title',
  'chainId',
  'coin',
  'blockTimeMs',
  'confirmations',
  'feeModel',
  'canDelegate',
  'priceBounds',
  'coinMirrors',
  'explorer',
  'walletRpcUrl',
  'typicalFeeUsd',
  'isCreditable',
  'coldAddress',
  'gasBudget',
  'nodesHash',
] as const

/** The first id of an operator's own payment methods. The rows that come with Coffer have smaller ids. */
export const firstOwnMethodId = 1_000
export const methodIdMax = 2_147_483_647
const weiDecimals = 18

const nodesHashPattern = /^[0-9a-f]{64}$/

export function isNodesHash(value: unknown): value is string {
  return typeof value === 'string' && nodesHashPattern.test(value)
}

/** Reads a network from JSON. Returns every problem if there is one. */
export function readOwnNetwork(value: unknown): OwnNetwork | { readonly problems: readonly FieldProblem[] } {
  const fields = new RowFields(value)
  fields.allowOnly(networkFields)
  const row: OwnNetwork = {
    methodId: fields.whole('methodId', firstOwnMethodId, methodIdMax),
    name: fields.text(
      'name',
      /^[a-z][a-z0-9]{1,29}$/,
      'must have 2 to 30 small letters and digits, such as "scroll"',
    ),
    title: fields.title('title'),
    chainId: fields.whole('chainId', 1, chainIdMax),
    coin: readCoin(fields),
    blockTimeMs: fields.whole('blockTimeMs', 50, 600_000),
    confirmations: readConfirmations(fields),
    feeModel: fields.choice('feeModel', ['eip1559', 'op-stack', 'arbitrum', 'legacy']),
    canDelegate: fields.flag('canDelegate'),
    priceBounds: readBounds(fields),
    coinMirrors: readMirrors(fields),
    explorer: readExplorer(fields),
    walletRpcUrl: fields.isAbsent('walletRpcUrl') ? null : fields.url('walletRpcUrl'),
    typicalFeeUsd: fields.amount('typicalFeeUsd', usdDecimals, 'US dollars'),
    isCreditable: fields.flag('isCreditable'),
    coldAddress: fields.isAbsent('coldAddress') ? null : fields.address('coldAddress', 'a wallet'),
    gasBudget: fields.amount('gasBudget', weiDecimals, 'the coin'),
    nodesHash: fields.text('nodesHash', nodesHashPattern, 'must be the hash of the list of nodes'),
  }
  if (row.feeModel === 'legacy') requireLegacy(fields, row)
  return fields.problems.length > 0 ? { problems: fields.problems } : row
}

function readCoin(fields: RowFields): OwnCoin {
  const coin = fields.inside('coin')
  coin.allowOnly(['symbol', 'name', 'decimals', 'minimum', 'depositMax', 'isStable'])
  const symbol = coin.text('symbol', /^[A-Z][A-Z0-9]{0,9}$/, 'must have 1 to 10 capital letters and digits')
  const decimals = coin.whole('decimals', 0, 36)
  if (decimals !== weiDecimals && !coin.isAbsent('decimals'))
    coin.refuse('decimals', 'must be 18: nodes of every EVM network count the coin in 10^-18')
  return { symbol, name: coin.title('name'), decimals, ...readAmounts(coin, decimals, symbol) }
}

/** Reads the fields that a coin and a token have. */
export function readAmounts(fields: RowFields, decimals: number, symbol: string) {
  const minimum = fields.amount('minimum', decimals, symbol)
  const depositMax = fields.amount('depositMax', decimals, symbol)
  const least = parseDecimal(minimum, decimals) ?? 0n
  if (least === 0n) fields.refuse('minimum', 'must be above 0: each deposit costs a sweep')
  if ((parseDecimal(depositMax, decimals) ?? 0n) <= least)
    fields.refuse('depositMax', 'must be above the minimum: a larger deposit is quarantined')
  return { minimum, depositMax, isStable: fields.flag('isStable') }
}

function readConfirmations(fields: RowFields): [number, number, number] {
  const [small, medium, large, ...more] = fields.list('confirmations', 3)
  const isCount = (value: unknown): value is number =>
    Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 1_000_000
  if (more.length === 0 && isCount(small) && isCount(medium) && isCount(large))
    if (small <= medium && medium <= large) return [small, medium, large]
  fields.refuse(
    'confirmations',
    'must be three numbers of blocks from 1, none below the one before: for deposits up to 100 USD, up to 10,000 USD, and above',
  )
  return [1, 1, 1]
}

function readBounds(fields: RowFields): OwnPriceBounds {
  const bounds = fields.inside('priceBounds')
  bounds.allowOnly(['maxFeePerGasMax', 'maxPriorityFeePerGasMin', 'maxPriorityFeePerGasMax'])
  const wei = (name: string) => bounds.amount(name, 0, 'wei')
  const read = {
    maxFeePerGasMax: wei('maxFeePerGasMax'),
    maxPriorityFeePerGasMin: wei('maxPriorityFeePerGasMin'),
    maxPriorityFeePerGasMax: wei('maxPriorityFeePerGasMax'),
  }
  if (BigInt(read.maxFeePerGasMax) === 0n) bounds.refuse('maxFeePerGasMax', 'must be above 0')
  if (BigInt(read.maxPriorityFeePerGasMax) > BigInt(read.maxFeePerGasMax))
    bounds.refuse('maxPriorityFeePerGasMax', 'must not be above maxFeePerGasMax')
  if (BigInt(read.maxPriorityFeePerGasMin) > BigInt(read.maxPriorityFeePerGasMax))
    bounds.refuse('maxPriorityFeePerGasMin', 'must not be above maxPriorityFeePerGasMax')
  return read
}

/** Checks what a network without base fees cannot have. */
function requireLegacy(fields: RowFields, { canDelegate, priceBounds }: OwnNetwork): void {
  if (canDelegate)
    fields.refuse(
      'canDelegate',
      'must be false with feeModel legacy: delegations (EIP-7702) need transactions that came after base fees',
    )
  if (priceBounds.maxPriorityFeePerGasMax !== priceBounds.maxFeePerGasMax)
    fields.refuse(
      'priceBounds.maxPriorityFeePerGasMax',
      'must equal maxFeePerGasMax with feeModel legacy: a transaction has one price',
    )
}

function readMirrors(fields: RowFields): readonly string[] {
  return fields.list('coinMirrors', 10).map((mirror, index) => {
    const one = new RowFields({ [`coinMirrors[${index}]`]: mirror }, '', fields.problems)
    return one.address(`coinMirrors[${index}]`, 'a contract')
  })
}

function readExplorer(fields: RowFields): OwnNetwork['explorer'] {
  const explorer = fields.inside('explorer')
  explorer.allowOnly(['name', 'url'])
  return { name: explorer.title('name'), url: explorer.url('url').replace(/\/+$/, '') }
}

/** Returns the row of the network for the rest of Coffer. */
export function evmNetworkOf(row: OwnNetwork): EvmNetwork {
  const { name, title, chainId, blockTimeMs, feeModel, canDelegate, coinMirrors, explorer } = row
  const { symbol, decimals, name: coinName } = row.coin
  const { maxFeePerGasMax, maxPriorityFeePerGasMin, maxPriorityFeePerGasMax } = row.priceBounds
  return {
    name,
    title,
    family: 'evm',
    chainId,
    coin: { symbol, decimals, name: coinName },
    blockTimeMs,
    canDelegate,
    feeModel,
    priceBounds: {
      maxFeePerGasMax: BigInt(maxFeePerGasMax),
      maxPriorityFeePerGasMin: BigInt(maxPriorityFeePerGasMin),
      maxPriorityFeePerGasMax: BigInt(maxPriorityFeePerGasMax),
    },
    coinMirrors,
    explorer,
    walletRpcUrl: row.walletRpcUrl ?? undefined,
    typicalFeeUsd: row.typicalFeeUsd,
    isFeeMostlyBaseFee: false,
    isTried: false,
  }
}
