import { sentence } from './notice.ts'

const shownMs = 1_600

/** Buttons that copy what they stand beside, digit by digit as the server wrote it. */
export function enableCopying(card: HTMLElement): void {
  card.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null
    if (button !== null) void copy(button, button.dataset['copy'] ?? '')
  })
}

async function copy(button: HTMLElement, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // No clipboard without TLS, or in a frame that was not given it: then the text is marked, for the keyboard to copy.
    const value = button.parentElement?.querySelector('.value')
    if (value) getSelection()?.selectAllChildren(value)
    return
  }
  button.classList.add('done')
  const said = document.getElementById('said')
  if (said !== null) said.textContent = sentence('copied')
  setTimeout(() => button.classList.remove('done'), shownMs)
}
