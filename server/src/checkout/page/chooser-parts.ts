/** Renders the choice of a coin and then of its network. It needs no script. */
import { networkTitle } from '../../chains/networks.ts'
import { formatDecimal, usdDecimals } from '../../core/money.ts'
import { type CoinChoice, type MethodOption, roundFee, roundTime } from '../choices.ts'
import type { Language } from '../languages/language.ts'
import { filled, type Html, html } from './html.ts'
import { coinMark, networkMark } from './marks.ts'
import type { ShownCheckout } from './shown-checkout.ts'
import { duration, usdAmount } from './wording.ts'

/**
 * Renders a POST form with a button for each method. Choosing a method assigns an address. The networks of a
 * coin that is offered on several networks are in an element that the payer opens.
 */
export function chooserParts(shown: ShownCheckout): Html {
  const { choices } = shown.checkout
  const coins = choices.map((coin) =>
    coin.options.length === 1
      ? coin.options.map((option) => coinButton(shown, coin, option))
      : networksOf(shown, coin, choices.length === 1),
  )
  return html`<div class="choices">${coins}</div>`
}

function coinButton(shown: ShownCheckout, { symbol, name }: CoinChoice, option: MethodOption): Html {
  const { texts } = shown.language
  const network = networkTitle(option.method.network)
  return chooseForm(
    shown,
    option,
    html`<span class="coin-mark">${coinMark(symbol)}${networkMark(option.method.network)}</span><span class="choice-name">${name}</span><span class="choice-network">${symbol} ${filled(texts.onNetwork, { network })}</span>${typical(shown.language, option)}`,
  )
}

function networksOf(shown: ShownCheckout, coin: CoinChoice, isOpen: boolean): Html {
  const { symbol, name, options } = coin
  const { texts } = shown.language
  const marks = options.map(({ method }) => networkMark(method.network))
  return html`<details class="coin-choice" name="coin" data-key="${symbol}"${isOpen && html` open`}><summary class="choice"><span class="coin-mark">${coinMark(symbol)}</span><span class="choice-name">${name}</span><span class="choice-network">${symbol} · ${texts.chooseNetwork}</span><span class="choice-marks">${marks}</span></summary><div class="networks">${options.map((option) => networkButton(shown, coin, option))}</div></details>`
}

/** Renders a network of a coin. Some issuers give the coin another name there, such as "Binance-Peg USD Coin". */
function networkButton(shown: ShownCheckout, { name }: CoinChoice, option: MethodOption): Html {
  const { method } = option
  return chooseForm(
    shown,
    option,
    html`<span class="coin-mark">${networkMark(method.network)}</span><span class="choice-name">${networkTitle(method.network)}</span>${
      method.name !== name && html`<span class="choice-network"><bdi>${method.name}</bdi></span>`
    }${typical(shown.language, option)}`,
  )
}

function chooseForm({ path, language }: ShownCheckout, { method }: MethodOption, content: Html): Html {
  return html`<form method="post" action="${path}/method/${method.id}?lang=${language.code}"><button class="choice">${content}</button></form>`
}

function typical(language: Language, { feeUsd, creditedMs }: MethodOption): Html | false {
  const { texts } = language
  const parts = [
    feeUsd !== undefined && feeText(language, feeUsd),
    creditedMs !== undefined && filled(texts.creditedIn, { time: duration(language, roundTime(creditedMs)) }),
  ].filter((part) => part !== false)
  const items = parts.map((part) => html`<span>${part}</span>`)
  return items.length > 0 && html`<span class="choice-typical">${items}</span>`
}

function feeText(language: Language, feeUsd: bigint): Html {
  const { texts } = language
  const rounded = roundFee(feeUsd)
  return rounded === undefined
    ? filled(texts.feeBelow, { fee: usdAmount(language, '0.01') })
    : filled(texts.feeAbout, { fee: usdAmount(language, formatDecimal(rounded, usdDecimals)) })
}
