/**
 * Shows a button for each browser wallet that announces itself (EIP-6963). The server prepares the
 * transaction to send.
 */
import { announce, sentence } from './notice.ts'

interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

interface Announced {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string }
  readonly provider: Provider
}

interface Call {
  readonly chainId: string
  readonly to: string
  readonly value: string
  readonly data: string
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
    const call = JSON.parse(container.dataset['call'] ?? '{}') as Call
    const network = container.dataset['network'] ?? ''
    container.replaceChildren(
      ...[...this.#announced.values()].map((wallet) => this.#button(wallet, call, network)),
    )
  }

  #button({ info, provider }: Announced, call: Call, network: string): HTMLButtonElement {
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
      button.disabled = await pay(provider, call, network)
    }
    return button
  }
}

/** Asks the wallet to send the transaction, and returns whether it was sent. */
async function pay(provider: Provider, { chainId, ...call }: Call, network: string): Promise<boolean> {
  try {
    const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
    const isThere = await isOnChain(provider, chainId)
    if (isThere) await provider.request({ method: 'eth_sendTransaction', params: [{ from, ...call }] })
    announce(isThere ? 'walletSent' : 'walletChain', { network })
    return isThere
  } catch {
    announce('walletRefused')
    return false
  }
}

/** Switches the wallet to the chain if needed. Returns whether the wallet now uses that chain. */
async function isOnChain(provider: Provider, chainId: string): Promise<boolean> {
  const current = async () => Number(await provider.request({ method: 'eth_chainId' }))
  if ((await current()) === Number(chainId)) return true
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch {
    return false
  }
  return (await current()) === Number(chainId)
}
