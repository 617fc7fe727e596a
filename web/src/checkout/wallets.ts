/**
 * Shows a button for each browser wallet that announces itself (EIP-6963). The server prepares the
 * transaction to send.
 */
import { announce, sentence } from './notice.ts'
import { type Call, type Provider, sendPayment, type WalletChain } from './wallet-payment.ts'

interface Announced {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string }
  readonly provider: Provider
}

const walletsMax = 5

export class Wallets {
  readonly #card: HTMLElement
  readonly #announced = new Map<string, Announced>()

  constructor(card: HTMLElement) {
    this.#card = card
    window.addEventListener('eip6963:announceProvider', (event) => {
      const { detail } = event as CustomEvent<Announced>
      if (typeof detail?.info?.uuid !== 'string' || this.#announced.size >= walletsMax) return
      this.#announced.set(detail.info.uuid, detail)
      this.show()
    })
    window.dispatchEvent(new Event('eip6963:requestProvider'))
  }

  show(): void {
    const container = this.#card.querySelector<HTMLElement>('[data-call]')
    if (container === null) return
    const wanted = wantedOf(container.dataset)
    container.replaceChildren(...[...this.#announced.values()].map((wallet) => this.#button(wallet, wanted)))
  }

  #button({ info, provider }: Announced, wanted: Wanted): HTMLButtonElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button wallet'
    if (/^data:image\/(?:png|svg\+xml|webp|jpeg|gif)[;,]/.test(info.icon)) {
      const icon = document.createElement('img')
      icon.src = info.icon
      icon.alt = ''
      icon.onerror = () => icon.remove()
      button.append(icon)
    }
    button.append(sentence('payWith', { wallet: info.name }))
    button.onclick = async () => {
      button.disabled = true
      // The button stays disabled after sending, so that nobody pays twice before a block contains the
      // payment.
      button.disabled = await pay(provider, wanted)
    }
    return button
  }
}

/** The payment that the card asks for. */
interface Wanted {
  readonly call: Call
  readonly chain: WalletChain | undefined
  /** The title of the network. */
  readonly network: string
}

function wantedOf({ call = '{}', chain, network = '' }: DOMStringMap): Wanted {
  return {
    call: JSON.parse(call) as Call,
    chain: chain === undefined ? undefined : (JSON.parse(chain) as WalletChain),
    network,
  }
}

/** Asks the wallet to send the transaction, and returns whether it was sent. */
async function pay(provider: Provider, { network, ...payment }: Wanted): Promise<boolean> {
  let hasLeft = false
  const onLeave = () => {
    hasLeft = true
    announce('walletChain', { network })
  }
  try {
    const isSent = (await sendPayment(provider, { ...payment, onLeave })) === 'sent'
    announce(isSent ? 'walletSent' : 'walletChain', { network })
    return isSent
  } catch {
    announce(hasLeft ? 'walletChain' : 'walletRefused', { network })
    return false
  }
}
