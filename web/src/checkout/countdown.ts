const soonS = 60

/** The time left by the server's clock: how many seconds it said, less those that passed here since. */
export class Countdown {
  readonly #card: HTMLElement
  readonly #onOver: () => void
  #endsAtMs: number | undefined
  #isOver = false

  constructor(card: HTMLElement, onOver: () => void) {
    this.#card = card
    this.#onOver = onOver
    setInterval(() => this.show(), 1_000)
  }

  restart(endsInS: number | null): void {
    this.#endsAtMs = endsInS === null ? undefined : performance.now() + endsInS * 1_000
    this.#isOver = false
  }

  show(): void {
    const time = this.#card.querySelector('time[data-ends]')
    if (time === null || this.#endsAtMs === undefined) return
    const leftS = Math.max(0, Math.round((this.#endsAtMs - performance.now()) / 1_000))
    time.textContent = clock(leftS)
    time.parentElement?.classList.toggle('soon', leftS <= soonS)
    if (leftS > 0 || this.#isOver) return
    this.#isOver = true
    this.#onOver()
  }
}

function clock(seconds: number): string {
  const two = (count: number) => String(count).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  const rest = two(seconds % 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`
}
