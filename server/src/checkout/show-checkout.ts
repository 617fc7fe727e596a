import { createHash } from 'node:crypto'
import type { AddressCodec, WalletChain } from '../chains/port.ts'
import type { ProblemCode } from '../core/errors.ts'
import type { Texts } from './languages/en.ts'
import type { Language } from './languages/language.ts'
import { cardOf } from './page/card.ts'
import { headlineOf, headlineValues } from './page/headline.ts'
import { type Html, plain } from './page/html.ts'
import { type Checkout, type CheckoutParts, type CheckoutQuestion, readCheckout } from './read-checkout.ts'

export interface ShowCheckoutParts extends CheckoutParts {
  codecOf(network: string): AddressCodec
  /** Returns how a payer's wallet adds a network; undefined if it must not. */
  walletChainOf(network: string): WalletChain | undefined
}

export interface ShowQuestion extends CheckoutQuestion {
  readonly language: Language
}

/** The current content of a page, as texts and HTML. */
export interface ShownStatus {
  readonly checkout: Checkout
  /** A hash of the HTML in `card`. It changes whenever that HTML changes. */
  readonly version: string
  readonly title: string
  readonly announcement: string
  readonly card: Html
  /** The seconds until the price or the invoice expires. */
  readonly endsInS: number | undefined
}

/**
 * Returns the current content of a page in the requested language.
 * @throws Problem not-found
 */
export async function showCheckout(parts: ShowCheckoutParts, question: ShowQuestion): Promise<ShownStatus> {
  const { language } = question
  const { texts } = language
  const checkout = await readCheckout(parts, question)
  const { phase, shown, now } = checkout
  const path = checkoutPath(question.invoiceId)
  const { codecOf, walletChainOf } = parts
  const card = cardOf({ checkout, language, path, codecOf, walletChainOf })
  const { title, more } = headlineOf(phase)
  const values = headlineValues(checkout)
  const headline = plain(texts[title], values)
  const isAsking = phase === 'choose' || phase === 'pay'
  const isOpen = (isAsking || phase === 'partial' || phase === 'part-seen') && shown !== undefined
  return {
    checkout,
    version: createHash('sha256').update(card.text).digest('base64url').slice(0, 22),
    title: isAsking ? plain(texts.pageTitle, values) : `${headline} · ${checkout.merchantName}`,
    announcement: more === undefined ? headline : `${headline}. ${plain(texts[more], values)}`,
    card,
    endsInS: isOpen ? Math.max(0, Math.ceil((shown.expiresAt.getTime() - now.getTime()) / 1_000)) : undefined,
  }
}

/** Returns the path of a page, from the server's root. */
export function checkoutPath(invoiceId: string): string {
  return `/pay/${invoiceId}`
}

const errorTexts: { readonly [code in ProblemCode]?: keyof Texts } = {
  'rate-unavailable': 'noPrice',
  'below-minimum': 'tooSmall',
  'invoice-not-payable': 'notPayable',
}

/** Returns the text that tells the payer why no address could be assigned. */
export function errorTextOf({ texts }: Language, code: ProblemCode): string {
  return texts[errorTexts[code] ?? 'tryAgain']
}
