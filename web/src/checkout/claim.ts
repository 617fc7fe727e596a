/**
 * Claims the money of a payout link. The claim token is in the URL fragment, which browsers do not send to
 * servers.
 */
import { announce, sentence } from './notice.ts'

export function enableClaim(card: HTMLElement, onClaimed: () => void): void {
  const form = card.querySelector<HTMLFormElement>('form[data-claim]')
  if (form === null) return
  const token = /[#&]claim=([\w-]+)/.exec(location.hash)?.[1]
  if (token === undefined) {
    announce('claimNeedsLink')
    form.querySelector('button')?.setAttribute('disabled', '')
    return
  }
  // A link to another language of the page loads a new page, which needs the claim token too.
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) link.hash = location.hash
  const confirmation = form.querySelector<HTMLElement>('.confirm')
  // A confirmation is given for one address.
  form.querySelector('input')?.addEventListener('input', () => {
    if (confirmation === null) return
    confirmation.hidden = true
    confirmationOf(form).checked = false
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit(form, token, onClaimed)
  })
}

function confirmationOf(form: HTMLFormElement): HTMLInputElement | { checked: boolean } {
  return form.querySelector<HTMLInputElement>('.confirm input') ?? { checked: false }
}

async function submit(form: HTMLFormElement, token: string, onClaimed: () => void): Promise<void> {
  const button = form.querySelector('button')
  const error = form.querySelector('.error')
  const input = form.querySelector('input')
  if (button === null || error === null || input === null) return
  button.disabled = true
  error.textContent = ''
  try {
    const response = await fetch(form.dataset['claim'] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        token,
        address: input.value.trim(),
        ...(confirmationOf(form).checked ? { confirmNetwork: true } : {}),
      }),
    })
    if (response.ok) return onClaimed()
    const { code, detail } = (await response.json()) as { readonly code?: string; readonly detail?: string }
    const isElsewhere = code === 'contract-elsewhere'
    error.textContent = isElsewhere ? sentence('claimElsewhere') : (detail ?? sentence('tryAgain'))
    form.querySelector('.confirm')?.toggleAttribute('hidden', !isElsewhere)
    input.setAttribute('aria-invalid', 'true')
    input.focus()
  } catch {
    error.textContent = sentence('tryAgain')
  } finally {
    button.disabled = false
  }
}
