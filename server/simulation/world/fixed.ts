/**
 * Keys, payment methods and addresses that all runs of a simulation share. They are created only once,
 * because they never change.
 */
import { createSecretKey } from 'node:crypto'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import {
  devChainIdOf,
  networks,
  type UtxoNetwork,
  utxoNetworkNames,
  utxoNetworkOf,
} from '../../src/chains/networks.ts'
import type { AddressCodec, TransferAsset } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { utxoAddressesOf } from '../../src/chains/utxo/address.ts'
import { required } from '../../src/core/assert.ts'
import { booksMacs } from '../../src/core/books-macs.ts'
import { decimal, usdDecimals } from '../../src/core/money.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { addressMacKey } from '../../src/payments/invoices/addresses/address.ts'
import { claimTokenKey } from '../../src/payments/invoices/claims/claim.ts'
import { feeDefaults } from '../../src/pricing/fees/fee.ts'
import { devPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import {
  type ConfirmationTier,
  type PaymentMethod,
  type PaymentMethods,
  paymentMethods,
} from '../../src/pricing/payment-methods/payment-method.ts'
import { fixedReadings } from '../../src/pricing/rates/fixed-prices.ts'
import { orderPublicKey, orderSigner, orderVerifier } from '../../src/signing/order-signature.ts'
import { RememberedKeys, rememberDerived, rememberSigned } from './remembered.ts'

const hotWalletCount = 2
const mnemonic = 'test test test test test test test test test test test junk'
const orderSeed = Buffer.alloc(32, 0x5e)

/** The account that owns all merchants, and its session. */
export const owner = {
  accountId: '00000000-0000-7000-8000-000000000001',
  sessionId: '00000000-0000-7000-8000-000000000002',
} as const

/** The EVM networks, with the chain ids of development chains. */
export const evm = {
  ethereum: { ...networks.ethereum, chainId: devChainIdOf('ethereum') },
  base: { ...networks.base, chainId: devChainIdOf('base') },
} as const

const usdt = `0x${'11'.repeat(20)}`
const usdc = `0x${'22'.repeat(20)}`

/**
 * Confirmations on UTXO networks. As in production, small deposits are credited after one block, and large
 * deposits when they are final.
 */
const coinTiers: readonly ConfirmationTier[] = [
  { uptoUsd: decimal('100', usdDecimals), confirmations: 1 },
  { uptoUsd: undefined, confirmations: 3 },
]

const utxoNames: readonly string[] = utxoNetworkNames

const catalogue: readonly PaymentMethod[] = devPaymentMethods([
  { network: 'ethereum', symbol: 'USDT', contract: usdt },
  { network: 'ethereum', symbol: 'USDC', contract: usdc },
  // One address may be the contract of different tokens on two networks.
  { network: 'base', symbol: 'USDC', contract: usdt },
]).map((method) =>
  utxoNames.includes(method.network) ? { ...method, confirmationTiers: coinTiers } : method,
)

/** Returns the payment methods of an installation that has these networks. */
export function methodsOn(enabled: readonly string[]): PaymentMethods {
  return paymentMethods(catalogue, new Set(enabled))
}

/** Returns the price of a whole unit of each asset in 10^-12 USD, as the only source of prices says. */
export function pricesOf({ enabled }: PaymentMethods): ReadonlyMap<string, bigint> {
  return new Map(
    enabled.map(({ asset, symbol }) => {
      const [reading] = fixedReadings([symbol]).get(symbol) ?? []
      return [asset, required(reading, `the price of ${symbol}`).priceUsd]
    }),
  )
}

const keys = new RememberedKeys(mnemonic, hotWalletCount)

export const fixed = {
  keys,
  accounts: keys.accounts('regtest'),
  intentKey: createSecretKey(Buffer.alloc(32, 0x1e)),
  macKey: addressMacKey(Buffer.alloc(32, 0xad)),
  claimKey: claimTokenKey(Buffer.alloc(32, 0xc1)),
  macs: booksMacs([Buffer.alloc(32, 0xb0)]),
  sealer: openSealer(new Secret('5a'.repeat(32))),
  orders: orderSigner(orderSeed),
  orderVerifier: orderVerifier([orderPublicKey(orderSeed)]),
  feeDefaults: feeDefaults.sandbox,
  addresses: rememberDerived(evmAddresses),
  codec: rememberSigned(spendCodecs.evm),
} as const

/** The values that all runs on a UTXO network share. */
export interface FixedUtxo {
  readonly network: UtxoNetwork
  readonly addresses: AddressCodec
  readonly xpub: string
  /** The addresses of the hot wallet. The operator sends money to the first; the others receive change. */
  readonly hotWallets: readonly string[]
}

/**
 * Number of change addresses, which exceeds the number that a run uses. The service derives the same number
 * at once.
 */
const changeAddresses = 250

/** Returns the values that all runs on the regtest chain of a UTXO network share. */
export function fixedUtxo(name: 'bitcoin' | 'litecoin'): FixedUtxo {
  const known = utxos.get(name)
  if (known !== undefined) return known
  const network = required(utxoNetworkOf(name, 'regtest'), `the network ${name}`)
  const addresses = rememberDerived(utxoAddressesOf(network))
  const { xpub, hotXpub } = keys.accountOf(network.chain)
  const hotWallets = [
    ...addresses.derive(hotXpub, 0, 0, 1),
    ...addresses.derive(hotXpub, 1, 0, changeAddresses),
  ]
  const made = { network, addresses, xpub, hotWallets }
  utxos.set(name, made)
  return made
}

const utxos = new Map<string, FixedUtxo>()

/**
 * Returns an asset in the form that the chain uses.
 * @param contract the token's contract; null for the coin
 */
export function transferred(contract: string | null): TransferAsset {
  return contract === null ? { type: 'coin' } : { type: 'token', contract }
}
