/** Time after the last input during which the page counts as used. */
const attendedMs = 60_000

const touches = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const

/**
 * Returns a function that returns true if the page has had no input for `attendedMs`. The regular requests of
 * such a page must not keep the session alive.
 */
export function watchTouches(page: EventTarget, now: () => number = Date.now): () => boolean {
  let touchedAt = now()
  const touched = () => {
    touchedAt = now()
  }
  for (const touch of touches) page.addEventListener(touch, touched, { passive: true, capture: true })
  return () => now() - touchedAt > attendedMs
}
