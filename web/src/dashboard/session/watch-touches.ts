/** For this long after the last input, requests of the page count as use of the session. */
const attendedMs = 60_000

const touches = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const

/**
 * Returns a function that says whether the page has had no input for a while. Its polls must then not keep an
 * unused session alive.
 */
export function watchTouches(page: EventTarget, now: () => number = Date.now): () => boolean {
  let touchedAt = now()
  const touched = () => {
    touchedAt = now()
  }
  for (const touch of touches) page.addEventListener(touch, touched, { passive: true, capture: true })
  return () => now() - touchedAt > attendedMs
}
