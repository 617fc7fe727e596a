/** The claim of a withdraw invoice: its token stands in the fragment, which browsers send to no server. */
import { sentence, tell } from './notice.ts'

export function enableClaim(card: HTMLElement, onClaimed: () => void): void {
  const form = card.querySelector<HTMLFormElement>('form[data-claim]')
  if (form === null) return
  const token = /[#&]claim=([\w-]+)/.exec(location.hash)?.[1]
  if (token === undefined) {
    tell('claimNeedsLink')
    form.querySelector('button')?.setAttribute('disabled', '')
    return
  }
  // A page in another language is asked for anew, and needs it too.
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) link.hash = location.hash
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit(form, token, onClaimed)
  })
}

async function submit(form: HTMLFormElement, token: string, onClaimed: () => void): Promise<void> {
  const button = form.querySelector('button')
  const fault = form.querySelector('.fault')
  const input = form.querySelector('input')
  if (button === null || fault === null || input === null) return
  button.disabled = true
  fault.textContent = ''
  try {
    const response = await fetch(form.dataset['claim'] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, address: input.value.trim() }),
    })
    if (response.ok) return onClaimed()
    const { detail } = (await response.json()) as { readonly detail?: string }
    fault.textContent = detail ?? sentence('tryAgain')
    input.setAttribute('aria-invalid', 'true')
    input.focus()
  } catch {
    fault.textContent = sentence('tryAgain')
  } finally {
    button.disabled = false
  }
}
