import { netMinor } from '../../outgoing/withdrawals/withdrawal.ts'
import { copyButton } from './copy-button.ts'
import { filled, type Html, html } from './html.ts'
import type { ShownCheckout } from './shown-checkout.ts'
import { coinAmount } from './wording.ts'

/**
 * Renders the part of the page where the payee of a `withdraw` invoice claims the money. Anyone who has the
 * whole link, which contains a token, can enter an address. Only one address can be entered for each invoice.
 */
export function claimParts({ checkout, language, codecOf, path }: ShownCheckout): Html | false {
  const { texts } = language
  const { invoice, methods, payout, known } = checkout
  if (payout !== undefined) {
    const method = known(payout.paymentMethodId)
    if (method === undefined) return false
    const address = codecOf(method.network).display(payout.address)
    return html`<dl class="facts"><div><dt><bdi>${coinAmount(method, netMinor(payout))}</bdi></dt><dd><code class="value address" dir="ltr" translate="no">${address}</code></dd></div>${
      payout.txHash !== undefined &&
      html`<div><dt>${texts.transaction}</dt><dd><code class="value" dir="ltr" translate="no">${payout.txHash}</code>${copyButton(payout.txHash, texts.copyTransaction)}</dd></div>`
    }</dl>`
  }
  const [method] = methods
  if (checkout.phase !== 'claim-open' || method === undefined) return false
  const action = `${path.slice(0, path.lastIndexOf('/pay/'))}/public/invoices/${invoice.id}/claim`
  return html`<noscript><p class="note">${texts.claimNeedsScript}</p></noscript><form class="claim needs-script" data-claim="${action}"><label for="claim-address">${filled(texts.claimAddress, { symbol: method.symbol })}</label><input id="claim-address" name="address" required autocomplete="off" autocapitalize="off" spellcheck="false" dir="ltr" maxlength="200"><label class="confirm" hidden><input type="checkbox" name="confirm-network"> ${texts.claimElsewhereConfirm}</label><p class="error" id="claim-error" role="alert"></p><button class="button">${texts.claimButton}</button></form>`
}
