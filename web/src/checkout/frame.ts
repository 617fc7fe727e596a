/** The page inside a modal of `coffer.js`, above a shop's own page, whose origin is not known here. */
import { sentence } from './notice.ts'

export function isFramed(): boolean {
  return window.parent !== window
}

/** Says that the page is there, in what words it may be left, and closes the modal on Escape also from inside. */
export function greetFrame(): void {
  if (!isFramed()) return
  document.documentElement.classList.add('framed')
  tell({ title: document.title, closeLabel: sentence('close') })
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') tell({ wish: 'close' })
  })
}

/** Tells the shop's page around this one, which knows the invoice, how it stands. */
export function tellFrame(path: string, phase: string): void {
  if (isFramed()) tell({ invoiceID: path.slice(path.lastIndexOf('/') + 1), phase })
}

function tell(what: Readonly<Record<string, string>>): void {
  window.parent.postMessage({ source: 'coffer', ...what }, '*')
}
