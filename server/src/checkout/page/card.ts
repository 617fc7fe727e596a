/**
 * Renders the card of the page: everything that changes while the page is open. The HTML does not depend on
 * whether the browser runs the script.
 */
import { networkTitle } from '../../chains/networks.ts'
import { isNoTransaction } from '../../payments/deposits/recording/found-by-balance.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import type { CheckoutPayment, Phase } from '../phase.ts'
import { bannerOf } from './banner.ts'
import { chooserParts } from './chooser-parts.ts'
import { claimParts } from './claim-parts.ts'
import { copyButton } from './copy-button.ts'
import { headlineOf, headlineValues } from './headline.ts'
import { apart, filled, type Html, html, plain } from './html.ts'
import { payParts, renewParts } from './pay-parts.ts'
import type { ShownCheckout } from './shown-checkout.ts'
import { coinAmount, networkList, usdAmount } from './wording.ts'

export function cardOf(shown: ShownCheckout): Html {
  const { checkout } = shown
  return html`${header(shown)}${banner(shown)}${notes(shown)}${body(shown)}${paymentList(shown)}${backLink(shown)}<p hidden data-phase="${checkout.phase}"></p>`
}

/** Maximum number of characters of a total that fits on a phone's screen in the largest font size. */
const totalLengthMax = 13

function header({ checkout: { invoice, merchantName }, language }: ShownCheckout): Html {
  const { description } = invoice
  const total = usdAmount(language, invoice.amount)
  const length = total.length > totalLengthMax && ' long'
  return html`<header class="head"><p class="merchant"><bdi>${merchantName}</bdi></p><p class="total${length}"><bdi dir="ltr">${total}</bdi></p>${
    description !== undefined &&
    description !== '' &&
    html`<p class="description" dir="auto">${description}</p>`
  }</header>`
}

function banner({ checkout, language: { texts } }: ShownCheckout): Html {
  const { tone, title, more } = headlineOf(checkout.phase)
  const values = headlineValues(checkout)
  return bannerOf({
    tone,
    title: filled(texts[title], values),
    more: more && filled(texts[more], values),
    progress: confirmationProgress(checkout.phase, checkout.shownPayments, texts),
  })
}

function confirmationProgress(
  phase: Phase,
  shownPayments: readonly CheckoutPayment[],
  texts: ShownCheckout['language']['texts'],
): Html | false {
  if (phase !== 'confirming' && phase !== 'paid') return false
  const [slowest] = shownPayments
    .filter(
      ({ confirmations, state, isWrongNetwork }) =>
        state === 'pending' && confirmations !== undefined && !isWrongNetwork,
    )
    .toSorted((a, b) => (a.confirmations ?? 0) - (b.confirmations ?? 0))
  if (slowest === undefined) return false
  const { confirmations: count = 0, confirmationsNeeded: needed } = slowest
  const label = filled(texts.confirmations, { count, needed })
  return html`<p class="progress"><progress max="${needed}" value="${count}" aria-label="${texts.confirming}"></progress><span>${label}</span></p>`
}

function notes({ checkout, language: { texts } }: ShownCheckout): Html | false {
  const { phase, invoice, merchantName } = checkout
  if (phase !== 'paid' || !invoice.exceptions.includes('overpaid')) return false
  return html`<p class="note">${filled(texts.over, { merchant: merchantName })}</p>`
}

function body(shown: ShownCheckout): Html | false {
  const { phase } = shown.checkout
  switch (phase) {
    case 'choose':
      return chooserParts(shown)
    case 'pay':
    case 'partial':
    case 'part-seen':
      return payParts(shown)
    case 'renew':
      return renewParts(shown)
    case 'claim-open':
    case 'claim-paying':
    case 'claim-paid':
      return claimParts(shown)
    default:
      return false
  }
}

/**
 * Lists the payments of the invoice. If several payers may pay the invoice, only recent payments are listed,
 * because older payments are probably not the viewer's own.
 */
function paymentList(shown: ShownCheckout): Html | false {
  const { checkout, language } = shown
  const { texts } = language
  const isOwn = checkout.invoice.type === 'onetime'
  const listed = checkout.shownPayments.filter((one) => !one.isGone && (isOwn || one.isRecent))
  if (listed.length === 0) return false
  const items = listed.flatMap((payment) => {
    const method = checkout.known(payment.paymentMethodId)
    if (method === undefined) return []
    return html`<li><span class="amount"><bdi>${coinAmount(method, payment.amountMinor)}</bdi></span><span class="confirmed">${progressText(payment, texts)}</span>${isNoTransaction(payment.txHash) ? html`<span class="hash">${texts.foundByBalance}</span>` : hashLine(payment.txHash, texts.copyTransaction)}${wrongNetworkNote(shown, payment, method)}</li>`
  })
  return html`<section class="received"><h2>${texts.received}</h2><ul>${items}</ul></section>`
}

/** Explains to the payer why a payment on a network that the invoice does not offer does not pay it. */
function wrongNetworkNote(
  { checkout, language }: ShownCheckout,
  { isWrongNetwork, amountMinor }: CheckoutPayment,
  method: PaymentMethod,
): Html | false {
  if (!isWrongNetwork) return false
  const { invoice, merchantName } = checkout
  const offered = invoice.paymentMethodIds.flatMap((id) => checkout.known(id) ?? [])
  const text = filled(language.texts.wrongNetwork, {
    amount: coinAmount(method, amountMinor),
    network: networkTitle(method.network),
    offered: networkList(language, offered),
    merchant: merchantName,
  })
  return html`<span class="wrong-network">${text}</span>`
}

/** Renders a transaction hash. If space is scarce, its middle is hidden, because people compare both ends. */
function hashLine(txHash: string, label: string): Html {
  const start = txHash.slice(0, -8)
  return html`<span class="hash"><code dir="ltr" translate="no" title="${txHash}"><span>${start}</span><span>${txHash.slice(start.length)}</span></code>${copyButton(txHash, label)}</span>`
}

function progressText(payment: CheckoutPayment, texts: ShownCheckout['language']['texts']): Html {
  const { state, confirmations: count, confirmationsNeeded: needed } = payment
  if (state === 'confirmed') return html`${texts.confirmed}`
  return count === undefined ? html`${texts.seen}` : filled(texts.confirmations, { count, needed })
}

function backLink({ checkout, language: { texts } }: ShownCheckout): Html | false {
  const { invoice, merchantName, phase } = checkout
  if (invoice.redirectUrl === undefined) return false
  const isMain = phase === 'paid' || phase === 'claim-paid'
  const going =
    isMain &&
    html` data-going="${plain(texts.goingBack, { merchant: apart(merchantName) })}" data-stay="${texts.stay}"`
  return html`<p class="back"><a class="${isMain ? 'button' : 'quiet'}" href="${invoice.redirectUrl}" target="_top" rel="noreferrer"${going}><span>${filled(texts.backTo, { merchant: merchantName })}</span></a></p>`
}
