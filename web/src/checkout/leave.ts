import { isFramed } from './frame.ts'

const restMs = 6_000

/** Takes the payer back to the shop soon after the page turned paid before their eyes, unless they would rather stay. */
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
    // A page that was taken back to unpaid meanwhile has no such link.
    if (card.querySelector('a[data-going]') !== null) location.assign(link.href)
  }, restMs)
  stay.onclick = () => {
    clearTimeout(leaving)
    hint.remove()
  }
  hint.append(stay)
  // Beside the card, which is written anew with each confirmation.
  card.after(hint)
}
