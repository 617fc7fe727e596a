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
    const wereOpen = new Map([...this.#details()].map((one) => [keyOf(one), one.open]))
    const focused = this.#element.contains(document.activeElement) ? document.activeElement : null
    const before = this.phase
    this.#version = version
    this.#element.innerHTML = card
    this.#element.classList.toggle('turned', this.phase !== before)
    for (const one of this.#details()) one.open = wereOpen.get(keyOf(one)) ?? one.open
    if (focused !== null) this.#refocus(nameOf(focused))
    document.title = title
    say(announcement)
    return true
  }

  #details(): NodeListOf<HTMLDetailsElement> {
    return this.#element.querySelectorAll('details')
  }

  #refocus(name: string): void {
    const controls = this.#element.querySelectorAll<HTMLElement>('a, button, summary, input')
    const heading = this.#element.querySelector('h1')
    heading?.setAttribute('tabindex', '-1')
    const target = [...controls].find((one) => nameOf(one) === name) ?? heading
    target?.focus({ preventScroll: true })
  }
}

/** Returns the same key for the same details of two cards. */
function keyOf({ dataset, className }: HTMLDetailsElement): string {
  return dataset['key'] ?? className
}

function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent.trim()
}
