import { say, sentence } from './notice.ts'

const shownMs = 1_600

/** Buttons that copy what they stand beside, digit by digit as the server wrote it. */
export function enableCopying(card: HTMLElement): void {
  card.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null
    if (button !== null) void copy(button, button.dataset['copy'] ?? '')
  })
}

async function copy(button: HTMLElement, text: string): Promise<void> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  if (isCopied !== true && !copyMarked(button, text)) return
  button.classList.add('done')
  say('')
  say(sentence('copied'))
  setTimeout(() => button.classList.remove('done'), shownMs)
}

/**
 * The former way, without TLS and in frames that were not given the clipboard. What is copied is marked, so that a
 * keyboard can copy it where this does not work either.
 */
function copyMarked(button: HTMLElement, text: string): boolean {
  const beside = [...(button.parentElement?.querySelectorAll('*') ?? [])]
  const value = beside.find((one) => one.textContent === text)
  if (value !== undefined) getSelection()?.selectAllChildren(value)
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', give)
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', give)
  return isCopied
}
