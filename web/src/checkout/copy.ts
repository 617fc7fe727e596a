import { say, sentence } from './notice.ts'

const shownMs = 1_600

/** Enables the buttons that copy the value beside them, exactly as the server wrote it. */
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
 * Copies with the deprecated `execCommand`. Pages without TLS, and frames without the clipboard permission,
 * have no other way. The value is also selected, so that the user can copy it by keyboard if this fails too.
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
