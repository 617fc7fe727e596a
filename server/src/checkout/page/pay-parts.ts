import { networkTitle } from '../../chains/networks.ts'
import { methodAddressView, transferAsset } from '../../payments/invoices/view.ts'
import type { PaymentMethod } from '../../pricing/payment-methods/payment-method.ts'
import { copyButton } from './copy-button.ts'
import { filled, type Html, html } from './html.ts'
import { coinMark, networkMark } from './marks.ts'
import { qrCode } from './qr-code.ts'
import type { ShownCheckout } from './shown-checkout.ts'
import { utcTime } from './wording.ts'

export function renewParts({ checkout: { shown, methods }, language, path }: ShownCheckout): Html | false {
  if (shown === undefined) return false
  const { texts, code } = language
  return html`<div class="actions"><form method="post" action="${path}/method/${shown.method.id}?lang=${code}"><button class="button">${texts.renewButton}</button></form>${otherMethod(methods, texts.otherMethod, path, code)}</div>`
}

/**
 * Renders the address and amount as text, as a QR code, as a link, and as a request to a wallet in the
 * browser.
 */
export function payParts(shownCheckout: ShownCheckout): Html | false {
  const { checkout, language, path } = shownCheckout
  const { shown, methods, phase, invoice } = checkout
  if (shown === undefined) return false
  const { texts, code } = language
  const { method, expiresAt } = shown
  const view = methodAddressView(shownCheckout.codecOf(method.network), shown)
  const isCollect = invoice.type === 'collect'
  const sendTitle = isCollect ? texts.stillNeeded : phase === 'pay' ? texts.sendExactly : texts.sendRest
  const values = { symbol: method.symbol, network: networkTitle(method.network) }
  return html`<div class="scan"><div class="code">${qrCode(view.uri, texts.qrFull)}</div>
<details class="plain-code"><summary>${texts.cannotScan}</summary><p>${texts.addressOnly}</p><div class="code small">${qrCode(view.address, texts.qrAddress)}</div></details></div>
<dl class="facts"><div><dt>${sendTitle}</dt><dd><span class="value amount" dir="ltr" translate="no"><span class="coin-mark">${coinMark(method.symbol)}${networkMark(method.network)}</span><span><span data-amount>${view.amount}</span> ${method.symbol}</span></span>${copyButton(view.amount, texts.copyAmount)}</dd><dd class="clock"><span class="clock-label">${texts.timeLeft}</span> <time datetime="${view.expiresAt}" data-ends>${filled(texts.validUntil, { time: utcTime(language, expiresAt) })}</time></dd>${
    isCollect && html`<dd class="hint">${texts.anyAmount}</dd>`
  }</div><div><dt>${texts.toAddress}</dt><dd><code class="value address" dir="ltr" translate="no" data-address>${view.address}</code>${copyButton(view.address, texts.copyAddress)}</dd></div></dl>
<p class="warning">${filled(texts.onlyThis, values)}</p>
<div class="actions">${walletPlaceholder(shownCheckout)}<a class="button" href="${view.uri}" data-uri>${texts.openWallet}</a>${otherMethod(methods, texts.otherMethod, path, code)}</div>`
}

/**
 * Renders the element into which the script puts a button for each wallet that is installed in the browser
 * (EIP-6963).
 */
function walletPlaceholder({ checkout: { shown }, codecOf, walletChainOf }: ShownCheckout): Html | false {
  if (shown === undefined) return false
  const { method, address, amountMinor } = shown
  const call = codecOf(method.network).walletCall?.(transferAsset(method), address, amountMinor)
  if (call === undefined) return false
  const chain = walletChainOf(method.network)
  return html`<div class="wallets" data-call="${JSON.stringify(call)}"${
    chain !== undefined && html` data-chain="${JSON.stringify(chain)}"`
  } data-network="${networkTitle(method.network)}"></div>`
}

function otherMethod(methods: readonly PaymentMethod[], text: string, path: string, code: string) {
  return (
    methods.length > 1 &&
    html`<p class="other"><a class="quiet" href="${path}?choose=true&lang=${code}">${text}</a></p>`
  )
}
