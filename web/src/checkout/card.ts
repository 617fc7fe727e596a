import type { Status } from './status.ts'

/** The part of the page that changes. */
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

  /** Puts what is new in place of what was, keeping what was opened and where the keyboard is; whether anything was new. */
  show({ version, title, card, announcement }: Status): boolean {
    if (version === this.#version) return false
    const wasOpen = this.#element.querySelector('details')?.open === true
    const focused = this.#element.contains(document.activeElement) ? document.activeElement : null
    const label = focused?.getAttribute('aria-label')
    this.#version = version
    this.#element.innerHTML = card
    const details = this.#element.querySelector('details')
    if (details !== null) details.open = wasOpen
    if (focused !== null) this.#refocus(label)
    document.title = title
    const said = document.getElementById('said')
    if (said !== null) said.textContent = announcement
    return true
  }

  #refocus(label: string | null | undefined): void {
    const same = [...this.#element.querySelectorAll<HTMLElement>('[aria-label]')].find(
      (one) => label !== null && label !== undefined && one.getAttribute('aria-label') === label,
    )
    const heading = this.#element.querySelector('h1')
    heading?.setAttribute('tabindex', '-1')
    const target = same ?? heading
    target?.focus({ preventScroll: true })
  }
}
