import { isFramed } from './frame.ts'

const restMs = 6_000

/**
 * Redirects the payer to the shop 6 seconds after the page shows the invoice as paid, unless the payer
 * chooses to stay.
 */
export function goBackOncePaid(card: HTMLElement, phase: string): void {
  const link = card.querySelector<HTMLAnchorElement>('a[data-going]')
  if (link === null || phase !== 'paid' || isFramed()) return
  const hint = document.createElement('p')
  hint.className = 'going'
  hint.textContent = `${link.dataset['going'] ?? ''} `
  const stay = document.createElement('button')
  stay.type = 'button'
  stay.className = 'quiet'
  stay.textContent = link.dataset['stay'] ?? ''
  const leaving = setTimeout(() => {
    hint.remove()
    // The link is missing if a reorganisation has made the invoice unpaid meanwhile.
    if (card.querySelector('a[data-going]') !== null) location.assign(link.href)
  }, restMs)
  stay.onclick = () => {
    clearTimeout(leaving)
    hint.remove()
  }
  hint.append(stay)
  // The hint is placed outside the card, because each confirmation replaces the card.
  card.after(hint)
}
