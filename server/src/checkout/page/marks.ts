import { type Html, html } from './html.ts'

/** Renders the mark of a coin. The marks are in `web/src/design/marks.css`. */
export function coinMark(symbol: string): Html {
  return html`<span class="mark" data-coin="${symbol}" aria-hidden="true"></span>`
}

/** Renders the mark of a network. */
export function networkMark(network: string): Html {
  return html`<span class="mark" data-network="${network}" aria-hidden="true"></span>`
}
