import type { AddressCodec, WalletChain } from '../../chains/port.ts'
import type { Language } from '../languages/language.ts'
import type { Checkout } from '../read-checkout.ts'

/** A checkout with everything needed to render it. */
export interface ShownCheckout {
  readonly checkout: Checkout
  readonly language: Language
  /** The path of the page from the server's root. The paths of the page's links begin with this path. */
  readonly path: string
  codecOf(network: string): AddressCodec
  walletChainOf(network: string): WalletChain | undefined
}
