/**
 * Sends messages from the checkout to `coffer.js`, if the checkout is shown in a modal on a shop's page. The
 * checkout does not know the origin of the shop's page.
 */
import { sentence } from './notice.ts'

export function isFramed(): boolean {
  return window.parent !== window
}

/**
 * Reports to `coffer.js` that the page has loaded, with its title and the label of the close button. Also
 * closes the modal when the user presses Escape.
 */
export function greetFrame(): void {
  if (!isFramed()) return
  document.documentElement.classList.add('framed')
  postToFrame({ title: document.title, closeLabel: sentence('close') })
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') postToFrame({ request: 'close' })
  })
}

/** Reports the phase of the invoice to the shop's page that contains this frame. */
export function notifyFrame(path: string, phase: string): void {
  if (isFramed()) postToFrame({ invoiceID: path.slice(path.lastIndexOf('/') + 1), phase })
}

function postToFrame(what: Readonly<Record<string, string>>): void {
  window.parent.postMessage({ source: 'coffer', ...what }, '*')
}
