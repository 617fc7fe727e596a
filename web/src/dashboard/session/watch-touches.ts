/** As long as this after a touch, what the page asks by itself is somebody's use of the session. */
const attendedMs = 60_000

const touches = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const

/**
 * Tells whether nobody has touched the page for a while: what it then asks, to stay live, must not keep a session from
 * ending that nobody uses.
 */
export function watchTouches(page: EventTarget, now: () => number = Date.now): () => boolean {
  let touchedAt = now()
  const touched = () => {
    touchedAt = now()
  }
  for (const touch of touches) page.addEventListener(touch, touched, { passive: true, capture: true })
  return () => now() - touchedAt > attendedMs
}
