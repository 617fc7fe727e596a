import type { AddressCodec } from '../../chains/port.ts'
import type { Language } from '../languages/language.ts'
import type { Checkout } from '../read-checkout.ts'

/** A checkout with all it takes to put it into words. */
export interface ShownCheckout {
  readonly checkout: Checkout
  readonly language: Language
  /** Of the page itself, from the server's root; what it links to begins with it. */
  readonly path: string
  codecOf(network: string): AddressCodec
}
