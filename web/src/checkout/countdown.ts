const soonS = 60

/**
 * Shows the time left: the seconds that the server sent minus the time since then. That time is measured with
 * two clocks, because the monotonic clock stops while some devices sleep and the user may change the wall
 * clock. The smaller result is shown. When it reaches zero, the page asks the server.
 */
export class Countdown {
  readonly #card: HTMLElement
  readonly #onOver: () => void
  #ends: { readonly steadyMs: number; readonly dateMs: number } | undefined
  #isOver = false

  constructor(card: HTMLElement, onOver: () => void) {
    this.#card = card
    this.#onOver = onOver
    setInterval(() => this.show(), 1_000)
  }

  restart(endsInS: number | null): void {
    const leftMs = (endsInS ?? 0) * 1_000
    this.#ends =
      endsInS === null ? undefined : { steadyMs: performance.now() + leftMs, dateMs: Date.now() + leftMs }
    this.#isOver = false
  }

  show(): void {
    const time = this.#card.querySelector('time[data-ends]')
    if (time === null || this.#ends === undefined) return
    const leftMs = Math.min(this.#ends.steadyMs - performance.now(), this.#ends.dateMs - Date.now())
    const leftS = Math.max(0, Math.round(leftMs / 1_000))
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
