import { say } from './notice.ts'
import type { Status } from './status.ts'

/** The part of the page that the server updates. */
export class Card {
  readonly #element: HTMLElement
  #version: string

  constructor(element: HTMLElement, version: string) {
    this.#element = element
    this.#version = version
  }

  get version(): string {
    return this.#version
  }

  get phase(): string {
    return this.#element.querySelector<HTMLElement>('[data-phase]')?.dataset['phase'] ?? ''
  }

  /**
   * Replaces the card if its version is new. Details that are open stay open, and the keyboard focus is kept.
   * @returns whether the version was new
   */
  show({ version, title, card, announcement }: Status): boolean {
    if (version === this.#version) return false
    const wasOpen = this.#element.querySelector('details')?.open === true
    const focused = this.#element.contains(document.activeElement) ? document.activeElement : null
    const before = this.phase
    this.#version = version
    this.#element.innerHTML = card
    this.#element.classList.toggle('turned', this.phase !== before)
    const details = this.#element.querySelector('details')
    if (details !== null) details.open = wasOpen
    if (focused !== null) this.#refocus(nameOf(focused))
    document.title = title
    say(announcement)
    return true
  }

  #refocus(name: string): void {
    const controls = this.#element.querySelectorAll<HTMLElement>('a, button, summary, input')
    const heading = this.#element.querySelector('h1')
    heading?.setAttribute('tabindex', '-1')
    const target = [...controls].find((one) => nameOf(one) === name) ?? heading
    target?.focus({ preventScroll: true })
  }
}

function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent.trim()
}
