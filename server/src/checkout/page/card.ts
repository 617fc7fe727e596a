/** The one card of the page: everything that changes while it is open. The same HTML with and without a script. */
import type { Arrival, Phase } from '../phase.ts'
import { claimParts } from './claim-parts.ts'
import { headlineOf, headlineValues, type Tone } from './headline.ts'
import { filled, Html, html, plain } from './html.ts'
import { chooserParts, payParts, renewParts } from './pay-parts.ts'
import type { ShownCheckout } from './shown-checkout.ts'
import { coinAmount, usdAmount } from './wording.ts'

export function cardOf(shown: ShownCheckout): Html {
  const { checkout } = shown
  return html`${header(shown)}${banner(shown)}${notes(shown)}${body(shown)}${arrivalList(shown)}${backLink(shown)}<p hidden data-phase="${checkout.phase}"></p>`
}

function header({ checkout: { invoice, merchantName }, language }: ShownCheckout): Html {
  const { description } = invoice
  return html`<header class="head"><p class="merchant"><bdi>${merchantName}</bdi></p><p class="total"><bdi dir="ltr">${usdAmount(language, invoice.amount)}</bdi></p>${
    description !== undefined &&
    description !== '' &&
    html`<p class="description" dir="auto">${description}</p>`
  }</header>`
}

const icons: Readonly<Record<Tone, Html>> = {
  open: icon('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>'),
  moving: icon('<path d="M21 12a9 9 0 1 1-6.2-8.6"/>'),
  good: icon('<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.7 2.7L16 9.5"/>'),
  over: icon('<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5M12 16.2v.3"/>'),
}

function icon(shape: string): Html {
  return new Html(
    `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${shape}</svg>`,
  )
}

function banner({ checkout, language: { texts } }: ShownCheckout): Html {
  const { tone, title, more } = headlineOf(checkout.phase)
  const values = headlineValues(checkout)
  return html`<div class="banner ${tone} ${checkout.phase}">${icons[tone]}<div class="words"><h1>${filled(texts[title], values)}</h1>${
    more !== undefined && html`<p>${filled(texts[more], values)}</p>`
  }${confirmationProgress(checkout.phase, checkout.arrivals, texts)}</div></div>`
}

function confirmationProgress(
  phase: Phase,
  arrivals: readonly Arrival[],
  texts: ShownCheckout['language']['texts'],
): Html | false {
  if (phase !== 'confirming' && phase !== 'paid') return false
  const [slowest] = arrivals
    .filter(({ confirmations, state }) => state === 'pending' && confirmations !== undefined)
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

/** Of what many may pay, only what came just now: whoever looks may have sent it. */
function arrivalList({ checkout, language: { texts } }: ShownCheckout): Html | false {
  const isOwn = checkout.invoice.type === 'onetime'
  const listed = checkout.arrivals.filter((one) => !one.isGone && (isOwn || one.isRecent))
  if (listed.length === 0) return false
  const items = listed.flatMap((arrival) => {
    const method = checkout.known(arrival.paymentMethodId)
    if (method === undefined) return []
    return html`<li><span class="amount"><bdi>${coinAmount(method, arrival.amountMinor)}</bdi></span><span class="confirmed">${progressText(arrival, texts)}</span><code class="hash" dir="ltr" title="${texts.transaction}">${arrival.txHash}</code></li>`
  })
  return html`<section class="received"><h2>${texts.received}</h2><ul>${items}</ul></section>`
}

function progressText(arrival: Arrival, texts: ShownCheckout['language']['texts']): Html {
  const { state, confirmations: count, confirmationsNeeded: needed } = arrival
  if (state === 'confirmed') return html`${texts.confirmed}`
  return count === undefined ? html`${texts.seen}` : filled(texts.confirmations, { count, needed })
}

function backLink({ checkout, language: { texts } }: ShownCheckout): Html | false {
  const { invoice, merchantName, phase } = checkout
  if (invoice.redirectUrl === undefined) return false
  const isMain = phase === 'paid' || phase === 'claim-paid'
  const merchant = { merchant: merchantName }
  const going = isMain && html` data-going="${plain(texts.goingBack, merchant)}" data-stay="${texts.stay}"`
  return html`<p class="back"><a class="${isMain ? 'button' : 'quiet'}" href="${invoice.redirectUrl}" target="_top" rel="noreferrer"${going}><span>${filled(texts.backTo, merchant)}</span></a></p>`
}
