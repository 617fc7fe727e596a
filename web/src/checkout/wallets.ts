/** Wallets that live in the browser and announce themselves (EIP-6963); what they are to send is made by the server. */
import { sentence, tell } from './notice.ts'

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
    const place = this.#card.querySelector<HTMLElement>('[data-call]')
    if (place === null) return
    const call = JSON.parse(place.dataset['call'] ?? '{}') as Call
    const network = place.dataset['network'] ?? ''
    place.replaceChildren(
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
      // What was sent waits for a block: nobody is to send it twice meanwhile.
      button.disabled = await pay(provider, call, network)
    }
    return button
  }
}

/** Whether the wallet sent it. */
async function pay(provider: Provider, { chainId, ...call }: Call, network: string): Promise<boolean> {
  try {
    const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
    const isThere = await isOnChain(provider, chainId)
    if (isThere) await provider.request({ method: 'eth_sendTransaction', params: [{ from, ...call }] })
    tell(isThere ? 'walletSent' : 'walletChain', { network })
    return isThere
  } catch {
    tell('walletRefused')
    return false
  }
}

/** Asks the wallet to change to the chain where it is on another; whether it is there then. */
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
