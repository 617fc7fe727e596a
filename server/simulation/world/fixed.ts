/** What all runs of a simulation share: keys, methods and addresses. They never change, so they are made once. */
import { createSecretKey } from 'node:crypto'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { networks } from '../../src/chains/networks.ts'
import type { AddressCodec, TransferAsset } from '../../src/chains/port.ts'
import { booksMacs } from '../../src/core/books-macs.ts'
import { openSealer } from '../../src/core/seal.ts'
import { Secret } from '../../src/core/settings.ts'
import { addressMacKey } from '../../src/payments/invoices/addresses/address.ts'
import { claimTokenKey } from '../../src/payments/invoices/claims/claim.ts'
import { feeDefaults } from '../../src/pricing/fees/fee.ts'
import { devPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../../src/pricing/payment-methods/payment-method.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { orderPublicKey, orderSigner, orderVerifier } from '../../src/signing/order-signature.ts'

const hotWalletCount = 2
const mnemonic = 'test test test test test test test test test test test junk'
const orderSeed = Buffer.alloc(32, 0x5e)

export const chainId = 31_337
export const ethereum = { ...networks.ethereum, chainId }
const usdt = `0x${'11'.repeat(20)}`
const usdc = `0x${'22'.repeat(20)}`

export const methods = paymentMethods(
  devPaymentMethods([
    { network: 'ethereum', symbol: 'USDT', contract: usdt },
    { network: 'ethereum', symbol: 'USDC', contract: usdc },
  ]),
  new Set(['ethereum']),
)

const keys = new KeyTree(mnemonic, hotWalletCount)

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
} as const

/** Returns an asset as the chain names it. @param contract is null for the coin */
export function transferred(contract: string | null): TransferAsset {
  return contract === null ? { type: 'coin' } : { type: 'token', contract }
}

/** Returns a codec that derives each address once in this process, because runs derive the same ones. */
function rememberDerived(codec: AddressCodec): AddressCodec {
  const known = new Map<string, readonly string[]>()
  return {
    ...codec,
    derive: (xpub, branch, from, count) => {
      const key = `${xpub} ${branch} ${from} ${count}`
      const derived = known.get(key) ?? codec.derive(xpub, branch, from, count)
      known.set(key, derived)
      return derived
    },
  }
}
