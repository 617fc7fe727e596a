/** Messages of the checkout to `coffer.js`, when it runs in a modal above a shop's page of unknown origin. */
import { sentence } from './notice.ts'

export function isFramed(): boolean {
  return window.parent !== window
}

/**
 * Reports that the page has loaded, with its title and the label of the close button. Escape closes the
 * modal.
 */
export function greetFrame(): void {
  if (!isFramed()) return
  document.documentElement.classList.add('framed')
  postToFrame({ title: document.title, closeLabel: sentence('close') })
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') postToFrame({ request: 'close' })
  })
}

/** Reports the phase of the invoice to the shop's page around this one. */
export function notifyFrame(path: string, phase: string): void {
  if (isFramed()) postToFrame({ invoiceID: path.slice(path.lastIndexOf('/') + 1), phase })
}

function postToFrame(what: Readonly<Record<string, string>>): void {
  window.parent.postMessage({ source: 'coffer', ...what }, '*')
}
